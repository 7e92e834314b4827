"""The page of a kernel: where it was written, and every judging of it with its evidence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from evaluation.core.findings import Findings
from evaluation.core.run_words import HoldState
from evaluation.core.verdict import Language, RunState
from evaluation.models import Entry, Hold, Kernel, Run, Turn, Viewer
from evaluation.models.runs import RunQuerySet
from evaluation.selectors.refusal import NotVisible
from evaluation.selectors.row_findings import findings_of_run, integrity_of_hold
from evaluation.selectors.run_reports import ReportRow, report_rows

RUNS_SHOWN = 50
PLACES_SHOWN = 100
# What others may see of runs: those that came to an end, and not by their owner's wish.
_TOLD = (RunState.FINISHED, RunState.ABANDONED)


@dataclass(frozen=True, slots=True)
class KernelPlace:
    """One turn that has this kernel, in an entry that the viewer may see; ``turn`` counts from 0."""

    entry: str
    trajectory: str
    turn: int
    author: str
    problem: str
    target: str


@dataclass(frozen=True, slots=True)
class HoldRow:
    """A hold or a decision about one; for the owner and staff."""

    problem: str
    target: str
    state: HoldState
    why: str
    placed_at: datetime
    decided_at: datetime | None
    note: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """One judging. ``findings`` is None before a verdict; its integrity is what people decided since."""

    uid: str
    problem: str
    problem_version: int
    target: str
    device_wanted: str
    device: str
    judge: str
    state: RunState
    waits_for: str
    verdict: str
    findings: Findings | None
    lane: str
    losses: int
    failures: int
    applied: bool
    gpu_seconds: float
    created_at: datetime
    finished_at: datetime | None
    reports: tuple[ReportRow, ...]


@dataclass(frozen=True, slots=True)
class KernelPage:
    """``insider``: the viewer is staff or owns an entry with this kernel.

    ``holds`` and signals are for them alone, and of the problems and targets where they have it.
    """

    sha256: str
    language: Language
    size: int
    insider: bool
    places: tuple[KernelPlace, ...]
    runs: tuple[RunRow, ...]
    holds: tuple[HoldRow, ...]


def kernel_page(viewer: Viewer, sha256: str) -> tuple[KernelPage, ...]:
    """The kernel with these bytes, once for each language it was handed in as. Raise NotVisible where there is none.

    To others a kernel is there at the problems and targets where a run of it came to an end and no hold is open, so
    that what is held cannot be told from what is not judged yet.
    """
    kernels = Kernel.objects.filter(sha256=sha256).order_by("language")
    pages = (_page(viewer, kernel) for kernel in kernels)
    found = tuple(page for page in pages if page is not None)
    if not found:
        raise NotVisible
    return found


def _page(viewer: Viewer, kernel: Kernel) -> KernelPage | None:
    turns = Turn.objects.filter(kernel=kernel, trajectory__entry__in=_visible(viewer))
    holds = tuple(Hold.objects.filter(kernel=kernel).order_by("-placed_at", "-pk"))
    runs = Run.objects.filter(kernel=kernel).visible_to(viewer)
    own = None
    if not viewer.staff:
        mine = turns.filter(trajectory__entry__owner__in=viewer.owners)
        own = _Places(frozenset(mine.values_list("trajectory__problem", "trajectory__target")))
        told = _not_held(runs.filter(state__in=_TOLD), holds)
        runs = told | runs.filter(own.runs | Q(owner__in=viewer.owners))
        turns = mine | _at_places_of(turns, told)
        if not (own.known or turns.exists()):
            return None
    return KernelPage(
        sha256=kernel.sha256,
        language=Language(kernel.language),
        size=kernel.size,
        insider=own is None or bool(own.known),
        places=_places(turns),
        runs=_runs(runs, holds, own),
        holds=tuple(
            _hold(one) for one in holds if own is None or (one.problem, one.target) in own.known
        ),
    )


@dataclass(frozen=True, slots=True)
class _Places:
    """Problems and targets where the viewer's own entries have the kernel.

    Bytes can be handed in by anybody who has them, and tell nothing of what others did with them elsewhere.
    """

    known: frozenset[tuple[str, str]]

    @property
    def runs(self) -> Q:
        found = Q(pk__in=())
        for problem, target in sorted(self.known):
            found |= Q(problem=problem, target=target)
        return found


def _not_held(runs: RunQuerySet, holds: Sequence[Hold]) -> RunQuerySet:
    for hold in holds:
        if hold.state == HoldState.OPEN:
            runs = runs.exclude(problem=hold.problem, target=hold.target)
    return runs


def _at_places_of(turns: QuerySet[Turn], runs: QuerySet[Run]) -> QuerySet[Turn]:
    there = runs.filter(
        problem=OuterRef("trajectory__problem"), target=OuterRef("trajectory__target")
    )
    return turns.filter(Exists(there), missing="")


def _visible(viewer: Viewer) -> QuerySet[Entry]:
    return Entry.objects.visible_to(viewer).order_by().values("pk")  # type: ignore[return-value]  # a subquery


def _places(turns: QuerySet[Turn]) -> tuple[KernelPlace, ...]:
    found = turns.select_related("trajectory__entry__model").order_by("pk")[:PLACES_SHOWN]
    return tuple(
        KernelPlace(
            entry=str(turn.trajectory.entry.uid),
            trajectory=str(turn.trajectory.uid),
            turn=turn.number,
            author=_author(turn.trajectory.entry),
            problem=turn.trajectory.problem,
            target=turn.trajectory.target,
        )
        for turn in found
    )


def _author(entry: Entry) -> str:
    return entry.model.name if entry.model else entry.proposed_model


def _runs(runs: QuerySet[Run], holds: Sequence[Hold], own: _Places | None) -> tuple[RunRow, ...]:
    """``own`` is None for staff, who see every place from inside."""
    newest = list(runs.order_by("-created_at", "-pk")[:RUNS_SHOWN])
    inside = [one for one in newest if own is None or (one.problem, one.target) in own.known]
    outside = [one for one in newest if one not in inside]
    reports = report_rows(inside, insider=True) | report_rows(outside, insider=False)
    acting = {(one.problem, one.target): one for one in holds if one.state != HoldState.CLEARED}
    return tuple(
        _run(
            run,
            acting.get((run.problem, run.target)),
            reports.get(run.pk, ()),
            insider=run in inside,
        )
        for run in newest
    )


def _run(run: Run, hold: Hold | None, reports: tuple[ReportRow, ...], *, insider: bool) -> RunRow:
    findings = None
    if run.state == RunState.FINISHED:
        findings = replace(findings_of_run(run), integrity=integrity_of_hold(hold))
    return RunRow(
        uid=str(run.uid),
        problem=run.problem,
        problem_version=run.problem_version,
        target=run.target,
        device_wanted=run.device_wanted,
        device=run.device,
        judge=run.judge,
        state=RunState(run.state),
        waits_for=run.waits_for if insider else "",
        verdict=run.verdict,
        findings=findings,
        lane=run.lane,
        losses=run.losses,
        failures=run.failures,
        applied=run.applied,
        gpu_seconds=run.gpu_seconds,
        created_at=run.created_at,
        finished_at=run.finished_at,
        reports=reports,
    )


def _hold(one: Hold) -> HoldRow:
    return HoldRow(
        one.problem,
        one.target,
        HoldState(one.state),
        one.why,
        one.placed_at,
        one.decided_at,
        one.note,
    )
