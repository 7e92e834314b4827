"""What each message about an attempt does. Its key was compared before."""

from datetime import datetime
from types import MappingProxyType

from evaluation import queues
from evaluation.core.messages import (
    AttemptMessage,
    FailedByUs,
    HalfFinished,
    HandedBack,
    Heartbeat,
    KernelLost,
    KernelNoted,
    StageReported,
    Started,
)
from evaluation.core.ports import Artifacts
from evaluation.core.verdict import Severity
from evaluation.models import Attempt
from evaluation.services import (
    Ending,
    Told,
    fail,
    hand_back,
    lose,
    note_kernel,
    report_end,
    report_stage,
)
from evaluation.services.attempts import has
from portal.reports.heard import Heard, Word

_WORDS = MappingProxyType(
    {
        Told.STALE: Word.STALE,
        Told.AGAIN: Word.AGAIN,
        Told.CONFLICT: Word.CONFLICT,
        Told.STORED: Word.NOTED,
        Told.READY: Word.ENDED,
        Told.FINISHED: Word.ENDED,
        Told.FAILED: Word.ENDED,
    }
)


def hear_of_attempt(
    message: AttemptMessage, attempt: Attempt, store: Artifacts, *, at: datetime
) -> Heard:
    worker = message.worker
    match message:
        case Started() | Heartbeat() | KernelNoted():
            return Heard(Word.NOTED if _goes_on(message, attempt, at=at) else Word.STALE)
        case StageReported(place=place, report=report):
            told = report_stage(store, attempt, worker, place, report, at=at)
            holds = any(one.severity is Severity.HOLD for one in report.signals)
            return _of_half(told, attempt, boards=told is Told.STORED and holds)
        case HalfFinished(verdict=verdict, artifacts=artifacts, seconds=seconds):
            ending = Ending(verdict, artifacts, seconds)
            return _of_half(report_end(store, attempt, worker, ending, at=at), attempt)
        case HandedBack(reason=reason):
            return _ended(attempt, happened=hand_back(attempt, worker, reason, at=at))
        case FailedByUs(stage=stage, what=what, action=action):
            why = f"{stage}: {what}; {action}" if action else f"{stage}: {what}"
            return _ended(attempt, happened=fail(attempt, worker, why, at=at), boards=True)
        case KernelLost(kernel=kernel, what=what):
            return _ended(attempt, happened=lose(attempt, kernel, what, at=at))


def _goes_on(message: Started | Heartbeat | KernelNoted, attempt: Attempt, *, at: datetime) -> bool:
    if isinstance(message, KernelNoted):
        return note_kernel(attempt, message.worker, message.kernel, at=at)
    return has(attempt, message.worker, at=at)


def _of_half(told: Told, attempt: Attempt, *, boards: bool = False) -> Heard:
    wakes = _wakes(attempt) if told.ended else ()
    return Heard(_WORDS[told], wakes, boards or told in {Told.FINISHED, Told.FAILED})


def _ended(attempt: Attempt, *, happened: bool, boards: bool = False) -> Heard:
    if not happened:
        return Heard(Word.STALE)
    return Heard(Word.ENDED, _wakes(attempt), boards)


def _wakes(attempt: Attempt) -> tuple[str, ...]:
    """The queue that has room now, and the one that the other half goes to."""
    measuring = queues.measurer(attempt.device).queue
    return tuple(sorted({attempt.queue, measuring}))
