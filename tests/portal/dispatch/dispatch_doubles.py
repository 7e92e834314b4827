"""A broker, a store and workers for tests of dispatching: everything but the database is in memory."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import evaluation_rows as rows

from evaluation.core import wire
from evaluation.core.errors import ToolFailure
from evaluation.core.messages import (
    Attempt,
    HalfFinished,
    MeasureJob,
    Message,
    PrepareJob,
    StageReported,
    Started,
    Versions,
)
from evaluation.core.records import ArtifactRef, Fact, Outcome, StageReport
from evaluation.core.verdict import Stage, Target, Verdict
from evaluation.models import Worker
from portal.dispatch import Desk
from portal.reports import Heard, hear

AT = rows.AT
TARGETS = {
    "b200": Target.BLACKWELL,
    "h100-sxm": Target.HOPPER,
    "h200": Target.HOPPER,
}


def later(seconds: float) -> datetime:
    return AT + timedelta(seconds=seconds)


@dataclass
class Sent:
    queue: str
    task: str
    text: str = field(repr=False)

    @property
    def attempt(self) -> Attempt:
        named = json.loads(self.text)["attempt"]
        return Attempt(named["uuid"], named["number"], named["key"])

    @property
    def job(self) -> PrepareJob | MeasureJob:
        if self.queue == "prepare":
            return wire.decode(PrepareJob, self.text.encode(), where="job")
        return wire.decode(MeasureJob, self.text.encode(), where="job")


class FakeBroker:
    """Keeps what was sent until ``take``; a ``down`` one takes nothing and says nothing."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.queued: dict[str, list[Sent]] = {}
        self.backlog = 0
        self.down = False

    def send(self, queue: str, task: str, text: str, *, uid: str) -> None:
        if self.down:
            raise ToolFailure("the broker is away", action="wait")
        one = Sent(queue, task, text)
        assert one.attempt.uuid == uid
        self.sent.append(one)
        self.queued.setdefault(queue, []).append(one)

    def waiting(self, queue: str) -> int:
        if self.down:
            raise ToolFailure("the broker is away", action="wait")
        return self.backlog if queue == "portal.reports" else len(self.queued.get(queue, ()))

    def take(self, queue: str) -> Sent:
        return self.queued[queue].pop(0)

    def lose(self) -> None:
        """Forget every message that nobody took, as a broker that restarts without its file."""
        self.queued.clear()


class FakeStore(rows.FakeArtifacts):
    """Refuses as the port says."""

    def get(self, sha256: str, *, limit_bytes: int) -> bytes:
        content = self.kept.get(sha256)
        if content is None or len(content) > limit_bytes:
            raise ToolFailure(f"artifact {sha256} is missing or too large")
        return content


@dataclass
class Site:
    """The site's side at one place of time, which the test moves."""

    broker: FakeBroker = field(default_factory=FakeBroker)
    store: FakeStore = field(default_factory=FakeStore)
    at: datetime = AT

    @property
    def desk(self) -> Desk:
        return Desk(self.broker, self.store, TARGETS)

    def hear(self, message: Message) -> Heard:
        return hear(type(message).__name__, wire.encode(message).decode(), self.store, at=self.at)

    def hear_all(self, messages: list[Message]) -> list[Heard]:
        return [self.hear(one) for one in messages]

    def wait(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def worker(queue: str, name: str = "", **columns: Any) -> Worker:
    """A worker that was heard of just now."""
    _, _, device = queue.partition(".")
    whole = {"name": name or f"w@{queue}:1", "queue": queue, "device": device, "last_heard_at": AT}
    return rows.worker(**(whole | columns))


def policy(verdict: Verdict | None = None) -> StageReport:
    return StageReport(Stage.POLICY, "fine" if verdict is None else "includes a file", verdict)


def prepared(store: rows.FakeArtifacts, *, family: str = "unknown") -> tuple[StageReport, ...]:
    """The reports of a prepare half that hands over; what it hands over lies in the store."""
    plan, cubin, facts = (store.put(name, name.encode()) for name in ("plan", "cubin", "facts"))
    return (
        policy(),
        StageReport(Stage.BUILD, "compiles", artifacts=(cubin, facts)),
        StageReport(Stage.RECORD, "recorded", artifacts=(plan,)),
        StageReport(
            Stage.SCAN,
            "HGMMA in 1 of 1 kernels",
            facts=(Fact("family_static", family), Fact("bulk_copy_rows", 3)),
        ),
    )


CHECKED = StageReport(Stage.CHECK, "right", artifacts=(ArtifactRef("check_seen", "ab" * 32, 9),))
PROBED = StageReport(
    Stage.PROBE,
    "executed",
    facts=(
        Fact("family", "yes"),
        Fact("matrix_path", "yes"),
        Fact("coverage", "0.970"),
        Fact("executed_share", "1.020"),
    ),
)
TIMED = StageReport(
    Stage.TIME,
    "correct",
    Verdict.ACCEPTED,
    facts=(
        Fact("ratio", "0.7621"),
        Fact("ratio_low", "0.7550"),
        Fact("ratio_high", "0.7700"),
        Fact("candidate_time", 1_020_000, "ns"),
        Fact("vendor_time", 777_000, "ns"),
    ),
)
ACCEPTED = (CHECKED, PROBED, TIMED)
WRONG = (StageReport(Stage.CHECK, "C is wrong", Verdict.WRONG_RESULT),)


def half(
    sent: Sent, reports: tuple[StageReport, ...], *, by: str = "w@1", seconds: float = 2.0
) -> list[Message]:
    """Every message of a worker that does this half, in order."""
    outcome = Outcome(reports)
    named, ours = sent.attempt, Versions()
    return [
        Started(ours, named, by),
        *(StageReported(ours, named, by, place, one) for place, one in enumerate(reports)),
        HalfFinished(ours, named, by, outcome.verdict, outcome.artifacts, seconds),
    ]
