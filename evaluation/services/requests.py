"""Ask for judging: a run for every kernel that has none to rest on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from evaluation.core.run_words import PENDING_RUNS
from evaluation.core.verdict import RunState
from evaluation.models import Entry, Kernel, Run, Trajectory, Turn

_CHUNK = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """One kernel to judge at one problem version for one target; the key of what is never judged twice."""

    kernel_id: int
    language: str
    problem: str
    problem_version: int
    target: str


@dataclass(frozen=True, slots=True)
class Requested:
    """``new`` runs were made and cost the owner; ``reused`` counts kernels that rest on runs there were."""

    new: tuple[Run, ...]
    reused: int


def request_runs(
    of: Entry | Trajectory,
    *,
    judge: str,
    at: datetime,
    device_wanted: str = "",
    priority: int = 0,
) -> Requested:
    """Ask for the kernels of an entry or a trajectory; asking again makes nothing new.

    A turn whose kernel was changed by scrubbing is not judged, and nothing of a withdrawn entry.
    """
    owner = of.owner if isinstance(of, Entry) else of.entry.owner
    of_whom = {"trajectory__entry" if isinstance(of, Entry) else "trajectory": of}
    turns = Turn.objects.filter(
        missing="", kernel__isnull=False, trajectory__entry__withdrawn_at=None, **of_whom
    )
    columns = turns.values_list(
        "kernel_id",
        "kernel__language",
        "trajectory__problem",
        "trajectory__problem_version",
        "trajectory__target",
    )
    wanted = (Wanted(*row) for row in columns.distinct())
    return request_wanted(
        wanted, owner=owner, judge=judge, at=at, device_wanted=device_wanted, priority=priority
    )


def request_wanted(
    wanted: Iterable[Wanted],
    *,
    owner: str,
    judge: str,
    at: datetime,
    device_wanted: str = "",
    priority: int = 0,
) -> Requested:
    """Rest on finished or pending runs of the owner and on finished ones of public kernels; make the others."""
    todo = sorted(set(wanted), key=lambda one: (one.kernel_id, one.problem, one.target))
    terms = _Terms(owner, judge, at, device_wanted, priority)
    new: list[Run] = []
    for start in range(0, len(todo), _CHUNK):
        new += _request_chunk(todo[start : start + _CHUNK], terms)
    return Requested(tuple(new), reused=len(todo) - len(new))


@dataclass(frozen=True, slots=True)
class _Terms:
    """What all runs of one request have in common."""

    owner: str
    judge: str
    at: datetime
    device_wanted: str
    priority: int

    def run(self, one: Wanted) -> Run:
        return Run(
            kernel_id=one.kernel_id,
            problem=one.problem,
            problem_version=one.problem_version,
            target=one.target,
            device_wanted=self.device_wanted,
            judge=self.judge,
            language=one.language,
            owner=self.owner,
            priority=self.priority,
            created_at=self.at,
        )


@transaction.atomic
def _request_chunk(wanted: Sequence[Wanted], terms: _Terms) -> list[Run]:
    there = _rest_on(wanted, terms)
    rows = [terms.run(one) for one in wanted if one not in there]
    # Two requests at once: the constraint lets one of both make the pending run.
    Run.objects.bulk_create(rows, ignore_conflicts=True)
    return list(Run.objects.filter(uid__in=[row.uid for row in rows]).order_by("pk"))


def _rest_on(wanted: Sequence[Wanted], terms: _Terms) -> set[Wanted]:
    runs = Run.objects.select_related("kernel").filter(
        kernel_id__in={one.kernel_id for one in wanted}, judge=terms.judge
    )
    if terms.device_wanted:
        there = Q(device=terms.device_wanted, state=RunState.FINISHED)
        runs = runs.filter(there | Q(device_wanted=terms.device_wanted))
    alive = Q(state__in=PENDING_RUNS) | Q(state=RunState.FINISHED, applied=True)
    own = {_wanted(run) for run in runs.filter(alive, owner=terms.owner)} & set(wanted)
    others = runs.counting().exclude(owner=terms.owner).public(at=terms.at)
    borrowed = {run.pk: _wanted(run) for run in others if _wanted(run) in set(wanted) - own}
    Run.objects.filter(pk__in=borrowed, shared=False).update(shared=True)
    return own | set(borrowed.values())


def _wanted(run: Run) -> Wanted:
    kernel: Kernel = run.kernel
    return Wanted(kernel.pk, kernel.language, run.problem, run.problem_version, run.target)
