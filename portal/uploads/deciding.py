"""What an owner decides about their upload: confirm it, or take it back."""

from datetime import datetime

from django.db import transaction

from evaluation.core import wire
from evaluation.services import withdraw as withdraw_entry
from portal.dispatch.waking import wake
from portal.uploads.choices import Choices
from portal.uploads.models import Submission
from portal.uploads.spool import spool
from portal.uploads.submission_words import IMPORT_TASK, SubmissionState
from portal.uploads.taking_off import WITHDRAWN_EARLY, take_off

_NOT_IMPORTED = tuple(
    state
    for state in SubmissionState
    if state not in {SubmissionState.IMPORTED, SubmissionState.REFUSED, SubmissionState.WITHDRAWN}
)


@transaction.atomic
def confirm(submission: Submission, choices: Choices, *, at: datetime) -> bool:
    """Have an upload imported as its owner says; False where it waits for no confirmation."""
    mine = Submission.objects.filter(pk=submission.pk, state=SubmissionState.UNDERSTOOD)
    done = mine.update(
        state=SubmissionState.CONFIRMED, choices=wire.encode(choices).decode(), changed_at=at
    )
    if done:
        wake(IMPORT_TASK, str(submission.uid))
    return bool(done)


def cancel(submission: Submission, *, at: datetime) -> bool:
    """Take back what is not imported yet; False where it is, or was taken back. A part that is stored is hidden."""
    if not _taken_back(submission, at=at):
        return False
    spool().remove(submission.uid)
    return True


@transaction.atomic
def _taken_back(submission: Submission, *, at: datetime) -> bool:
    """The upload and what is stored of it, both or neither: nobody may withdraw an entry of one that is taken back."""
    mine = Submission.objects.filter(pk=submission.pk, state__in=_NOT_IMPORTED)
    # Whoever is at it finds that it is theirs no more.
    done = mine.update(
        state=SubmissionState.WITHDRAWN, lease_key="", lease_until=None, changed_at=at
    )
    submission.refresh_from_db()
    entry = submission.entry
    if done and entry and withdraw_entry(entry, reason=WITHDRAWN_EARLY, at=at):
        take_off(entry, at=at)
    return bool(done)


@transaction.atomic
def withdraw(submission: Submission, *, reason: str, at: datetime) -> bool:
    """Withdraw an imported entry for good; False where there is none. Raise InvalidInput without a reason."""
    if submission.entry is None or not withdraw_entry(submission.entry, reason=reason, at=at):
        return False
    mine = Submission.objects.filter(pk=submission.pk, state=SubmissionState.IMPORTED)
    mine.update(state=SubmissionState.WITHDRAWN, changed_at=at)
    take_off(submission.entry, at=at)
    return True
