"""One submission as its page and the API tell it."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from evaluation.core.quoting import counted
from evaluation.selectors import NotVisible, Viewer
from leaderboard.selectors.list_order import ListOrder, ordering
from portal.uploads.choices import Choices, stored_choices
from portal.uploads.confirmed_facts import Fact, confirmed_facts
from portal.uploads.importers.records import Format
from portal.uploads.models import ImportProblem, Submission
from portal.uploads.preview import Preview, stored_preview
from portal.uploads.submission_list import ORDERED_BY
from portal.uploads.submission_words import ENDED, SubmissionState

PROBLEMS_SHOWN = 200
SUBMISSIONS_SHOWN = 100

_NEXT = {
    SubmissionState.UPLOADING: "Send the rest of it, from Upload-Offset on.",
    SubmissionState.RECEIVED: "It waits to be read. There is nothing to do.",
    SubmissionState.READING: "It is being read. There is nothing to do.",
    SubmissionState.UNDERSTOOD: "Check what was understood, then confirm it or take it back. Nothing was stored yet.",
    SubmissionState.CONFIRMED: "It waits to be imported. There is nothing to do.",
    SubmissionState.IMPORTING: "It is being imported, and each kernel is judged after that. There is nothing to do.",
    SubmissionState.IMPORTED: "Each kernel is judged on its own; follow the turns below.",
    SubmissionState.REFUSED: "Nothing of it was kept. Mend what the sentence says and upload it again.",
    SubmissionState.WITHDRAWN: "You took it back. Upload it again if that was a mistake.",
}

_SAID = {
    SubmissionState.UPLOADING: "uploading, a part of it is missing",
    SubmissionState.RECEIVED: "received, waits to be read",
    SubmissionState.READING: "being read",
    SubmissionState.UNDERSTOOD: "understood, waits for its owner to confirm it",
    SubmissionState.CONFIRMED: "confirmed, waits to be imported",
    SubmissionState.IMPORTING: "being imported",
    SubmissionState.IMPORTED: "imported",
    SubmissionState.REFUSED: "refused",
    SubmissionState.WITHDRAWN: "withdrawn",
}


@dataclass(frozen=True, slots=True)
class Problem:
    member: str
    kind: str
    sentence: str


@dataclass(frozen=True, slots=True)
class SubmissionStatus:
    """``total`` and ``done`` count trajectories; ``mine`` says that the viewer may decide about it.

    ``confirmed`` is what its owner said when it was confirmed, None before.
    """

    uid: str
    state: SubmissionState
    mine: bool
    format: str
    file_name: str
    size: int
    received: int
    sha256: str
    total: int
    done: int
    refused: str
    next_step: str
    preview: Preview | None
    confirmed: Choices | None
    entry: str
    problems: tuple[Problem, ...]
    problem_count: int
    tries: int
    created_at: datetime
    changed_at: datetime

    @property
    def said_state(self) -> str:
        return _SAID[self.state]

    @property
    def confirmed_facts(self) -> tuple[Fact, ...]:
        """Empty until it is confirmed."""
        if self.confirmed is None or self.preview is None:
            return ()
        return confirmed_facts(self.confirmed, self.preview)

    @property
    def has_ended(self) -> bool:
        return self.state in ENDED

    @property
    def progress(self) -> str:
        """How far a worker is, in words; empty where none is at it."""
        if self.state is SubmissionState.READING and self.done:
            return f"Read so far: {counted(self.done, 'trajectory', many='trajectories')}."
        if self.state in {SubmissionState.CONFIRMED, SubmissionState.IMPORTING}:
            return f"Imported so far: {self.done} of {counted(self.total, 'trajectory', many='trajectories')}."
        return ""

    @property
    def waits_for_owner(self) -> bool:
        return self.state in {SubmissionState.UNDERSTOOD, SubmissionState.UPLOADING}

    @property
    def can_be_cancelled(self) -> bool:
        return self.mine and not self.has_ended

    @property
    def can_be_withdrawn(self) -> bool:
        return self.mine and self.state is SubmissionState.IMPORTED

    @property
    def can_be_confirmed(self) -> bool:
        return self.mine and self.state is SubmissionState.UNDERSTOOD


@dataclass(frozen=True, slots=True)
class SubmissionLine:
    """One of a list. ``trajectories`` says in words how many there are, and how many of them are imported.

    ``total`` and ``done`` are these numbers; where nothing is counted yet both are 0.
    """

    uid: str
    file_name: str
    state: SubmissionState
    said_state: str
    trajectories: str
    total: int
    done: int
    size_bytes: int
    created_at: datetime


def submission_of(viewer: Viewer, uid: UUID) -> Submission:
    """Raise NotVisible where there is no such submission for this viewer."""
    found = Submission.objects.visible_to(viewer).select_related("entry").filter(uid=uid).first()
    if found is None:
        raise NotVisible
    return found


def own_submission(viewer: Viewer, uid: UUID) -> Submission:
    """One that this viewer may decide about; staff decide about their own alone. Raise NotVisible."""
    found = Submission.objects.written_by(viewer).select_related("entry").filter(uid=uid).first()
    if found is None:
        raise NotVisible
    return found


def status_of(viewer: Viewer, submission: Submission) -> SubmissionStatus:
    return SubmissionStatus(
        uid=str(submission.uid),
        state=SubmissionState(submission.state),
        mine=submission.owner in viewer.owners,
        format=submission.format,
        file_name=submission.file_name,
        size=submission.size,
        received=submission.received,
        sha256=submission.sha256,
        total=submission.total,
        done=submission.done,
        refused=submission.refused,
        next_step=_NEXT[SubmissionState(submission.state)],
        preview=stored_preview(submission),
        confirmed=stored_choices(submission) if submission.choices else None,
        entry=str(submission.entry.uid) if submission.entry else "",
        problems=_problems(submission),
        problem_count=submission.problem_count,
        tries=submission.tries,
        created_at=submission.created_at,
        changed_at=submission.changed_at,
    )


def my_submissions(
    viewer: Viewer, *, first: int = 0, order: ListOrder | None = None
) -> tuple[Submission, ...]:
    """The viewer's own, newest first or in ``order``: SUBMISSIONS_SHOWN from ``first`` on."""
    found = Submission.objects.written_by(viewer).select_related("entry")
    by = ordering(order, ORDERED_BY, ("-created_at", "-pk"))
    return tuple(found.order_by(*by)[first : first + SUBMISSIONS_SHOWN])


def line_of(one: Submission) -> SubmissionLine:
    state = SubmissionState(one.state)
    return SubmissionLine(
        str(one.uid),
        one.file_name,
        state,
        _SAID[state],
        _trajectories(one, state),
        one.total,
        one.done,
        one.size,
        one.created_at,
    )


def _trajectories(one: Submission, state: SubmissionState) -> str:
    if not one.total:
        return "none" if state in ENDED else "not counted yet"
    if one.format == Format.SINGLE_KERNEL:
        return "a single kernel"
    whole = counted(one.total, "trajectory", many="trajectories")
    if state in {SubmissionState.UNDERSTOOD, SubmissionState.CONFIRMED} or not one.done:
        return f"{whole}, none imported"
    return f"{whole}, {'all' if one.done == one.total else one.done} imported"


def _problems(submission: Submission) -> tuple[Problem, ...]:
    found = ImportProblem.objects.filter(submission=submission).order_by("pk")
    return tuple(Problem(one.member, one.kind, one.sentence) for one in found[:PROBLEMS_SHOWN])
