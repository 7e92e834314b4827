"""Everything that anybody may see of entries, turns and runs, a piece at a time: for the public data set."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from evaluation.core.run_words import HoldState
from evaluation.core.verdict import RunState
from evaluation.models import Entry, Hold, Run, Trajectory, Turn
from evaluation.models.runs import RunQuerySet
from evaluation.models.viewer import ANYONE
from evaluation.selectors.entries import EntryHead, TrajectoryRow, entry_head, trajectory_row
from evaluation.selectors.turn_rows import turn_rows

PIECE = 500
# What others may see of runs: those that came to an end, and not by their owner's wish.
_TOLD = (RunState.FINISHED, RunState.ABANDONED)


@dataclass(frozen=True, slots=True)
class PublicTrajectory:
    """A trajectory with the entry that it belongs to."""

    entry: str
    trajectory: TrajectoryRow


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicRun:
    """A run that came to an end, of a kernel that is in a public entry and not held there; times in nanoseconds."""

    uid: str
    kernel: str
    problem: str
    problem_version: int
    target: str
    device: str
    judge: str
    language: str
    state: str
    verdict: str
    correct: str
    family: str
    matrix_path: str
    coverage: float | None
    executed_share: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    candidate_ns: int | None
    vendor_ns: int | None
    speed_reason: str
    lane: str
    applied: bool
    gpu_seconds: float
    created_at: datetime
    finished_at: datetime | None


def public_entries(*, at: datetime) -> Iterator[tuple[EntryHead, ...]]:
    """Entries that are public at this time, the oldest first."""
    last = 0
    found = Entry.objects.public(at=at).select_related("model").order_by("pk")
    while piece := list(found.filter(pk__gt=last)[:PIECE]):
        last = piece[-1].pk
        yield tuple(entry_head(ANYONE, one) for one in piece)


def public_trajectories(*, at: datetime) -> Iterator[tuple[PublicTrajectory, ...]]:
    """Their trajectories with all turns, as others than the owner see them."""
    last = 0
    public = Entry.objects.public(at=at).order_by().values("pk")
    found = Trajectory.objects.filter(entry__in=public).select_related("entry").order_by("pk")
    while piece := list(found.filter(pk__gt=last)[:PIECE]):
        last = piece[-1].pk
        of_piece = Turn.objects.filter(trajectory__in=[one.pk for one in piece])
        turns = turn_rows(of_piece, insider=False)
        rows = ((one, turns.get(one.pk, ())) for one in piece)
        yield tuple(
            PublicTrajectory(str(one.entry.uid), trajectory_row(one, taken, taken=len(taken)))
            for one, taken in rows
        )


def public_runs(*, at: datetime) -> Iterator[tuple[PublicRun, ...]]:
    """The runs that the pages of their kernels show to everybody."""
    last = 0
    found = told_runs(at=at).select_related("kernel").order_by("pk")
    while piece := list(found.filter(pk__gt=last)[:PIECE]):
        last = piece[-1].pk
        yield tuple(_run(one) for one in piece)


def public_turns(*, at: datetime) -> QuerySet[Turn]:
    """Turns of public entries with the kernel, at the problem and target, of the run or hold that asks: a subquery."""
    public = Entry.objects.public(at=at).order_by().values("pk")
    return Turn.objects.filter(
        kernel=OuterRef("kernel"),
        missing="",
        trajectory__problem=OuterRef("problem"),
        trajectory__target=OuterRef("target"),
        trajectory__entry__in=public,
    )


def told_runs(*, at: datetime) -> RunQuerySet:
    """Runs that came to an end at places where everybody may see the kernel: in a public entry, and not held."""
    held = Hold.objects.filter(
        kernel=OuterRef("kernel"),
        problem=OuterRef("problem"),
        target=OuterRef("target"),
        state=HoldState.OPEN,
    )
    ended = Run.objects.public(at=at).filter(state__in=_TOLD)
    return ended.filter(Q(Exists(public_turns(at=at))) & ~Q(Exists(held)))


def _run(one: Run) -> PublicRun:
    return PublicRun(
        uid=str(one.uid),
        kernel=one.kernel.sha256,
        problem=one.problem,
        problem_version=one.problem_version,
        target=one.target,
        device=one.device,
        judge=one.judge,
        language=one.language,
        state=one.state,
        verdict=one.verdict,
        correct=one.correct,
        family=one.family,
        matrix_path=one.matrix_path,
        coverage=one.coverage,
        executed_share=one.executed_share,
        ratio=one.ratio,
        ratio_low=one.ratio_low,
        ratio_high=one.ratio_high,
        candidate_ns=one.candidate_ns,
        vendor_ns=one.vendor_ns,
        speed_reason=one.speed_reason,
        lane=one.lane,
        applied=one.applied,
        gpu_seconds=one.gpu_seconds,
        created_at=one.created_at,
        finished_at=one.finished_at,
    )
