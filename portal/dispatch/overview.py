"""Queues and workers as lines of a table, for staff on the command line."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from evaluation import queues
from evaluation.core.quoting import on_one_line
from evaluation.models import Attempt, QueueSwitch, Worker
from portal.dispatch import fleet
from portal.dispatch.sending import waiting_runs

MOST_WORKERS_SHOWN = 200
_QUEUES = "{:18}  {:>7}  {:>4}  {:>7}  {:>6}  {}"
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


def _age(since: datetime, at: datetime) -> str:
    seconds = max(int((at - since).total_seconds()), 0)
    for length, letter in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= 2 * length:
            return f"{seconds // length}{letter}"
    return f"{seconds}s"
