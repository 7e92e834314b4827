"""The machines as they were last heard of, and what staff decide about them and their queues."""

import hashlib
import logging
from datetime import datetime, timedelta

from evaluation.core import wire
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.seen import DeviceSeen
from evaluation.core.messages import Versions
from evaluation.models import Device, QueueSwitch, Worker
from evaluation.services.stored_text import stored

log = logging.getLogger(__name__)

MOST_WORKERS = 2000  # rows; a pool process that is replaced has a new name
MOST_DEVICES = 1000
FORGOTTEN = timedelta(days=7)  # silent rows make place for new ones
_LARGEST_INTEGER = 2**31 - 1
_LARGEST_DEVICE_BYTES = 16 * 1024


def note_worker(
    name: str,
    versions: Versions,
    *,
    queue: str,
    at: datetime,
    resting: str | None = None,
) -> bool:
    """Write that a worker was heard of; False where there are too many. What staff decided stays as it is.

    ``resting`` None leaves that as it was. Names are anybody's word who may write to the queue of reports, so the one
    that was silent for longest makes place: whoever is there speaks again soon, and names that were made up do not keep
    it out.
    """
    _, _, device = queue.partition(".")
    columns: dict[str, object] = {
        "queue": queue,
        "device": device,
        "last_heard_at": at,
        "schema": min(max(versions.schema, 0), _LARGEST_INTEGER),
        "judge": stored(versions.judge, 20),
    }
    if resting is not None:
        columns["resting"] = stored(resting, 500)
    if Worker.objects.filter(name=name).update(**columns):
        return True
    Worker.objects.filter(last_heard_at__lt=at - FORGOTTEN, draining=False).delete()
    if not _has_place():
        log.warning("worker %s is not noted: there are %d already", name, MOST_WORKERS)
        return False
    Worker.objects.bulk_create([Worker(name=name, **columns)], ignore_conflicts=True)
    return True


def _has_place() -> bool:
    """Whether another worker fits, after the most silent one that nobody decided about was forgotten for it."""
    if Worker.objects.count() < MOST_WORKERS:
        return True
    silent = Worker.objects.filter(draining=False).order_by("last_heard_at", "pk")
    return bool(
        Worker.objects.filter(pk__in=list(silent.values_list("pk", flat=True)[:1])).delete()[0]
    )


def note_device(product: str, seen: DeviceSeen, *, resting: str, at: datetime) -> None:
    """Write what a GPU was last seen as; its uuid is kept as a digest."""
    columns = {
        "product": product,
        "driver": stored(seen.driver, 40),
        "resting": stored(resting, 500),
        "last_heard_at": at,
        "seen": _seen(seen),
    }
    digest = hashlib.sha256(seen.uuid.encode("utf-8", "replace")).hexdigest()
    if Device.objects.filter(uuid_digest=digest).update(**columns):
        return
    if Device.objects.count() < MOST_DEVICES:
        Device.objects.bulk_create([Device(uuid_digest=digest, **columns)], ignore_conflicts=True)


def lock_queue(queue: str) -> QueueSwitch:
    """The switch of a queue, held until the transaction at hand ends: one dispatcher at a time fills a queue."""
    QueueSwitch.objects.get_or_create(queue=queue)
    return QueueSwitch.objects.select_for_update().get(queue=queue)


def pause_queue(queue: str, *, why: str, by: str, at: datetime) -> bool:
    """Send nothing more to a queue; what is out goes on. False where it is paused already."""
    if not why.strip():
        rule = "is missing; who waits will read it"
        raise InvalidInput(where="queue", key="why", rule=rule)
    QueueSwitch.objects.get_or_create(queue=queue)
    there = QueueSwitch.objects.filter(queue=queue, paused_at=None)
    return there.update(paused_at=at, why=stored(why.strip(), 150), by=stored(by, 64)) == 1


def resume_queue(queue: str, *, by: str) -> bool:
    """Send to a queue again; False where it is not paused."""
    there = QueueSwitch.objects.filter(queue=queue, paused_at__isnull=False)
    return there.update(paused_at=None, why="", by=stored(by, 64)) == 1


def set_draining(name: str, *, draining: bool) -> bool:
    """Count a worker among those that messages are sent for, or not; False where it is unknown or so already."""
    there = Worker.objects.filter(name=name, draining=not draining)
    return there.update(draining=draining) == 1


def _seen(seen: DeviceSeen) -> str:
    text = wire.encode(seen).decode("ascii")
    return text if len(text) <= _LARGEST_DEVICE_BYTES else ""
