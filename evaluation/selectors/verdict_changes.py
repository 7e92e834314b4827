"""What everybody may know of results that are others now than they were: judged again, or struck."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Subquery

from evaluation.core.run_words import HoldState
from evaluation.core.verdict import RunState
from evaluation.models import Hold, Run
from evaluation.selectors.public_rows import public_turns, told_runs

# Of a judging of everything again, so many of the newest runs are looked at.
RUNS_LOOKED_AT = 2000
MOST_CHANGES = 50


@dataclass(frozen=True, slots=True)
class Found:
    """What a run established, the speed apart."""

    verdict: str
    family: str
    matrix_path: str


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """Where a person struck the kernel, ``before`` and ``now`` are None, and ``run``, ``judge``, ``device`` empty."""

    at: datetime
    kernel: str
    problem: str
    target: str
    device: str
    run: str
    judge: str
    before: Found | None
    now: Found | None


def verdict_changes(*, at: datetime, most: int = MOST_CHANGES) -> tuple[VerdictChange, ...]:
    """The newest changes of what is public and not held, the newest first; four queries."""
    found = [*_judged_again(at, most), *_struck(at, most)]
    return tuple(sorted(found, key=lambda one: (one.at, one.kernel), reverse=True)[:most])


def _judged_again(at: datetime, most: int) -> list[VerdictChange]:
    """Compare runs that count with the one before them on the same device."""
    earlier = Run.objects.public(at=at).filter(
        state=RunState.FINISHED,
        applied=True,
        kernel=OuterRef("kernel"),
        problem=OuterRef("problem"),
        problem_version=OuterRef("problem_version"),
        target=OuterRef("target"),
        device=OuterRef("device"),
        pk__lt=OuterRef("pk"),
    )
    counting = told_runs(at=at).filter(state=RunState.FINISHED, applied=True)
    newest = list(counting.order_by("-pk").values_list("pk", flat=True)[:RUNS_LOOKED_AT])
    again = (
        Run.objects.filter(pk__in=newest)
        .annotate(earlier=Subquery(earlier.order_by("-pk").values("pk")[:1]))
        .filter(earlier__isnull=False)
        .order_by("-finished_at", "-pk")
    )
    pairs = list(again.values_list("pk", "earlier"))
    runs = Run.objects.select_related("kernel").in_bulk({pk for pair in pairs for pk in pair})
    changes = ((runs[now], _found(runs[was]), _found(runs[now])) for now, was in pairs)
    changed = [(run, was, now) for run, was, now in changes if was != now]
    return [_change(run, was, now) for run, was, now in changed[:most]]


def _struck(at: datetime, most: int) -> list[VerdictChange]:
    strikes = Hold.objects.filter(Exists(public_turns(at=at)), state=HoldState.STRUCK)
    newest = strikes.select_related("kernel").order_by("-decided_at", "-pk")[:most]
    return [
        VerdictChange(
            one.decided_at, one.kernel.sha256, one.problem, one.target, "", "", "", None, None
        )
        for one in newest
        if one.decided_at is not None
    ]


def _found(run: Run) -> Found:
    return Found(run.verdict, run.family, run.matrix_path)


def _change(run: Run, was: Found, now: Found) -> VerdictChange:
    assert run.finished_at is not None
    return VerdictChange(
        run.finished_at,
        run.kernel.sha256,
        run.problem,
        run.target,
        run.device,
        str(run.uid),
        run.judge,
        was,
        now,
    )
