"""The Celery tasks of the evaluation side. Thin: a name, a message, a call."""

import threading
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from celery import Task
from celery.exceptions import SoftTimeLimitExceeded
from celery.signals import worker_process_init

from evaluation import attempt, queues, worker
from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.measure_wiring import equipment
from evaluation.adapters.reporter import QueueReporter
from evaluation.adapters.station import Station
from evaluation.adapters.wiring import asked, prepare_tools
from evaluation.adapters.workspace import Workspace
from evaluation.consumer import WANTED
from evaluation.core import pipeline
from evaluation.core.errors import ToolFailure
from evaluation.core.messages import MeasureJob, PrepareJob
from evaluation.core.pipeline import Job, Tools
from evaluation.core.records import StageReport
from evaluation.core.staged import Begin
from evaluation.worker import app, state, worker_name

if TYPE_CHECKING:
    TaskBase = Task[[str], None]  # generic for the type checker alone
else:
    TaskBase = Task


class PrepareStages:
    """The stages of a job. Tools are opened for the first job of a process, never in the parent that it forked from.

    Tools that do not open are our failure of that job, and the next one tries again.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @cached_property
    def tools(self) -> Tools:
        return prepare_tools(self._workspace)

    def __call__(self, job: PrepareJob, begin: Begin) -> Iterator[StageReport]:
        artifacts = LocalArtifacts(self._workspace.artifacts)
        source = artifacts.get(job.source_sha256, limit_bytes=job.source_bytes)
        try:
            yield from pipeline.prepare(judged_job(job, source), self.tools, begin)
        except SoftTimeLimitExceeded as stopped:
            raise ToolFailure(
                f"the stages took more than {queues.PREPARE_LIMITS.soft} s together on this worker",
                action="see whether the host is overloaded; every stage has limits of its own",
            ) from stopped


class MeasureStages:
    """The stages of a job at a station."""

    def __init__(self, station: Station) -> None:
        self._station = station

    def __call__(self, job: MeasureJob, begin: Begin) -> Iterator[StageReport]:
        try:
            yield from self._station.stages(job, begin)
        except SoftTimeLimitExceeded as stopped:
            what = f"the GPU half took more than {queues.MEASURE_LIMITS.soft} s on this worker"
            self._station.lose(what, by_time=True)
            raise ToolFailure(
                what, action="run ptxboard doctor on this host: a referee has limits of its own"
            ) from stopped
        except (ToolFailure, GeneratorExit):
            raise  # the station knows of it
        except Exception:
            # A bug of ours. Left in the ledger, the kernel would be lost with the next restart of the worker.
            self._station.absolve()
            raise


class PrepareTask(TaskBase):
    """Celery makes one task object a process; what the process keeps from job to job hangs on it."""

    @cached_property
    def desk(self) -> attempt.Desk[PrepareJob]:
        return attempt.Desk(
            worker=worker_name(),
            reporter=QueueReporter(self.app),
            stages=PrepareStages(state()),
            heartbeat_seconds=queues.HEARTBEAT_SECONDS,
        )


class MeasureTask(TaskBase):
    """The same for the one GPU of a measure worker."""

    @cached_property
    def station(self) -> Station:
        return Station(
            equipment(
                state(),
                device=worker.device(),
                gpu=worker.gpu(),
                worker=worker_name(),
                reporter=QueueReporter(self.app),
                environment=worker.environment(),
            ),
            self.consume,
        )

    @cached_property
    def desk(self) -> attempt.Desk[MeasureJob]:
        return attempt.Desk(
            worker=worker_name(),
            reporter=QueueReporter(self.app),
            stages=MeasureStages(self.station),
            heartbeat_seconds=queues.HEARTBEAT_SECONDS,
            resting=self.station.refusal,
        )

    def consume(self, wanted: bool) -> None:  # noqa: FBT001  # a callback with one meaning
        """Let this worker take jobs from its queue, or none."""
        WANTED.set(wanted)


@app.task(name=queues.PREPARE_TASK, base=PrepareTask, bind=True, shared=False)
def prepare(self: PrepareTask, text: str) -> None:
    """Take one source through the stages that need no GPU; ``text`` is a PrepareJob as JSON."""
    attempt.prepare(text, self.desk)


@app.task(name=queues.MEASURE_TASK, base=MeasureTask, bind=True, shared=False)
def measure(self: MeasureTask, text: str) -> None:
    """Take one prepared kernel through check, probe and time; ``text`` is a MeasureJob as JSON."""
    attempt.measure(text, self.desk)


@worker_process_init.connect
def go_to_work(**_: object) -> None:
    """In the one pool process of a measure worker: open the GPU and beat for it until the process ends."""
    if not worker.device():
        return
    task = app.tasks[queues.MEASURE_TASK]
    assert isinstance(task, MeasureTask)
    task.consume(True)  # noqa: FBT003  # what the process before this one wanted died with it
    threading.Thread(
        target=task.station.live,
        args=(queues.DEVICE_HEARTBEAT_SECONDS, threading.Event()),
        name="device",
        daemon=True,
    ).start()


def judged_job(job: PrepareJob, source: bytes) -> Job:
    """The job with its problem and device. What the portal may not ask for is our fault, not the author's."""
    problem, device = asked(job)
    return Job(source, job.language, problem, job.target, device)
