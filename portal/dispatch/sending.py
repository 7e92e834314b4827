"""Chooses what is sent next, makes its attempt and sends it. Call it outside transactions, after they are committed."""

import logging
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, DurationField, ExpressionWrapper, F, Max, Min, Q, Sum

from evaluation import queues
from evaluation.core.errors import ToolFailure
from evaluation.core.messages import JUDGE
from evaluation.core.run_words import LIVE_ATTEMPTS, Half
from evaluation.core.verdict import RunState, Target
from evaluation.models import Attempt, Run
from evaluation.models.runs import RunQuerySet
from evaluation.services import create_attempt, key_digest, lock_queue, sendable
from portal.dispatch import fleet
from portal.dispatch.desk import Desk
from portal.dispatch.fair_share import OwnerLine, next_owner
from portal.dispatch.jobs import TASKS, job_text
from portal.dispatch.waiting import say_what_they_wait_for

log = logging.getLogger(__name__)

RECENT = timedelta(hours=1)  # what an owner had in this time counts for the fair share
ASSUMED_SECONDS = 30  # what an attempt that is out is taken to cost until it ended
# A vendor's plan that a GPU has warm is worth a place in the line, but nobody waits longer than this for it.
AFFINITY_PATIENCE = timedelta(minutes=5)
MOST_A_CALL = 4 * fleet.MOST_WORKERS
_LIVE = [str(state) for state in LIVE_ATTEMPTS]


@dataclass(frozen=True, slots=True)
class Letter:
    """One attempt as it goes out."""

    queue: str
    task: str
    text: str
    uid: str


def dispatch(desk: Desk, *, at: datetime, only: Iterable[str] | None = None) -> int:
    """Fill every queue, or ``only`` these, and give the number of messages; say what the other runs wait for."""
    chosen = [queues.PREPARE, *(queues.measurer(one).queue for one in desk.targets)]
    wanted = chosen if only is None else [one for one in chosen if one in set(only)]
    sent = sum(send_next(queue, desk, at=at) for queue in wanted)
    say_what_they_wait_for(desk, at=at)
    return sent


def send_next(queue: str, desk: Desk, *, at: datetime) -> int:
    """Send messages until as many are out as the queue's workers can have; give how many were sent.

    An attempt that the broker does not take stays sent, and is swept.
    """
    sent = 0
    for _ in range(MOST_A_CALL):
        letter = _next_letter(queue, desk, at=at)
        if letter is None:
            break
        try:
            desk.broker.send(letter.queue, letter.task, letter.text, uid=letter.uid)
        except ToolFailure as failure:
            log.warning("attempt %s was not sent: %s", letter.uid, failure.what)
            break
        sent += 1
    return sent


@transaction.atomic
def _next_letter(queue: str, desk: Desk, *, at: datetime) -> Letter | None:
    # Two dispatchers of one queue wait for each other here, so that both count what the other one made.
    switch = lock_queue(queue)
    served = fleet.crews(at)
    out = Attempt.objects.live().filter(queue=queue).count()
    if switch.paused_at is not None or out >= fleet.capacity(queue, served.get(queue)):
        return None
    run = _next_run(queue, at=at)
    if run is None:
        return None
    half, device = half_and_device(queue)
    if half is Half.PREPARE:
        ahead = fleet.runs_on_the_way()
        device = run.device_wanted or fleet.device_for(
            Target(run.target), desk.targets, served, ahead
        )
    key = secrets.token_urlsafe(32)
    attempt = create_attempt(run, half, queue=queue, device=device, digest=key_digest(key), at=at)
    if attempt is None:
        return None
    return Letter(queue, TASKS[half], job_text(attempt, run, key), str(attempt.uid))


def half_and_device(queue: str) -> tuple[Half, str]:
    """The half that a queue is for, and its product; empty for the prepare half."""
    kind, _, device = queue.partition(".")
    return (Half.MEASURE if kind == queues.MEASURE else Half.PREPARE), device


def waiting_runs(queue: str, *, at: datetime) -> RunQuerySet:
    """The runs that could be sent to this queue now. Those of another judge wait for its release."""
    half, device = half_and_device(queue)
    state = RunState.READY if half is Half.MEASURE else RunState.WAITING
    runs = Run.objects.filter(sendable(at), state=state, judge=JUDGE)
    return runs.filter(device=device) if half is Half.MEASURE else runs


def _next_run(queue: str, *, at: datetime) -> Run | None:
    runs = waiting_runs(queue, at=at)
    grouped = runs.order_by().values_list("owner")
    lines = grouped.annotate(priority=Max("priority"), oldest=Min("created_at"))
    line = next_owner((OwnerLine(*one) for one in lines), used_seconds(queue, at=at))
    if line is None:
        return None
    own = runs.filter(owner=line.owner, priority=line.priority).order_by("created_at", "pk")
    own = own.select_related("kernel", "plan", "cubin", "facts")
    first = own.first()
    if first is None or at - first.created_at > AFFINITY_PATIENCE:
        return first
    last = Attempt.objects.filter(queue=queue).order_by("-sent_at", "-pk").first()
    warm = own.filter(problem=last.run.problem).first() if last else None
    return warm or first


def used_seconds(queue: str, *, at: datetime) -> dict[str, float]:
    """What the attempts of each owner took of this half's workers lately, those that are out by assumption."""
    half, _ = half_and_device(queue)
    recent = Attempt.objects.filter(half=half, sent_at__gte=at - RECENT)
    took = ExpressionWrapper(F("ended_at") - F("started_at"), output_field=DurationField())
    owners = (
        recent.order_by()
        .values_list("run__owner")
        .annotate(took=Sum(took), live=Count("pk", filter=Q(state__in=_LIVE)))
    )
    return {
        owner: (took.total_seconds() if took else 0.0) + live * ASSUMED_SECONDS
        for owner, took, live in owners
    }
