"""A world of workers, a broker and a clock in which anything may go wrong, driven by a seed."""

import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

import evaluation_rows as rows
from dispatch_doubles import ACCEPTED, WRONG, Sent, Site, half, policy, prepared

from evaluation.core.measure.damage import judge_losses
from evaluation.core.messages import (
    DeviceHeartbeat,
    FailedByUs,
    HandedBack,
    KernelLost,
    KernelNoted,
    MeasureJob,
    Message,
    Versions,
)
from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage, Verdict
from evaluation.models import Run
from evaluation.services import cancel
from portal.dispatch import dispatch, sweep

OURS = Versions()
PREPARE, MEASURE = "prepare", "measure.h200"
# What a kernel is decides its verdict, however often and by whomever it is judged.
TRUTHS = (Verdict.POLICY_REJECTED, Verdict.WRONG_RESULT, Verdict.ACCEPTED)


@dataclass
class Hand:
    """One worker process: the job that it has, and what it has still to say of it."""

    name: str
    queue: str
    job: Sent | None = None
    to_say: deque[Message] = field(default_factory=deque)


class World:
    """Each method is one thing that may happen; most need luck to matter."""

    def __init__(self, seed: int, runs: int) -> None:
        self.luck = random.Random(seed)  # noqa: S311 (a simulation)
        self.site = Site()
        self.air: list[Message] = []  # sent by workers, not heard yet
        self.born = 0
        self.hands = [self.worker(queue) for queue in (PREPARE, PREPARE, MEASURE, MEASURE)]
        self.truth: dict[str, Verdict] = {}
        self.deaths: Counter[str] = Counter()  # of measure workers, by the kernel at hand
        for number in range(runs):
            run = rows.run(owner=self.luck.choice("ab"), priority=self.luck.choice((0, 0, 1)))
            self.truth[run.kernel.sha256] = TRUTHS[number % len(TRUTHS)]
        self.events: tuple[tuple[int, Callable[[], None]], ...] = (
            (20, self.take),
            (30, self.speak),
            (30, self.hear_one),
            (8, self.dispatch),
            (4, self.sweep),
            (14, self.beat),
            (6, self.time_passes),
            (1, self.long_silence),
            (3, self.say_twice),
            (2, self.lose_a_message),
            (3, self.die),
            (1, self.broker_forgets),
            (2, self.hand_back),
            (2, self.fail),
            (1, self.cancel_one),
        )

    def worker(self, queue: str) -> Hand:
        self.born += 1
        return Hand(f"{queue}@host:{self.born}", queue)

    def happen(self) -> None:
        weights = [weight for weight, _ in self.events]
        self.luck.choices([event for _, event in self.events], weights)[0]()

    # What goes well.

    def take(self) -> None:
        hand = self.luck.choice(self.hands)
        if hand.job is None and self.site.broker.queued.get(hand.queue):
            hand.job = self.site.broker.take(hand.queue)
            hand.to_say = self.words(hand)

    def words(self, hand: Hand) -> deque[Message]:
        """All that a worker says of the job that it took; a measure worker notes a kernel before it launches it."""
        assert hand.job is not None
        started, *rest = half(hand.job, self.reports(hand.job), by=hand.name)
        job = hand.job.job
        if isinstance(job, MeasureJob) and judge_losses((), job.losses) is None:
            plan = job.parts.plan.sha256
            return deque((started, KernelNoted(OURS, job.attempt, hand.name, plan), *rest))
        return deque((started, *rest))

    def reports(self, sent: Sent) -> tuple[StageReport, ...]:
        run = Run.objects.select_related("kernel").get(attempts__uid=sent.attempt.uuid)
        truth = self.truth[run.kernel.sha256]
        if sent.queue == PREPARE:
            if truth is Verdict.POLICY_REJECTED:
                return (policy(truth),)
            return prepared(self.site.store)
        assert isinstance(sent.job, MeasureJob)
        damage = judge_losses((), sent.job.losses)
        if damage is not None:
            return (damage,)
        return ACCEPTED if truth is Verdict.ACCEPTED else WRONG

    def speak(self) -> None:
        hand = self.luck.choice(self.hands)
        if hand.to_say:
            self.air.append(hand.to_say.popleft())
        if not hand.to_say:
            hand.job = None

    def hear_one(self) -> None:
        if self.air:
            self.site.hear(self.air.pop(self.luck.randrange(len(self.air))))

    def dispatch(self) -> None:
        dispatch(self.site.desk, at=self.site.at)

    def sweep(self) -> None:
        """The beats of those who live are heard first: they lie in the same queue as the sweep, before it."""
        self.beat()
        sweep(self.site.desk, at=self.site.at)

    def beat(self) -> None:
        for hand in self.hands:
            if hand.queue == MEASURE:
                self.site.hear(DeviceHeartbeat(OURS, hand.name, "h200", None, "", ""))

    def time_passes(self) -> None:
        self.site.wait(self.luck.choice((1, 5, 20)))

    # What does not.

    def long_silence(self) -> None:
        self.site.wait(self.luck.choice((70, 700, 4000)))

    def say_twice(self) -> None:
        if self.air:
            self.air.append(self.luck.choice(self.air))

    def lose_a_message(self) -> None:
        if self.air:
            self.air.pop(self.luck.randrange(len(self.air)))

    def die(self) -> None:
        """A worker ends at any moment; the broker may hand its message out again, and a new one tells of the loss."""
        self.die_at(self.luck.randrange(len(self.hands)))

    def die_measuring(self) -> None:
        """A machine with a GPU goes down with its kernel, if one has any."""
        busy = [place for place, one in enumerate(self.hands) if one.queue == MEASURE and one.job]
        if busy:
            self.die_at(self.luck.choice(busy))

    def die_at(self, place: int) -> None:
        hand = self.hands[place]
        self.hands[place] = fresh = self.worker(hand.queue)
        if hand.job is None:
            return
        if self.luck.random() < 0.5:
            self.site.broker.queued.setdefault(hand.queue, []).append(hand.job)
        job = hand.job.job
        if not isinstance(job, MeasureJob):
            return
        self.deaths[self.kernel_of(hand.job)] += 1
        if self.luck.random() < 0.5:  # else its ledger went down with it
            plan = job.parts.plan.sha256
            self.air.append(KernelLost(OURS, job.attempt, fresh.name, plan, 1, "it ended"))

    def kernel_of(self, sent: Sent) -> str:
        return Run.objects.get(attempts__uid=sent.attempt.uuid).kernel.sha256

    def broker_forgets(self) -> None:
        self.site.broker.lose()

    def hand_back(self) -> None:
        self.end_early(lambda sent, name: HandedBack(OURS, sent.attempt, name, "I rest"))

    def fail(self) -> None:
        self.end_early(
            lambda sent, name: FailedByUs(OURS, sent.attempt, name, Stage.POLICY, "no disk", "")
        )

    def end_early(self, last: Callable[[Sent, str], Message]) -> None:
        hand = self.luck.choice(self.hands)
        if hand.job is not None:
            self.air.append(last(hand.job, hand.name))
            hand.job, hand.to_say = None, deque()

    def cancel_one(self) -> None:
        pending = list(Run.objects.pending().order_by("pk"))
        if pending:
            cancel(self.luck.choice(pending), at=self.site.at)

    def settle(self) -> None:
        """From now on all goes well: every worker does what it gets, and is heard."""
        for _ in range(60):
            self.beat()
            self.dispatch()
            for hand in self.hands:
                while hand.job is None and self.site.broker.queued.get(hand.queue):
                    hand.job = self.site.broker.take(hand.queue)
                    hand.to_say = self.words(hand)
                    self.site.hear_all([*hand.to_say])
                    hand.job, hand.to_say = None, deque()
                self.site.hear_all([*hand.to_say])
                hand.job, hand.to_say = None, deque()
            self.site.hear_all(self.air)
            self.air.clear()
            if not Run.objects.pending().exists():
                return
            self.site.wait(61)
            self.sweep()
            self.site.wait(600)
