"""Finds submissions that wait for a worker that was lost, and uploads that nobody came back for."""

from datetime import datetime, timedelta

from django.db.models import Q

from leaderboard.projection import refresh
from portal.dispatch.waking import wake
from portal.uploads.limits import upload_limits
from portal.uploads.models import Submission
from portal.uploads.spool import spool
from portal.uploads.submission_words import (
    ENDED,
    IMPORT_TASK,
    READ_TASK,
    UNFINISHED,
    SubmissionState,
)

BATCH = 100
_WOKEN_AGAIN = timedelta(minutes=1)
_LOOKED_AGAIN = timedelta(minutes=3)
_TOO_LATE = "It was not confirmed in time, and its bytes were removed. Please upload it again."


def sweep(at: datetime) -> None:
    """Wake what waits, refuse what is too old, remove files that no submission needs; a second time changes nothing."""
    _wake(at)
    _expire(at)
    _remove_files(at)
    _look_again(at)


def _wake(at: datetime) -> None:
    waiting = (
        (SubmissionState.RECEIVED, SubmissionState.READING, READ_TASK),
        (SubmissionState.CONFIRMED, SubmissionState.IMPORTING, IMPORT_TASK),
    )
    for begin, going, task in waiting:
        told = Q(state=begin, changed_at__lt=at - _WOKEN_AGAIN)
        found = Submission.objects.filter(told | Q(state=going, lease_until__lt=at))
        for uid in found.order_by("changed_at").values_list("uid", flat=True)[:BATCH]:
            wake(task, str(uid))


def _expire(at: datetime) -> None:
    """A worker that is at one of these is let finish."""
    old = Submission.objects.filter(
        Q(lease_until=None) | Q(lease_until__lt=at),
        state__in=UNFINISHED,
        changed_at__lt=at - upload_limits().kept,
    )
    for pk in list(old.values_list("pk", flat=True)[:BATCH]):
        old.filter(pk=pk).update(
            state=SubmissionState.REFUSED,
            refused=_TOO_LATE,
            lease_key="",
            lease_until=None,
            changed_at=at,
        )


def _remove_files(at: datetime) -> None:
    """Remove what ended, and what no row knows of. A file is as old as its last part."""
    room = spool()
    ended = {
        one.hex for one in Submission.objects.filter(state__in=ENDED).values_list("uid", flat=True)
    }
    alive = Submission.objects.exclude(state__in=ENDED)
    needed = {one.hex for one in alive.values_list("uid", flat=True)}
    for path in list(room.left_over(before=at - _WOKEN_AGAIN)):
        if path.name in ended:
            path.unlink(missing_ok=True)
    for path in list(room.left_over(before=at - upload_limits().kept)):
        if path.name not in needed:
            path.unlink(missing_ok=True)


def _look_again(at: datetime) -> None:
    """Boards of what was imported or withdrawn a moment ago: whoever did it may have ended before it told them."""
    told = (SubmissionState.IMPORTED, SubmissionState.WITHDRAWN)
    recent = Submission.objects.filter(
        state__in=told, entry__isnull=False, changed_at__gte=at - _LOOKED_AGAIN
    )
    refresh(recent.order_by("-changed_at").values_list("entry", flat=True)[:BATCH], at=at)
