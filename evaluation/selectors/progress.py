"""How far a run is, and the entries of a viewer with how far each is."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q

from evaluation.core.verdict import Language, RunState
from evaluation.models import Attempt, Entry, Hold, Run, Turn, Viewer
from evaluation.models.runs import RunQuerySet
from evaluation.selectors.entries import EntryHead, entry_head
from evaluation.selectors.refusal import NotVisible
from evaluation.selectors.run_reports import ReportRow, report_rows

ENTRIES_SHOWN = 200
_TOLD = (RunState.FINISHED, RunState.ABANDONED)


@dataclass(frozen=True, slots=True)
class RunProgress:
    """``half``, ``attempt`` and ``worker`` are of the newest attempt; empty and 0 before the first one.

    ``worker`` and ``waits_for`` are for the owner and staff.
    """

    uid: str
    kernel: str
    language: Language
    problem: str
    problem_version: int
    target: str
    device: str
    judge: str
    lane: str
    state: RunState
    waits_for: str
    verdict: str
    failures: int
    half: str
    attempt: int
    attempt_state: str
    worker: str
    created_at: datetime
    finished_at: datetime | None
    reports: tuple[ReportRow, ...]

    @property
    def has_ended(self) -> bool:
        return self.finished_at is not None


@dataclass(frozen=True, slots=True)
class MyEntry:
    """How many turns were taken, how many of their kernels have a verdict, and how many a run that is not over."""

    head: EntryHead
    taken: int
    judged: int
    pending: int
    without_kernel: int


def run_progress(viewer: Viewer, uid: UUID) -> RunProgress:
    """Raise NotVisible where there is no such run for this viewer; others see only how one ended, and no held one."""
    run = Run.objects.visible_to(viewer).select_related("kernel").filter(uid=uid).first()
    if run is None:
        raise NotVisible
    insider = viewer.staff or run.owner in viewer.owners
    if not insider and (run.state not in _TOLD or _is_held(run)):
        raise NotVisible
    newest = Attempt.objects.filter(run=run).order_by("-sent_at", "-pk").first()
    return RunProgress(
        uid=str(run.uid),
        kernel=run.kernel.sha256,
        language=Language(run.language),
        problem=run.problem,
        problem_version=run.problem_version,
        target=run.target,
        device=run.device,
        judge=run.judge,
        lane=run.lane,
        state=RunState(run.state),
        waits_for=run.waits_for if insider else "",
        verdict=run.verdict,
        failures=run.failures,
        half=newest.half if newest else "",
        attempt=newest.number if newest else 0,
        attempt_state=newest.state if newest else "",
        worker=newest.worker if newest and insider else "",
        created_at=run.created_at,
        finished_at=run.finished_at,
        reports=report_rows([run], insider=insider).get(run.pk, ()),
    )


def my_entries(viewer: Viewer) -> tuple[MyEntry, ...]:
    """The viewer's own entries, newest first; two queries."""
    found = Entry.objects.filter(owner__in=viewer.owners).select_related("model")
    entries = list(found.order_by("-created_at", "-pk")[:ENTRIES_SHOWN])
    counts = _turn_counts(entries)
    none = (0, 0, 0, 0)
    return tuple(MyEntry(entry_head(viewer, one), *counts.get(one.pk, none)) for one in entries)


def _is_held(run: Run) -> bool:
    held = Hold.objects.open().filter(kernel=run.kernel, problem=run.problem, target=run.target)
    return held.exists()


def _turn_counts(entries: list[Entry]) -> dict[int, tuple[int, int, int, int]]:
    rows = (
        Turn.objects.filter(trajectory__entry__in=[one.pk for one in entries])
        .annotate(
            is_judged=Exists(_runs_of_turn().counting().order_by()),
            is_pending=Exists(_runs_of_turn().pending()),
        )
        .values("trajectory__entry")
        .annotate(
            taken=Count("pk"),
            judged=Count("pk", filter=Q(is_judged=True)),
            pending=Count("pk", filter=Q(is_judged=False, is_pending=True)),
            without_kernel=Count("pk", filter=~Q(missing="")),
        )
        .values_list("trajectory__entry", "taken", "judged", "pending", "without_kernel")
    )
    return {entry: (taken, judged, pending, lost) for entry, taken, judged, pending, lost in rows}


def _runs_of_turn() -> RunQuerySet:
    return Run.objects.filter(
        Q(owner=OuterRef("trajectory__entry__owner")) | Q(shared=True),
        kernel=OuterRef("kernel"),
        problem=OuterRef("trajectory__problem"),
        problem_version=OuterRef("trajectory__problem_version"),
        target=OuterRef("trajectory__target"),
    )
