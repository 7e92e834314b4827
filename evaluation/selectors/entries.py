"""Pages of an entry and of a trajectory."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from evaluation.core.verdict import Target
from evaluation.models import Entry, Trajectory, Turn, Viewer
from evaluation.selectors.entry_list import (
    TRAJECTORIES_SHOWN,
    TURNS_SHOWN,
    EntryPart,
    listed,
    parts,
)
from evaluation.selectors.refusal import NotVisible
from evaluation.selectors.turn_row import TurnRow
from evaluation.selectors.turn_rows import turn_rows


@dataclass(frozen=True, slots=True)
class EntryHead:
    """Who wrote what, and how. ``model_slug`` is empty until the proposed model was accepted.

    ``insider`` says that the viewer owns the entry or is staff. ``withdrawn_reason`` is for everybody: it is what is
    left of a withdrawn entry.
    """

    uid: str
    model_slug: str
    model_name: str
    proposed_model: str
    insider: bool
    harness: str
    harness_version: str
    pack: str
    language: str
    reasoning_effort: str
    prompts: int
    trajectories: int
    turns: int
    authorship: str
    visibility: str
    embargo_until: datetime | None
    withdrawn_at: datetime | None
    withdrawn_reason: str
    licence: str
    single_kernel: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class TrajectoryRow:
    """``turns`` are the first of the ``taken`` ones, on most pages all of them."""

    uid: str
    problem: str
    problem_version: int
    target: Target
    reported_device: str
    prompt: int
    number: int
    ending: str
    turns: tuple[TurnRow, ...]
    taken: int


@dataclass(frozen=True, slots=True)
class EntryPage:
    """``trajectories`` are those of one page, from ``first`` (counted from 0) on, of ``count`` in all.

    ``parts`` say where each problem begins. There is none where only the tombstone of a withdrawn entry may be seen.
    """

    head: EntryHead
    trajectories: tuple[TrajectoryRow, ...]
    first: int = 0
    parts: tuple[EntryPart, ...] = ()

    @property
    def count(self) -> int:
        return sum(one.count for one in self.parts)

    @property
    def next_first(self) -> int:
        """Where the next page begins; 0 on the last one."""
        following = self.first + len(self.trajectories)
        return following if self.trajectories and following < self.count else 0


@dataclass(frozen=True, slots=True)
class TrajectoryPage:
    """``document`` is the hash of the scrubbed original; it holds every kernel: others see it once all ended."""

    head: EntryHead
    trajectory: TrajectoryRow
    document: str


def entry_page(
    viewer: Viewer,
    uid: UUID,
    *,
    first: int = 0,
    most: int = TRAJECTORIES_SHOWN,
    turns: int | None = TURNS_SHOWN,
) -> EntryPage:
    """At most ``most`` trajectories with ``turns`` turns together; of one alone that has more, the first ``turns``.

    Raise NotVisible where there is no such entry for this viewer.
    """
    entry = _seen(viewer, uid)
    head = entry_head(viewer, entry)
    if entry.withdrawn_at and not head.insider:
        return EntryPage(head, ())
    first = max(first, 0)
    found = listed(entry, first=first, most=most, turns=turns)
    of_page = Turn.objects.filter(trajectory__in=[one.trajectory.pk for one in found])
    if turns is not None:
        of_page = of_page.filter(number__lt=turns)
    rows = turn_rows(of_page, insider=head.insider)
    trajectories = tuple(
        trajectory_row(one.trajectory, rows.get(one.trajectory.pk, ()), taken=one.taken)
        for one in found
    )
    return EntryPage(head, trajectories, first=first, parts=parts(entry))


def seen_head(viewer: Viewer, uid: UUID) -> EntryHead:
    """The head alone. Raise NotVisible where there is no such entry for this viewer."""
    return entry_head(viewer, _seen(viewer, uid))


def _seen(viewer: Viewer, uid: UUID) -> Entry:
    entry = Entry.objects.select_related("model").filter(uid=uid).first()
    if entry is None or not (is_insider(viewer, entry) or _is_shown(entry)):
        raise NotVisible
    return entry


def trajectory_page(viewer: Viewer, uid: UUID) -> TrajectoryPage:
    """Raise NotVisible where there is no such trajectory for this viewer."""
    found = Trajectory.objects.select_related("entry__model", "document").filter(uid=uid).first()
    if found is None:
        raise NotVisible
    insider = is_insider(viewer, found.entry)
    if not insider and (found.entry.withdrawn_at or not _is_shown(found.entry)):
        raise NotVisible
    rows = turn_rows(Turn.objects.filter(trajectory=found), insider=insider)
    turns = rows.get(found.pk, ())
    readable = insider or all(turn.has_ended for turn in turns)
    return TrajectoryPage(
        entry_head(viewer, found.entry),
        trajectory_row(found, turns, taken=len(turns)),
        document=found.document.sha256 if found.document and readable else "",
    )


def is_insider(viewer: Viewer, entry: Entry) -> bool:
    return viewer.staff or entry.owner in viewer.owners


def entry_head(viewer: Viewer, entry: Entry) -> EntryHead:
    """The head of an entry that this viewer is known to see."""
    return EntryHead(
        uid=str(entry.uid),
        model_slug=entry.model.slug if entry.model else "",
        model_name=entry.model.name if entry.model else "",
        proposed_model=entry.proposed_model,
        insider=is_insider(viewer, entry),
        harness=entry.harness,
        harness_version=entry.harness_version,
        pack=entry.pack,
        language=entry.language,
        reasoning_effort=entry.reasoning_effort,
        prompts=entry.prompts,
        trajectories=entry.trajectories,
        turns=entry.turns,
        authorship=entry.authorship,
        visibility=entry.visibility,
        embargo_until=entry.embargo_until,
        withdrawn_at=entry.withdrawn_at,
        withdrawn_reason=entry.withdrawn_reason,
        licence=entry.licence,
        single_kernel=entry.single_kernel,
        created_at=entry.created_at,
    )


def _is_shown(entry: Entry) -> bool:
    return Entry.objects.shown().filter(pk=entry.pk).exists()


def trajectory_row(found: Trajectory, turns: tuple[TurnRow, ...], *, taken: int) -> TrajectoryRow:
    return TrajectoryRow(
        uid=str(found.uid),
        problem=found.problem,
        problem_version=found.problem_version,
        target=Target(found.target),
        reported_device=found.reported_device,
        prompt=found.prompt,
        number=found.number,
        ending=found.ending,
        turns=turns,
        taken=taken,
    )
