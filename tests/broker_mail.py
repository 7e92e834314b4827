"""What a portal would see of workers: jobs out, messages in, over a private broker."""

import json
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty

from kombu import Connection
from kombu.simple import SimpleQueue

from evaluation import queues
from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.core import messages, wire
from evaluation.core.messages import (
    Attempt,
    AttemptMessage,
    HalfFinished,
    Heartbeat,
    KernelNoted,
    MeasureJob,
    Message,
    PrepareJob,
    Versions,
)
from evaluation.core.verdict import Language, Target
from evaluation.worker import make_app

WAIT_SECONDS = 60.0  # far more than any job needs; a test that waits this long has failed


def job_of(source: bytes, home: Path) -> PrepareJob:
    """A job of an attempt of its own; its source lies in the artifacts of the worker with this state folder."""
    ref = LocalArtifacts(home / "artifacts").put("source", source)
    return PrepareJob(
        versions=Versions(),
        attempt=Attempt(str(uuid.uuid4()), 1, "k" * 32),
        source_sha256=ref.sha256,
        source_bytes=ref.size,
        language=Language.CUDA,
        problem="gemm_n7168_k5120",
        problem_version=1,
        target=Target.HOPPER,
        device="h200",
    )


@dataclass
class Mail:
    """Sends jobs and collects what workers report, told apart by attempt."""

    url: str
    reports: SimpleQueue
    seen: list[Message] = field(default_factory=list)

    def send(self, job: PrepareJob | MeasureJob) -> None:
        text = wire.encode(job).decode()
        if isinstance(job, PrepareJob):
            self.send_text(text)
        else:
            role = queues.measurer(job.device)
            make_app(self.url, role).send_task(role.task, args=[text], queue=role.queue)

    def send_text(self, text: str, *, task: str = queues.PREPARE_TASK) -> None:
        make_app(self.url).send_task(task, args=[text], queue=queues.PREPARE)

    def of(self, uuid: str) -> list[AttemptMessage]:
        """What was reported of an attempt so far, beats and notes left out."""
        told = (one for one in self.seen if isinstance(one, AttemptMessage))
        mine = (one for one in told if one.attempt.uuid == uuid)
        return [one for one in mine if not isinstance(one, Heartbeat | KernelNoted)]

    def until(self, uuid: str, enough: Callable[[AttemptMessage], bool]) -> list[AttemptMessage]:
        """Read until a message of this attempt is ``enough``; give all of the attempt."""
        self.read_until(lambda: any(enough(one) for one in self.of(uuid)))
        return self.of(uuid)

    def read_until(self, enough: Callable[[], bool]) -> None:
        """Read one message after the other until what was seen is ``enough``."""
        deadline = time.monotonic() + WAIT_SECONDS
        while not enough():
            left = deadline - time.monotonic()
            assert left > 0, f"never came: {self.seen}"
            try:
                self.seen.append(_message(self.reports.get(timeout=left).payload))
            except Empty:
                continue

    def until_end(self, uuid: str) -> list[AttemptMessage]:
        ends = (HalfFinished, messages.HandedBack, messages.FailedByUs)
        return self.until(uuid, lambda one: isinstance(one, ends))


def _message(payload: object) -> Message:
    """Read one report as the portal's task would get it: positional arguments of Celery's protocol 2."""
    body = json.loads(payload) if isinstance(payload, str) else payload
    assert isinstance(body, list)
    (kind, content), options, _ = body
    assert options == {}
    record: Message = wire.decode(getattr(messages, kind), content.encode(), where=kind)
    return record


@contextmanager
def open_mail(url: str) -> Iterator[Mail]:
    with Connection(url) as connection:
        reports = connection.SimpleQueue(queues.REPORTS, no_ack=True)
        try:
            yield Mail(url, reports)
        finally:
            reports.close()
