"""Ends attempts of which nothing is heard any more, so that their runs are sent again; twice changes nothing."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation import queues
from evaluation.core.errors import ToolFailure
from evaluation.core.run_words import AttemptState
from evaluation.models import Attempt, Run, Worker
from evaluation.services import lapse, prepare_again
from evaluation.services.attempts import LEASE
from portal.dispatch import fleet
from portal.dispatch.desk import Desk
from portal.dispatch.sending import half_and_device

log = logging.getLogger(__name__)

BATCH = 200  # of each kind a sweep; the next one goes on
BACKLOG = timedelta(seconds=queues.BACKLOG_SECONDS)
# A run that takes any product of its target waits so long for the one that it was prepared for.
UNSERVED = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Swept:
    """How many leases had lapsed, how many messages were lost, how many runs are prepared for another product."""

    lapsed: int = 0
    lost: int = 0
    moved: int = 0


def sweep(desk: Desk, *, at: datetime) -> Swept:
    """Look through everything that is out once.

    Nothing is swept while the broker does not answer: then no worker can be heard. While reports wait to be stored, the
    beat that a lease misses may be among them, and leases get more time.
    """
    try:
        grace = BACKLOG if desk.broker.waiting(queues.REPORTS) else timedelta(0)
        lost = _lost_messages(desk, at=at - grace, now=at)
    except ToolFailure as failure:
        log.warning("nothing was swept: %s; %s", failure.what, failure.action)
        return Swept()
    return Swept(_lapsed_leases(at=at - grace, now=at), lost, _unserved(desk, at=at))


def _lapsed_leases(*, at: datetime, now: datetime) -> int:
    silent = Attempt.objects.filter(state=AttemptState.STARTED, lease_until__lt=at)
    lapsed = 0
    for attempt in silent.select_related("run").order_by("lease_until")[:BATCH]:
        why = f"nothing was heard of {attempt.worker} until its lease ended"
        lapsed += lapse(attempt, why, at=now)
    return lapsed


def _lost_messages(desk: Desk, *, at: datetime, now: datetime) -> int:
    """Lapse messages that no worker will start. Raise ToolFailure where the broker cannot be asked."""
    sent = Attempt.objects.filter(state=AttemptState.SENT, sent_at__lt=at - LEASE)
    lost = 0
    for attempt in sent.select_related("run").order_by("sent_at")[:BATCH]:
        why = _why_lost(attempt, desk, at=at)
        lost += bool(why) and lapse(attempt, why, at=now)
    return lost


def _why_lost(attempt: Attempt, desk: Desk, *, at: datetime) -> str:
    """Why this message is taken for lost, or nothing: a worker may come to it yet."""
    same = Attempt.objects.filter(queue=attempt.queue)
    # Messages of a queue are taken in their order.
    if same.filter(sent_at__gt=attempt.sent_at, started_at__lt=at - LEASE).exists():
        return "a message that was sent later was taken, and this one was not"
    half, _ = half_and_device(attempt.queue)
    if attempt.sent_at < at - fleet.VISIBILITY[half] - LEASE:
        return "it was sent too long ago and never taken"
    busy = same.filter(state=AttemptState.STARTED) | same.filter(ended_at__gt=at - LEASE)
    if not busy.exists() and not desk.broker.waiting(attempt.queue):
        return "the broker has its message no more, and nobody took it"
    return ""


def _unserved(desk: Desk, *, at: datetime) -> int:
    """Prepare runs for another product of their target where nobody has served theirs for long."""
    served = fleet.crews(at)
    heard = set(
        Worker.objects.filter(last_heard_at__gte=at - UNSERVED).values_list("device", flat=True)
    )
    moved = 0
    for product, target in desk.targets.items():
        if product in heard or not any(fleet.serves(target, desk.targets, served)):
            continue
        runs = Run.objects.ready().filter(device=product, device_wanted="")
        moved += sum(prepare_again(run, at=at) for run in runs.order_by("created_at")[:BATCH])
    return moved
