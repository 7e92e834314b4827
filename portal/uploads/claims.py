"""Which worker is at a submission: a lease on its row, so that one that was killed is followed by another."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F, Q

from portal.uploads.limits import upload_limits
from portal.uploads.models import Submission
from portal.uploads.submission_words import SubmissionState

BEATS_A_LEASE = 20

Clock = Callable[[], datetime]


class Lost(Exception):
    """The submission is no longer this worker's: it was withdrawn, or another worker took it over."""


@dataclass(frozen=True, slots=True)
class Claim:
    """``submission`` is the row as it was claimed."""

    submission: Submission
    key: str

    def change(self, *, at: datetime, **columns: object) -> None:
        """Write to the row, which ends nothing. Raise Lost where it is another's now."""
        mine = Submission.objects.filter(pk=self.submission.pk, lease_key=self.key)
        if not mine.update(lease_until=at + upload_limits().lease, **columns):
            raise Lost

    def end(self, state: SubmissionState, *, at: datetime, **columns: object) -> None:
        """Move on to a state in which no worker is at the row. Raise Lost where it is another's now."""
        mine = Submission.objects.filter(pk=self.submission.pk, lease_key=self.key)
        ended = {"lease_key": "", "lease_until": None, "tries": 0, "changed_at": at}
        if not mine.update(state=state, **ended, **columns):
            raise Lost


def claim(
    uid: UUID, *, begin: SubmissionState, going: SubmissionState, at: datetime
) -> Claim | None:
    """Begin a step, or go on with it after a worker that was not heard of; None where there is nothing to do."""
    free = Q(state=begin) | Q(state=going, lease_until__lt=at)
    key = secrets.token_hex(16)
    taken = Submission.objects.filter(free, uid=uid).update(
        state=going,
        lease_key=key,
        lease_until=at + upload_limits().lease,
        tries=F("tries") + 1,
        changed_at=at,
    )
    if not taken:
        return None
    row = Submission.objects.filter(uid=uid, lease_key=key).first()
    return Claim(row, key) if row else None


class Heartbeat:
    """Called as often as one likes; extends the lease now and then."""

    def __init__(self, claim: Claim, clock: Clock) -> None:
        self._claim = claim
        self._clock = clock
        self._last = clock()
        self._every = upload_limits().lease / BEATS_A_LEASE

    def __call__(self, **columns: object) -> None:
        """Raise Lost where the submission is no longer this worker's. Columns are written when the lease is."""
        at = self._clock()
        if at - self._last >= self._every:
            self._claim.change(at=at, **columns)
            self._last = at
