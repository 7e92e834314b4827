"""Why a run waits, in one sentence that its owner reads."""

from datetime import datetime

from evaluation import queues
from evaluation.core.messages import JUDGE
from evaluation.core.run_words import ENDED_RUNS
from evaluation.core.verdict import RunState, Target
from evaluation.models import Attempt, QueueSwitch, Run
from evaluation.services import say_waits_for
from portal.dispatch import fleet
from portal.dispatch.desk import Desk


def say_what_they_wait_for(desk: Desk, *, at: datetime) -> None:
    """Write the sentence of every run that waits for a product or a paused queue; clear those that wait for neither."""
    served = fleet.crews(at)
    paused = _paused()
    say_waits_for(Run.objects.waiting(), _pause(queues.PREPARE, paused))
    for product, target in desk.targets.items():
        queue = queues.measurer(product).queue
        runs = Run.objects.ready().filter(device=product)
        if reason := _pause(queue, paused):
            say_waits_for(runs, reason)
            continue
        crew = served.get(queue)
        nobody = not any(fleet.serves(target, desk.targets, served))
        say_waits_for(runs.exclude(device_wanted=""), _hardware(product.upper(), crew))
        say_waits_for(
            runs.filter(device_wanted=""), _hardware(_name(product, target, nobody=nobody), crew)
        )


def why(run: Run, desk: Desk, *, at: datetime) -> str:
    """Say where a run stands and what has to happen next."""
    state = RunState(run.state)
    if state in ENDED_RUNS:
        return f"It does not wait: it is {state} since {run.finished_at:%Y-%m-%d %H:%M} UTC."
    attempt = Attempt.objects.live().filter(run=run).first()
    if attempt is not None:
        return _under_way(attempt)
    if run.judge != JUDGE:
        return f"It is for judge {run.judge}, and this site sends to judge {JUDGE}."
    if run.not_before is not None and run.not_before > at:
        last = run.attempts.order_by("-sent_at", "-pk").first()
        said = f" ({last.state}: {last.ended_why})" if last else ""
        return f"It came back{said} and is sent again at {run.not_before:%H:%M:%S} UTC."
    say_what_they_wait_for(desk, at=at)
    run.refresh_from_db(fields=["waits_for"])
    if run.waits_for:
        return f"It {run.waits_for}."
    ahead = Run.objects.filter(state=state, device=run.device, priority__gte=run.priority)
    number = ahead.filter(created_at__lt=run.created_at).count()
    return f"It waits for its turn: {number} that came before it wait too, shared out by owners."


def _under_way(attempt: Attempt) -> str:
    if attempt.started_at is None:
        return (
            f"Its {attempt.half} attempt {attempt.number} was sent to {attempt.queue} at"
            f" {attempt.sent_at:%H:%M:%S} UTC and no worker has taken it yet."
        )
    return (
        f"Its {attempt.half} attempt {attempt.number} is with {attempt.worker} since"
        f" {attempt.started_at:%H:%M:%S} UTC; unless it is heard of, its lease ends at"
        f" {attempt.lease_until:%H:%M:%S} UTC."
    )


def _paused() -> dict[str, str]:
    switches = QueueSwitch.objects.filter(paused_at__isnull=False)
    return dict(switches.values_list("queue", "why"))


def _pause(queue: str, paused: dict[str, str]) -> str:
    return f"waits: staff paused the queue {queue}: {paused[queue]}" if queue in paused else ""


def _name(product: str, target: Target, *, nobody: bool) -> str:
    """What would help a run that takes any product of its target: one of any, or the one that it is prepared for."""
    return target.title() if nobody else product.upper()


def _hardware(what: str, crew: fleet.Crew | None) -> str:
    if crew is None:
        return f"waits for hardware: no {what} worker is connected"
    return "" if crew.taking else f"waits for hardware: no {what} worker takes work: {crew.resting}"
