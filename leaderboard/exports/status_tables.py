"""What the page of the machines shows as tables to save: queues, their workers, devices and known kernels."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from evaluation.selectors.canaries import CanaryRow
from evaluation.selectors.machines import DeviceRow, QueueRow, WorkerRow
from leaderboard.exports.table import Column, Table, Value
from leaderboard.templatetags.figures import shown

# As on the page: what a machine or a person wrote is cut there too.
WHY_CHARACTERS = 150
SAID_CHARACTERS = 200
RESTING_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class QueueWorker:
    """A worker with the queue that it takes from."""

    queue: QueueRow
    worker: WorkerRow


def queues_table(queues: Sequence[QueueRow], *, page: str) -> Table[QueueRow]:
    columns: list[Column[QueueRow]] = [
        Column("queue", lambda one: one.name),
        Column("device", lambda one: one.device),
        Column("state", _state),
        Column("paused_why", lambda one: shown(one.why, WHY_CHARACTERS)),
        Column("workers_heard", lambda one: one.heard),
        Column("workers_resting", lambda one: one.resting),
        Column("runs_waiting", lambda one: one.waiting),
        Column("last_heard_at", lambda one: _written(one.last_heard_at)),
    ]
    return Table("queues", {"page": page}, columns, queues)


def workers_table(queues: Iterable[QueueRow], *, page: str) -> Table[QueueWorker]:
    """Those that the rows of the queues have: what a viewer is not shown there is not here."""
    columns: list[Column[QueueWorker]] = [
        Column("queue", lambda one: one.queue.name),
        Column("device", lambda one: one.queue.device),
        Column("worker", lambda one: one.worker.name),
        Column("judge", lambda one: one.worker.judge),
        Column("schema", lambda one: one.worker.schema),
        Column("draining", lambda one: one.worker.draining),
        Column("resting", lambda one: shown(one.worker.resting, RESTING_CHARACTERS)),
        Column("is_heard", lambda one: one.worker.is_heard),
        Column("last_heard_at", lambda one: _written(one.worker.last_heard_at)),
    ]
    rows = tuple(QueueWorker(queue, worker) for queue in queues for worker in queue.workers)
    return Table("workers", {"page": page}, columns, rows)


def devices_table(devices: Sequence[DeviceRow], *, page: str) -> Table[DeviceRow]:
    columns: list[Column[DeviceRow]] = [
        Column("product", lambda one: one.product),
        Column("devices", lambda one: one.devices),
        Column("out_of_service", lambda one: one.resting),
        Column("drivers", lambda one: " ".join(one.drivers)),
        Column("last_heard_at", lambda one: _written(one.last_heard_at)),
    ]
    return Table("devices", {"page": page}, columns, devices)


def known_kernels_table(readings: Sequence[CanaryRow], *, page: str) -> Table[CanaryRow]:
    """The column of workers is empty for whom the rows do not name them."""

    def expected(place: int) -> Callable[[CanaryRow], Value]:
        return lambda one: one.band[place] if one.band else None

    columns: list[Column[CanaryRow]] = [
        Column("kernel", lambda one: one.kernel),
        Column("product", lambda one: one.product),
        Column("worker", lambda one: one.worker),
        Column("ratio", lambda one: one.ratio),
        Column("expected_low", expected(0)),
        Column("expected_high", expected(1)),
        Column("is_well", lambda one: not one.said),
        Column("said", lambda one: shown(one.said, SAID_CHARACTERS)),
        Column("sm_mhz", lambda one: one.sm_mhz),
        Column("memory_mhz", lambda one: one.memory_mhz),
        Column("temperature_c", lambda one: one.temperature_c),
        Column("heard_at", lambda one: _written(one.heard_at)),
    ]
    return Table("known_kernels", {"page": page}, columns, readings)


def _state(one: QueueRow) -> str:
    if one.paused_at:
        return "paused"
    if not one.heard:
        return "no_worker"
    return "resting" if one.heard == one.resting else "serving"


def _written(at: datetime | None) -> str:
    return at.isoformat() if at else ""
