"""What an owner decides about their upload: confirm it, or take it back."""

from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef

from evaluation.core import wire
from evaluation.models import Entry, Run, Turn
from evaluation.services import cancel as cancel_run
from evaluation.services import withdraw as withdraw_entry
from leaderboard.projection import refresh
from portal.dispatch.waking import wake, wake_dispatch
from portal.uploads.choices import Choices
from portal.uploads.importing import WITHDRAWN_EARLY
from portal.uploads.models import Submission
from portal.uploads.spool import spool
from portal.uploads.submission_words import IMPORT_TASK, SubmissionState

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
    mine = Submission.objects.filter(pk=submission.pk, state__in=_NOT_IMPORTED)
    # Whoever is at it finds that it is theirs no more.
    done = mine.update(
        state=SubmissionState.WITHDRAWN, lease_key="", lease_until=None, changed_at=at
    )
    if not done:
        return False
    spool().remove(submission.uid)
    submission.refresh_from_db()
    if submission.entry and withdraw_entry(submission.entry, reason=WITHDRAWN_EARLY, at=at):
        _take_off(submission.entry, at=at)
    return True


@transaction.atomic
def withdraw(submission: Submission, *, reason: str, at: datetime) -> bool:
    """Withdraw an imported entry for good; False where there is none. Raise InvalidInput without a reason."""
    if submission.entry is None or not withdraw_entry(submission.entry, reason=reason, at=at):
        return False
    mine = Submission.objects.filter(pk=submission.pk, state=SubmissionState.IMPORTED)
    mine.update(state=SubmissionState.WITHDRAWN, changed_at=at)
    _take_off(submission.entry, at=at)
    return True


def _take_off(entry: Entry, *, at: datetime) -> None:
    """End what is still judged for this entry alone, and take it off the boards once it is committed.

    A kernel that another entry of its owner has is judged on.
    """
    kernels = Turn.objects.filter(trajectory__entry=entry, kernel__isnull=False)
    elsewhere = Turn.objects.filter(
        kernel=OuterRef("kernel"),
        trajectory__entry__owner=entry.owner,
        trajectory__entry__withdrawn_at=None,
    )
    pending = Run.objects.pending().filter(
        ~Exists(elsewhere), owner=entry.owner, kernel__in=kernels.values("kernel")
    )
    for run in list(pending):
        cancel_run(run, at=at)
    wake_dispatch()
    # A robust one: what fails here is found by the sweep, and the withdrawal stands.
    transaction.on_commit(partial(refresh, [entry.pk], at=at), robust=True)
