"""One attempt, from the message that asks for it to the last report. It knows no Celery.

Everything the author can cause arrives as a stage report. Everything we must mend arrives as FailedByUs, a bug of ours
too, and the portal makes a new attempt or abandons the run.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from evaluation.core import wire
from evaluation.core.errors import InvalidInput, NotHere, ToolFailure
from evaluation.core.messages import (
    Attempt,
    FailedByUs,
    HalfFinished,
    HandedBack,
    Heartbeat,
    MeasureJob,
    PrepareJob,
    StageReported,
    Started,
    Versions,
)
from evaluation.core.ports import Reporter
from evaluation.core.records import Outcome, StageReport
from evaluation.core.staged import Begin
from evaluation.core.verdict import Stage

log = logging.getLogger(__name__)

Job = TypeVar("Job", PrepareJob, MeasureJob)
Stages = Callable[[Job, Begin], Iterator[StageReport]]


@dataclass(frozen=True, slots=True)
class Desk(Generic[Job]):
    """What a worker needs at hand for an attempt.

    ``stages`` judges a job; raise ToolFailure for our own faults, and NotHere to hand the job back. ``resting`` says
    why this worker takes nothing just now, or nothing; it is asked once a job.
    """

    worker: str
    reporter: Reporter
    stages: Stages[Job]
    heartbeat_seconds: float
    resting: Callable[[], str] = lambda: ""


@dataclass(frozen=True, slots=True)
class _Half(Generic[Job]):
    """Which half of the judge an attempt is of."""

    kind: type[Job]
    called: str
    first: Stage


_PREPARE = _Half(PrepareJob, "prepare job", Stage.POLICY)
_MEASURE = _Half(MeasureJob, "measure job", Stage.CHECK)


class _Place:
    """The stage the attempt is in; written by the worker, read by its heartbeat."""

    def __init__(self, first: Stage) -> None:
        self.stage = first

    def begin(self, stage: Stage) -> None:
        self.stage = stage


def prepare(text: str, desk: Desk[PrepareJob]) -> None:
    """Judge one source as far as a machine without a GPU can, reporting as it goes.

    Raises InvalidInput when not even the attempt can be read from ``text`` and ToolFailure when a report could not be
    delivered; in both cases the portal's lease on the attempt lapses. A bug of ours is reported and raised again.
    """
    _attempt(text, desk, _PREPARE)


def measure(text: str, desk: Desk[MeasureJob]) -> None:
    """Judge what a prepare half made, on this machine's GPU; the rest is as with ``prepare``."""
    _attempt(text, desk, _MEASURE)


def _attempt(text: str, desk: Desk[Job], half: _Half[Job]) -> None:
    envelope = _envelope(text, half.called)
    reason = _unfit(envelope.versions) or desk.resting()
    if reason:
        desk.reporter.send(HandedBack(Versions(), envelope.attempt, desk.worker, reason))
        return
    desk.reporter.send(Started(Versions(), envelope.attempt, desk.worker))
    place = _Place(half.first)
    try:
        _run(_job(text, half), desk, place)
    except NotHere as refused:
        desk.reporter.send(HandedBack(Versions(), envelope.attempt, desk.worker, refused.what))
    except ToolFailure as failure:
        log.exception("attempt %s failed by us", envelope.attempt.uuid)
        _report(failure, desk, envelope.attempt, place)
    except Exception as bug:
        # One of the two places that may catch everything: an attempt that ends silently waits for its lease to lapse.
        what = f"the judge itself failed: {type(bug).__name__}"
        _report(ToolFailure(what, action="see the worker's log"), desk, envelope.attempt, place)
        raise


def _unfit(theirs: Versions) -> str:
    """Why this worker may not read the rest of a job, or nothing."""
    if theirs.current:
        return ""
    ours = Versions()
    return (
        f"this worker speaks schema {ours.schema} and judge {ours.judge}, "
        f"the job schema {theirs.schema} and judge {theirs.judge}"
    )


def _report(failure: ToolFailure, desk: Desk[Job], attempt: Attempt, place: _Place) -> None:
    desk.reporter.send(
        FailedByUs(Versions(), attempt, desk.worker, place.stage, failure.what, failure.action)
    )


def _job(text: str, half: _Half[Job]) -> Job:
    try:
        return wire.decode(half.kind, text.encode(), where=half.called)
    except InvalidInput as broken:
        raise ToolFailure(
            str(broken), action="let portal and workers run the same release"
        ) from broken


def _run(job: Job, desk: Desk[Job], place: _Place) -> None:
    began = time.monotonic()
    reports: list[StageReport] = []
    with _heartbeat(job.attempt, desk, place):
        for report in desk.stages(job, place.begin):
            desk.reporter.send(
                StageReported(Versions(), job.attempt, desk.worker, len(reports), report)
            )
            reports.append(report)
    outcome = Outcome(tuple(reports))
    desk.reporter.send(
        HalfFinished(
            Versions(),
            job.attempt,
            desk.worker,
            outcome.verdict,
            outcome.artifacts,
            time.monotonic() - began,
        )
    )


@contextmanager
def _heartbeat(attempt: Attempt, desk: Desk[Job], place: _Place) -> Iterator[None]:
    done = threading.Event()

    def beat() -> None:
        while not done.wait(desk.heartbeat_seconds):
            try:
                desk.reporter.send(Heartbeat(Versions(), attempt, desk.worker, place.stage))
            except ToolFailure:
                # The stage's own report will meet the same broker and decide; a lost beat alone is harmless.
                log.warning("a heartbeat of attempt %s was not delivered", attempt.uuid)

    thread = threading.Thread(target=beat, name=f"heartbeat-{attempt.uuid}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@dataclass(frozen=True, slots=True)
class _Envelope:
    """The part of a job that every schema has: which attempt, and who may read the rest."""

    versions: Versions
    attempt: Attempt


def _envelope(text: str, where: str) -> _Envelope:
    plain = wire.parse(text.encode(), where=where)
    if not isinstance(plain, dict):
        raise InvalidInput(where=where, key="", rule="must be an object")
    head = {key: plain[key] for key in ("versions", "attempt") if key in plain}
    return wire.build(_Envelope, head, where=where)
