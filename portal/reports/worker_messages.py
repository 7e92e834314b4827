"""What workers say of themselves: rows of Worker and Device, as they were last heard of."""

import hashlib
import logging
import re
from datetime import datetime

from evaluation import queues
from evaluation.core import wire
from evaluation.core.messages import AttemptMessage, CanaryReported, DeviceHeartbeat, Versions
from evaluation.models import Device, Worker
from evaluation.services import stored
from portal.reports.heard import Heard, Word

log = logging.getLogger(__name__)

MOST_WORKERS = 2000  # rows; a pool process that is replaced has a new name
MOST_DEVICES = 1000
_PRODUCT = re.compile(r"[a-z0-9][a-z0-9\-]{0,39}\Z")


def note_worker(message: AttemptMessage, *, queue: str, at: datetime) -> None:
    """Note that this worker takes from the queue of an attempt whose key it has."""
    _, _, device = queue.partition(".")
    _write(message.worker, message.versions, queue=queue, device=device, at=at)


def hear_device(message: DeviceHeartbeat, *, at: datetime) -> Heard:
    """Note a measure worker with its device, and the GPU where it was seen."""
    if not _PRODUCT.match(message.device):
        return Heard(Word.REFUSED)
    queue = queues.measurer(message.device).queue
    before = Worker.objects.filter(name=message.worker).values_list("resting", flat=True).first()
    noted = _write(
        message.worker,
        message.versions,
        queue=queue,
        device=message.device,
        at=at,
        resting=message.resting,
    )
    if message.seen is not None and noted:
        _write_device(message, at=at)
    # A worker that comes, or that ends its rest, has room.
    came = noted and not message.resting and before != ""
    return Heard(Word.NOTED if noted else Word.REFUSED, (queue,) if came else ())


def hear_canary(message: CanaryReported, *, at: datetime) -> Heard:
    """Note the worker; a canary that is not well is told to staff in the log, and rests the device by its heartbeat."""
    if not _PRODUCT.match(message.device):
        return Heard(Word.REFUSED)
    queue = queues.measurer(message.device).queue
    _write(message.worker, message.versions, queue=queue, device=message.device, at=at)
    for one in message.runs:
        if not one.well:
            said = stored(f"{one.name}: {one.said}", 500)
            log.error("a canary of %s is not well: %s", message.worker, said)
    return Heard(Word.NOTED)


def _write(
    name: str,
    versions: Versions,
    *,
    queue: str,
    device: str,
    at: datetime,
    resting: str | None = None,
) -> bool:
    """Write the row of a worker; False where there are too many. What only staff decide stays as it is."""
    columns: dict[str, object] = {
        "queue": queue,
        "device": device,
        "last_heard_at": at,
        "schema": min(max(versions.schema, 0), 2**31 - 1),
        "judge": stored(versions.judge, 20),
    }
    if resting is not None:
        columns["resting"] = stored(resting, 500)
    if Worker.objects.filter(name=name).update(**columns):
        return True
    if Worker.objects.count() >= MOST_WORKERS:
        log.warning("worker %s is not noted: there are %d already", name, MOST_WORKERS)
        return False
    Worker.objects.bulk_create([Worker(name=name, **columns)], ignore_conflicts=True)
    return True


def _write_device(message: DeviceHeartbeat, *, at: datetime) -> None:
    assert message.seen is not None
    digest = hashlib.sha256(message.seen.uuid.encode("utf-8", "replace")).hexdigest()
    columns = {
        "product": message.device,
        "driver": stored(message.seen.driver, 40),
        "resting": stored(message.resting, 500),
        "last_heard_at": at,
        "seen": wire.encode(message.seen).decode("ascii")[:16384],
    }
    if Device.objects.filter(uuid_digest=digest).update(**columns):
        return
    if Device.objects.count() < MOST_DEVICES:
        Device.objects.bulk_create([Device(uuid_digest=digest, **columns)], ignore_conflicts=True)
