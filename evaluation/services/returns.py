"""How an attempt ends without its half: handed back, failed by us, lapsed, lost or no longer wanted.

The run goes back to where it waited, or is over. Nothing here is ever a verdict.
"""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from evaluation.core.run_words import LIVE_ATTEMPTS, PENDING_RUNS, AttemptState, Half
from evaluation.core.verdict import RunState
from evaluation.models import Attempt, Run
from evaluation.services.attempts import BEFORE, DURING, MOST_ATTEMPTS
from evaluation.services.stored_text import stored

log = logging.getLogger(__name__)

FAILURES_ALLOWED = 2  # the third ends the run: what fails every time is for a person


@dataclass(frozen=True, slots=True)
class Pause:
    """Seconds before the next try after the first, second … return of a kind; each is twice the one before."""

    free: int  # so many returns cost no pause
    first: int
    most: int

    def after(self, returns: int) -> timedelta:
        doublings = min(max(returns - self.free - 1, 0), 20)
        seconds = min(self.first * 2**doublings, self.most) if returns > self.free else 0
        return timedelta(seconds=seconds)


HANDED_BACK = Pause(free=1, first=15, most=600)
FAILED = Pause(free=0, first=30, most=600)
LAPSED = Pause(free=1, first=60, most=3600)


@transaction.atomic
def hand_back(attempt: Attempt, worker: str, reason: str, *, at: datetime) -> bool:
    """End an attempt that its worker does not judge; nobody is to blame, and another try follows."""
    if not _end(attempt, AttemptState.HANDED_BACK, reason, at=at, by=worker):
        return False
    _put_back(attempt, AttemptState.HANDED_BACK, HANDED_BACK, at=at)
    return True


@transaction.atomic
def fail(attempt: Attempt, worker: str, why: str, *, at: datetime) -> bool:
    """End an attempt by a failure of ours; the third failure of a run abandons it and tells staff in the log."""
    if not _end(attempt, AttemptState.FAILED, why, at=at, by=worker):
        return False
    Run.objects.filter(pk=attempt.run_id, state=DURING[Half(attempt.half)]).update(
        failures=F("failures") + 1
    )
    failures = Run.objects.values_list("failures", flat=True).get(pk=attempt.run_id)
    if failures > FAILURES_ALLOWED:
        _abandon(attempt, f"failed by us {failures} times, the last time: {why}", at=at)
    else:
        _put_back(attempt, AttemptState.FAILED, FAILED, at=at)
    return True


@transaction.atomic
def lapse(attempt: Attempt, why: str, *, at: datetime) -> bool:
    """End an attempt of which nothing was heard: its lease is over, or it was sent and never started.

    ``attempt`` says what was seen; False where anything was heard since.
    """
    there = Attempt.objects.filter(
        pk=attempt.pk, state=attempt.state, lease_until=attempt.lease_until
    )
    if there.update(**_ending(AttemptState.LAPSED, why, at)) != 1:
        return False
    started = attempt.state == AttemptState.STARTED
    _put_back(attempt, AttemptState.LAPSED, LAPSED if started else None, at=at)
    return True


@transaction.atomic
def lose(attempt: Attempt, kernel: str, what: str, *, at: datetime) -> bool:
    """Count a GPU or worker that went down while the kernel of this attempt ran, once (rule T6).

    ``kernel`` is the SHA-256 of its plan. A live attempt ends; the next one tells its worker how many losses there
    were, and after the second the kernel is not launched again. False where it was counted before, or is of another
    kernel.
    """
    there = Attempt.objects.filter(
        pk=attempt.pk, half=Half.MEASURE, lost=False, run__plan__sha256=kernel
    )
    if there.update(lost=True) != 1:
        return False
    Run.objects.filter(pk=attempt.run_id, state__in=PENDING_RUNS).update(losses=F("losses") + 1)
    live = Attempt.objects.live().filter(pk=attempt.pk)
    if live.update(**_ending(AttemptState.LAPSED, what, at)) == 1:
        _put_back(attempt, AttemptState.LAPSED, None, at=at)
    return True


@transaction.atomic
def cancel(run: Run, *, at: datetime) -> bool:
    """End a run that has not ended, and drop the attempt that is out; False where it has."""
    there = Run.objects.filter(pk=run.pk, state__in=PENDING_RUNS)
    ending = _ending(AttemptState.DROPPED, "the run was cancelled", at)
    # Attempt before run, as every message takes them; a second time for one that was made while we waited for the run.
    Attempt.objects.live().filter(run=run).update(**ending)
    gone = there.update(state=RunState.CANCELLED, **_over(at))
    Attempt.objects.live().filter(run=run).update(**ending)
    return gone == 1


@transaction.atomic
def prepare_again(run: Run, *, at: datetime) -> bool:
    """Let a run that waits for its device be prepared for another one; False where it does not wait, or wants that one.

    What was prepared is forgotten: a plan is recorded for one product.
    """
    there = Run.objects.filter(pk=run.pk, state=RunState.READY, device_wanted="")
    moved = there.update(
        state=RunState.WAITING,
        device="",
        plan=None,
        cubin=None,
        facts=None,
        waits_for="",
        not_before=at,
    )
    return moved == 1


def _over(at: datetime) -> dict[str, object]:
    return {"finished_at": at, "boards_due_at": at, "waits_for": "", "not_before": None}


def _ending(state: AttemptState, why: str, at: datetime) -> dict[str, object]:
    return {"state": state, "ended_at": at, "ended_why": stored(why, 500)}


def _end(attempt: Attempt, state: AttemptState, why: str, *, at: datetime, by: str) -> bool:
    """End an attempt that this worker has, or nobody yet."""
    theirs = Q(state=AttemptState.SENT) | Q(state=AttemptState.STARTED, worker=by)
    there = Attempt.objects.filter(theirs, pk=attempt.pk, state__in=LIVE_ATTEMPTS)
    return there.update(worker=by, **_ending(state, why, at)) == 1


def _put_back(attempt: Attempt, kind: AttemptState, pause: Pause | None, *, at: datetime) -> None:
    half = Half(attempt.half)
    if attempt.number >= MOST_ATTEMPTS:
        _abandon(attempt, f"not judged in {attempt.number} attempts", at=at)
        return
    columns: dict[str, object] = {"state": BEFORE[half], "not_before": None}
    if pause is not None:
        same = Attempt.objects.filter(run=attempt.run_id, half=half, state=kind)
        if kind is AttemptState.LAPSED:
            same = same.filter(started_at__isnull=False)
        columns["not_before"] = at + pause.after(same.count())
    if half is Half.PREPARE:
        columns["device"] = ""  # chosen anew when it is sent
    Run.objects.filter(pk=attempt.run_id, state=DURING[half]).update(**columns)


def _abandon(attempt: Attempt, why: str, *, at: datetime) -> None:
    there = Run.objects.filter(pk=attempt.run_id, state=DURING[Half(attempt.half)])
    if there.update(state=RunState.ABANDONED, **_over(at)) == 1:
        log.error("run %s is abandoned: %s", attempt.run.uid, stored(why, 500))
