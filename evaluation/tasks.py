"""The Celery tasks of the evaluation side. Thin: a name, a message, a call."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from celery import Task
from celery.exceptions import SoftTimeLimitExceeded

from evaluation import attempt, queues
from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.reporter import QueueReporter
from evaluation.adapters.wiring import prepare_tools
from evaluation.adapters.workspace import Workspace
from evaluation.core import pipeline
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.messages import PrepareJob
from evaluation.core.pipeline import Begin, Job, Tools
from evaluation.core.records import StageReport
from evaluation.worker import app, state, worker_name

if TYPE_CHECKING:
    PrepareTaskBase = Task[[str], None]  # generic for the type checker alone
else:
    PrepareTaskBase = Task


class PrepareStages:
    """The stages of a job. Tools are opened for the first job of a process, never in the parent that it forked from.

    Tools that do not open are our failure of that job, and the next one tries again.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @cached_property
    def tools(self) -> Tools:
        return prepare_tools(self._workspace)

    def __call__(self, job: PrepareJob, source: bytes, begin: Begin) -> Iterator[StageReport]:
        try:
            yield from pipeline.prepare(judged_job(job, source), self.tools, begin)
        except SoftTimeLimitExceeded as stopped:
            raise ToolFailure(
                f"the stages took more than {queues.PREPARE_LIMITS.soft} s together on this worker",
                action="see whether the host is overloaded; every stage has limits of its own",
            ) from stopped


class PrepareTask(PrepareTaskBase):
    """Celery makes one task object a process; what the process keeps from job to job hangs on it."""

    @cached_property
    def desk(self) -> attempt.Desk:
        workspace = state()
        return attempt.Desk(
            worker=worker_name(),
            reporter=QueueReporter(self.app),
            artifacts=LocalArtifacts(workspace.artifacts),
            stages=PrepareStages(workspace),
            heartbeat_seconds=queues.HEARTBEAT_SECONDS,
        )


@app.task(name=queues.PREPARE_TASK, base=PrepareTask, bind=True)
def prepare(self: PrepareTask, text: str) -> None:
    """Take one source through the stages that need no GPU; ``text`` is a PrepareJob as JSON."""
    attempt.prepare(text, self.desk)


def judged_job(job: PrepareJob, source: bytes) -> Job:
    """The job with its problem and device. What the portal may not ask for is our fault, not the author's."""
    catalogue = packaged()
    try:
        problem = catalogue.problem(job.problem)
        device = catalogue.device(job.device)
    except InvalidInput as unknown:
        raise ToolFailure(
            str(unknown), action="let portal and workers run the same release"
        ) from unknown
    if problem.version != job.problem_version or job.target not in problem.targets:
        raise ToolFailure(
            f"{job.problem} has version {problem.version} for {', '.join(problem.targets)} here; "
            f"the job asks for version {job.problem_version} for {job.target}",
            action="let portal and workers run the same release",
        )
    if device.target is not job.target:
        raise ToolFailure(
            f"{job.device} is no {job.target} product",
            action="let the portal ask for a device of the target that the job names",
        )
    return Job(source, job.language, problem, job.target, device)
