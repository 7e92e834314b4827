"""Which workers take work, as far as they were heard of, and how long the wait for each product is."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count

from evaluation import queues
from evaluation.core.messages import Versions
from evaluation.core.run_words import Half
from evaluation.core.verdict import RunState, Target
from evaluation.models import Run, Worker

# A measure worker beats, busy or not; a prepare worker speaks only while it has a job.
SILENCE = {
    queues.MEASURE: timedelta(seconds=queues.DEVICE_SILENCE_SECONDS),
    queues.PREPARE: timedelta(seconds=queues.PREPARE_SILENCE_SECONDS),
}
VISIBILITY = {
    Half.PREPARE: timedelta(seconds=queues.PREPARE_LIMITS.visibility),
    Half.MEASURE: timedelta(seconds=queues.MEASURE_LIMITS.visibility),
}
MESSAGES_A_WORKER = 2  # one that it does, and one that it finds when that is done
MOST_WORKERS = 64  # of one queue are counted: a host may say that it is many
# What a kernel is prepared for where nobody serves its target yet: products with a measured table.
_FIRST_CHOICE = {Target.HOPPER: "h200", Target.BLACKWELL: "b200"}
_ON_THE_WAY = [str(one) for one in (RunState.PREPARING, RunState.READY, RunState.MEASURING)]


@dataclass(frozen=True, slots=True)
class Crew:
    """The workers of a queue that were heard of lately: how many take work, and why the first other one does not."""

    known: int
    taking: int
    resting: str

    @property
    def messages(self) -> int:
        return MESSAGES_A_WORKER * min(self.taking, MOST_WORKERS)


def crews(at: datetime) -> dict[str, Crew]:
    """The crews by queue; a queue of which nobody was heard lately is missing."""
    found: dict[str, list[Worker]] = {}
    oldest = at - max(SILENCE.values())
    for worker in Worker.objects.filter(last_heard_at__gte=oldest).order_by("name"):
        kind = worker.queue.partition(".")[0]
        if worker.last_heard_at >= at - SILENCE.get(kind, SILENCE[queues.MEASURE]):
            found.setdefault(worker.queue, []).append(worker)
    return {queue: _crew(workers) for queue, workers in found.items()}


def capacity(queue: str, crew: Crew | None) -> int:
    """How many messages of this queue may be out. One where no prepare worker is known: they speak only when asked."""
    messages = crew.messages if crew else 0
    return max(messages, 1) if queue == queues.PREPARE else messages


def runs_on_the_way() -> dict[str, int]:
    """How many runs are under way or wait for each product."""
    counted = Run.objects.filter(state__in=_ON_THE_WAY).values_list("device")
    return dict(counted.annotate(number=Count("pk")))


def device_for(
    target: Target,
    products: Mapping[str, Target],
    served: Mapping[str, Crew],
    ahead: Mapping[str, int],
) -> str:
    """The product of this target with the shortest wait, the first choice where nobody serves it."""
    known = [name for name, of in products.items() if of is target and _queue(name) in served]
    taking = [name for name in known if served[_queue(name)].taking]
    return min(
        taking or known or [_FIRST_CHOICE[target]],
        key=lambda name: (_wait(name, served, ahead), name),
    )


def serves(
    target: Target, products: Mapping[str, Target], served: Mapping[str, Crew]
) -> Iterable[str]:
    """The products of this target that somebody takes work for."""
    for name, of in products.items():
        crew = served.get(_queue(name))
        if of is target and crew is not None and crew.taking:
            yield name


def _queue(product: str) -> str:
    return queues.measurer(product).queue


def _wait(product: str, served: Mapping[str, Crew], ahead: Mapping[str, int]) -> float:
    crew = served.get(_queue(product))
    return ahead.get(product, 0) / max(crew.taking if crew else 1, 1)


def _crew(workers: list[Worker]) -> Crew:
    ours = Versions()
    refusals = [_refusal(one, ours) for one in workers]
    return Crew(
        known=len(workers),
        taking=sum(not one for one in refusals),
        resting=next((one for one in refusals if one), ""),
    )


def _refusal(worker: Worker, ours: Versions) -> str:
    """Why this worker takes no work, or nothing."""
    if (worker.schema, worker.judge) != (ours.schema, ours.judge):
        return (
            f"it speaks schema {worker.schema} and judge {worker.judge}, the site schema"
            f" {ours.schema} and judge {ours.judge}"
        )
    return "staff drains it" if worker.draining else worker.resting
