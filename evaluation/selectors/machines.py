"""The machines that judge: queues with their workers, and the devices, as they were last heard of."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max

from evaluation import queues
from evaluation.core.verdict import RunState
from evaluation.models import Device, QueueSwitch, Run, Viewer, Worker


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """One worker, for staff."""

    name: str
    last_heard_at: datetime
    resting: str
    draining: bool
    judge: str
    schema: int
    is_heard: bool


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue: ``heard`` workers spoke lately, ``resting`` of them take no work. ``device`` is empty for preparing.

    ``waiting`` runs are to be done there next; those that any device will do for are counted at the device chosen.
    """

    name: str
    device: str
    heard: int
    resting: int
    last_heard_at: datetime | None
    waiting: int
    paused_at: datetime | None
    why: str
    workers: tuple[WorkerRow, ...]


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """All devices of one product; ``drivers`` are those they were last seen with."""

    product: str
    devices: int
    resting: int
    drivers: tuple[str, ...]
    last_heard_at: datetime


def queue_rows(viewer: Viewer, products: Iterable[str], *, at: datetime) -> tuple[QueueRow, ...]:
    """The prepare queue and that of every product; four queries. Names of workers are for staff."""
    workers: dict[str, list[Worker]] = {}
    for worker in Worker.objects.order_by("name"):
        workers.setdefault(worker.queue, []).append(worker)
    switches = {one.queue: one for one in QueueSwitch.objects.filter(paused_at__isnull=False)}
    preparing = Run.objects.filter(state=RunState.WAITING).count()
    measuring = dict(
        Run.objects.ready()
        .order_by()
        .values_list("device")
        .annotate(number=Count("pk"))
        .values_list("device", "number")
    )
    places = [(queues.PREPARE, "", preparing)]
    places += [(queues.measurer(one).queue, one, measuring.get(one, 0)) for one in products]
    return tuple(
        _queue(
            (name, device),
            workers.get(name, []),
            switches.get(name),
            waiting=waiting,
            is_staff=viewer.staff,
            at=at,
        )
        for name, device, waiting in places
    )


def device_rows() -> tuple[DeviceRow, ...]:
    """One row a product; one query a product and one more."""
    products = Device.objects.order_by().values("product").annotate(newest=Max("last_heard_at"))
    return tuple(_device(one["product"], one["newest"]) for one in products.order_by("product"))


def _queue(
    place: tuple[str, str],
    workers: list[Worker],
    switch: QueueSwitch | None,
    *,
    waiting: int,
    is_staff: bool,
    at: datetime,
) -> QueueRow:
    name, device = place
    silence = queues.DEVICE_SILENCE_SECONDS if device else queues.PREPARE_SILENCE_SECONDS
    since = at - timedelta(seconds=silence)
    heard = [one for one in workers if one.last_heard_at >= since]
    return QueueRow(
        name=name,
        device=device,
        heard=len(heard),
        resting=sum(bool(one.resting) or one.draining for one in heard),
        last_heard_at=max((one.last_heard_at for one in workers), default=None),
        waiting=waiting,
        paused_at=switch.paused_at if switch else None,
        why=switch.why if switch else "",
        workers=tuple(_worker(one, since) for one in workers) if is_staff else (),
    )


def _worker(one: Worker, since: datetime) -> WorkerRow:
    return WorkerRow(
        one.name,
        one.last_heard_at,
        one.resting,
        one.draining,
        one.judge,
        one.schema,
        one.last_heard_at >= since,
    )


def _device(product: str, newest: datetime) -> DeviceRow:
    found = Device.objects.filter(product=product)
    drivers = found.exclude(driver="").order_by("driver").values_list("driver", flat=True)
    return DeviceRow(
        product=product,
        devices=found.count(),
        resting=found.exclude(resting="").count(),
        drivers=tuple(drivers.distinct()),
        last_heard_at=newest,
    )
