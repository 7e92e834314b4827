"""Queues, workers and known kernels as lines of a table, for staff on the command line."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from evaluation import queues
from evaluation.core.quoting import on_one_line
from evaluation.models import Attempt, QueueSwitch, Viewer, Worker
from evaluation.selectors.canaries import canary_rows
from portal.dispatch import fleet
from portal.dispatch.sending import waiting_runs

MOST_WORKERS_SHOWN = 200
_QUEUES = "{:18}  {:>7}  {:>4}  {:>7}  {:>6}  {}"
_CANARIES = "{:40}  {:18}  {:>6}  {:>6}  {:>11}  {:>9}  {:>4}  {}"
_CANARY_HEAD = ("worker", "known kernel", "heard", "ratio", "band", "SM/memory", "degC")
_WORKERS = "{:40}  {:18}  {:>6}  {}"


def queue_lines(products: Sequence[str], *, at: datetime) -> Iterator[str]:
    """A head and one line a queue: waiting runs, attempts that are out, workers, the oldest wait, and the pause."""
    crews = fleet.crews(at)
    switches = dict(QueueSwitch.objects.values_list("queue", "why"))
    yield _QUEUES.format("queue", "waiting", "out", "workers", "oldest", "").rstrip()
    for queue in (queues.PREPARE, *(queues.measurer(one).queue for one in products)):
        waiting = waiting_runs(queue, at=at)
        out = Attempt.objects.live().filter(queue=queue).count()
        oldest = waiting.order_by("created_at").values_list("created_at", flat=True).first()
        crew = crews.get(queue)
        said = f"paused: {on_one_line(switches[queue])}" if switches.get(queue) else ""
        if not said and crew is not None and crew.resting:
            said = f"{crew.known - crew.taking} take no work: {on_one_line(crew.resting)}"
        yield _QUEUES.format(
            queue,
            waiting.count(),
            out,
            f"{crew.taking}/{crew.known}" if crew else "0",
            _age(oldest, at) if oldest else "-",
            said,
        ).rstrip()


def worker_lines(*, at: datetime) -> Iterator[str]:
    """A head and one line a worker, the one that was heard of last first."""
    yield _WORKERS.format("worker", "queue", "heard", "").rstrip()
    for one in Worker.objects.order_by("-last_heard_at", "name")[:MOST_WORKERS_SHOWN]:
        said = "draining" if one.draining else on_one_line(one.resting)
        yield _WORKERS.format(one.name, one.queue, _age(one.last_heard_at, at), said).rstrip()


def canary_lines(*, at: datetime) -> Iterator[str]:
    """A head and one line a worker and known kernel, as it last ran there; nothing where none was heard of lately."""
    rows = canary_rows(Viewer(frozenset(), staff=True), at=at)
    if not rows:
        return
    yield _CANARIES.format(*_CANARY_HEAD, "").rstrip()
    for one in rows:
        yield _CANARIES.format(
            one.worker,
            one.kernel,
            _age(one.heard_at, at),
            "-" if one.ratio is None else f"{one.ratio:.3f}",
            f"{one.band[0]:.3f}-{one.band[1]:.3f}" if one.band else "-",
            _figures(one.sm_mhz, one.memory_mhz),
            _figures(one.temperature_c),
            on_one_line(one.said) or "well",
        ).rstrip()


def _figures(*values: int | None) -> str:
    return "/".join("-" if one is None else str(one) for one in values)


def _age(since: datetime, at: datetime) -> str:
    seconds = max(int((at - since).total_seconds()), 0)
    for length, letter in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= 2 * length:
            return f"{seconds // length}{letter}"
    return f"{seconds}s"
