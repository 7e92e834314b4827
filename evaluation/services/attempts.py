"""An attempt from its making to its lease. Every step is one guarded update, and the number of rows is the answer."""

import hashlib
import hmac
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Exists, Max, OuterRef, Q

from evaluation import queues
from evaluation.core.run_words import AttemptState, Half
from evaluation.core.verdict import RunState
from evaluation.models import Attempt, Run
from evaluation.models.runs import RunQuerySet
from evaluation.services.stored_text import stored

LEASE = timedelta(seconds=queues.LEASE_SECONDS)
MOST_ATTEMPTS = 1000  # of one half of a run; the messages count no further

BEFORE = {Half.PREPARE: RunState.WAITING, Half.MEASURE: RunState.READY}
DURING = {Half.PREPARE: RunState.PREPARING, Half.MEASURE: RunState.MEASURING}


def key_digest(key: str) -> str:
    """What the database keeps of a report key, lower-case hex."""
    return hashlib.sha256(key.encode()).hexdigest()


def has_key(attempt: Attempt, key: str) -> bool:
    return hmac.compare_digest(attempt.key_digest, key_digest(key))


def sendable(at: datetime) -> Q:
    """Runs that are not to wait until later."""
    return Q(not_before=None) | Q(not_before__lte=at)


def create_attempt(
    run: Run, half: Half, *, queue: str, device: str, digest: str, at: datetime
) -> Attempt | None:
    """Make the attempt of this half that is about to be sent, on a device; None where somebody else did, or it waits.

    ``digest`` is of its report key. A measure half is for the device that its plan was recorded for.
    """
    try:
        with transaction.atomic():
            free = Run.objects.filter(sendable(at), pk=run.pk, state=BEFORE[half])
            if half is Half.MEASURE:
                free = free.filter(device=device)
            taken = free.update(state=DURING[half], device=device, waits_for="", not_before=None)
            if taken != 1:
                return None
            earlier = Attempt.objects.filter(run=run, half=half).aggregate(most=Max("number"))
            return Attempt.objects.create(
                run=run,
                half=half,
                number=(earlier["most"] or 0) + 1,
                queue=queue,
                device=device,
                key_digest=digest,
                sent_at=at,
            )
    except IntegrityError:  # a live attempt of a run that waits: the sweep ends it first
        return None


def say_waits_for(runs: RunQuerySet, sentence: str) -> None:
    """Write what these runs wait for, but for those that are out again; an empty sentence clears it."""
    said = stored(sentence, 200)
    live = Attempt.objects.live().filter(run=OuterRef("pk"))
    others = runs.exclude(waits_for=said)
    if others.exists():
        others.exclude(Exists(live)).update(waits_for=said)


def bind(attempt: Attempt, worker: str, *, at: datetime) -> bool:
    """Give the attempt to the worker that speaks of it first, and start its lease; False where one has it."""
    there = Attempt.objects.filter(pk=attempt.pk, state=AttemptState.SENT)
    return (
        there.update(
            state=AttemptState.STARTED, worker=worker, started_at=at, lease_until=at + LEASE
        )
        == 1
    )


def extend(attempt: Attempt, worker: str, *, at: datetime) -> bool:
    """Lengthen the lease of the worker that has the attempt; False where it has not, or not any more."""
    there = Attempt.objects.filter(pk=attempt.pk, state=AttemptState.STARTED, worker=worker)
    return there.update(lease_until=at + LEASE) == 1


def has(attempt: Attempt, worker: str, *, at: datetime) -> bool:
    """Whether this worker may speak of the attempt: it has it already, or gets it now and lengthens its lease.

    The first message may not be the first that arrives, so each of them binds.
    """
    return bind(attempt, worker, at=at) or extend(attempt, worker, at=at)
