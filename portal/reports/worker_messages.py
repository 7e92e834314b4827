"""What workers say of themselves, unproven: at most it draws messages to a queue, where they wait and are swept."""

import logging
import re
from datetime import datetime, timedelta

from evaluation import queues
from evaluation.core.messages import CanaryReported, DeviceHeartbeat
from evaluation.models import Worker
from evaluation.services import keep_readings, note_device, note_worker, stored
from portal.reports.heard import Heard, Word

log = logging.getLogger(__name__)

_PRODUCT = re.compile(r"[a-z0-9][a-z0-9\-]{0,39}\Z")


def hear_device(message: DeviceHeartbeat, *, at: datetime) -> Heard:
    """Note a measure worker, and its GPU where it was seen."""
    if not _PRODUCT.match(message.device):
        return Heard(Word.REFUSED)
    queue = queues.measurer(message.device).queue
    before = Worker.objects.filter(name=message.worker).values_list("resting", flat=True).first()
    resting = message.resting
    if not note_worker(message.worker, message.versions, queue=queue, at=at, resting=resting):
        return Heard(Word.REFUSED)
    if message.seen is not None:
        note_device(message.device, message.seen, resting=resting, at=at)
    # A worker that comes, or that ends its rest, has room.
    came = not resting and before != ""
    return Heard(Word.NOTED, (queue,) if came else ())


def was_heard(worker: str, *, at: datetime) -> bool:
    """Whether a worker is known and was heard of lately."""
    since = at - timedelta(seconds=queues.PREPARE_SILENCE_SECONDS)
    return Worker.objects.filter(name=worker, last_heard_at__gte=since).exists()


def hear_canary(message: CanaryReported, *, at: datetime) -> Heard:
    """Note the worker and its readings, and tell staff in the log of a canary that is not well.

    The worker's next beat says that it rests.
    """
    if not _PRODUCT.match(message.device):
        return Heard(Word.REFUSED)
    queue = queues.measurer(message.device).queue
    note_worker(message.worker, message.versions, queue=queue, at=at)
    keep_readings(message.worker, message.runs, at=at)
    for one in message.runs:
        if not one.well:
            said = stored(f"{one.name}: {one.said}", 500)
            log.error("a canary of %s is not well: %s", message.worker, said)
    return Heard(Word.NOTED)
