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

from evaluation.core import wire
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.messages import (
    Attempt,
    FailedByUs,
    HalfFinished,
    HandedBack,
    Heartbeat,
    PrepareJob,
    StageReported,
    Started,
    Versions,
)
from evaluation.core.ports import Artifacts, Reporter
from evaluation.core.records import Outcome, StageReport
from evaluation.core.verdict import Stage

log = logging.getLogger(__name__)

Begin = Callable[[Stage], None]
Stages = Callable[[PrepareJob, bytes, Begin], Iterator[StageReport]]


@dataclass(frozen=True, slots=True)
class Desk:
    """What a worker needs at hand for an attempt."""

    worker: str
    reporter: Reporter
    artifacts: Artifacts
    stages: Stages
    heartbeat_seconds: float


class _Place:
    """The stage the attempt is in; written by the worker, read by its heartbeat."""

    def __init__(self) -> None:
        self.stage = Stage.POLICY

    def begin(self, stage: Stage) -> None:
        self.stage = stage


def prepare(text: str, desk: Desk) -> None:
    """Judge one source as far as a machine without a GPU can, reporting as it goes.

    Raises InvalidInput when not even the attempt can be read from ``text`` and ToolFailure when a report could not be
    delivered; in both cases the portal's lease on the attempt lapses. A bug of ours is reported and raised again.
    """
    envelope = _envelope(text)
    if not envelope.versions.current:
        ours = Versions()
        reason = (
            f"this worker speaks schema {ours.schema} and judge {ours.judge}, "
            f"the job schema {envelope.versions.schema} and judge {envelope.versions.judge}"
        )
        desk.reporter.send(HandedBack(ours, envelope.attempt, desk.worker, reason))
        return
    desk.reporter.send(Started(Versions(), envelope.attempt, desk.worker))
    place = _Place()
    try:
        _run(_job(text), desk, place)
    except ToolFailure as failure:
        log.exception("attempt %s failed by us", envelope.attempt.uuid)
        _report(failure, desk, envelope.attempt, place)
    except Exception as bug:
        # One of the two places that may catch everything: an attempt that ends silently waits for its lease to lapse.
        what = f"the judge itself failed: {type(bug).__name__}"
        _report(ToolFailure(what, action="see the worker's log"), desk, envelope.attempt, place)
        raise


def _report(failure: ToolFailure, desk: Desk, attempt: Attempt, place: _Place) -> None:
    desk.reporter.send(
        FailedByUs(Versions(), attempt, desk.worker, place.stage, failure.what, failure.action)
    )


def _job(text: str) -> PrepareJob:
    try:
        return wire.decode(PrepareJob, text.encode(), where="prepare job")
    except InvalidInput as broken:
        raise ToolFailure(
            str(broken), action="let portal and workers run the same release"
        ) from broken


def _run(job: PrepareJob, desk: Desk, place: _Place) -> None:
    began = time.monotonic()
    reports: list[StageReport] = []
    with _heartbeat(job.attempt, desk, place):
        source = desk.artifacts.get(job.source_sha256, limit_bytes=job.source_bytes)
        for report in desk.stages(job, source, place.begin):
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
def _heartbeat(attempt: Attempt, desk: Desk, place: _Place) -> Iterator[None]:
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


def _envelope(text: str) -> _Envelope:
    where = "prepare job"
    plain = wire.parse(text.encode(), where=where)
    if not isinstance(plain, dict):
        raise InvalidInput(where=where, key="", rule="must be an object")
    head = {key: plain[key] for key in ("versions", "attempt") if key in plain}
    return wire.build(_Envelope, head, where=where)
