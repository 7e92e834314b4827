"""The Celery tasks of the evaluation side. Thin: a name, a message, a call."""

from collections.abc import Iterator
from functools import cache

from celery.exceptions import SoftTimeLimitExceeded

from evaluation import attempt, queues
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.reporter import QueueReporter
from evaluation.adapters.wiring import prepare_tools
from evaluation.core import pipeline
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.messages import PrepareJob
from evaluation.core.pipeline import Begin, Job, Tools
from evaluation.core.records import StageReport
from evaluation.worker import app, state, worker_name


@app.task(name=queues.PREPARE_TASK)
def prepare(text: str) -> None:
    """Take one source through the stages that need no GPU; ``text`` is a PrepareJob as JSON."""
    tools = _tools()
    desk = attempt.Desk(
        worker=worker_name(),
        reporter=QueueReporter(app),
        artifacts=tools.artifacts,
        stages=_stages,
        heartbeat_seconds=queues.HEARTBEAT_SECONDS,
    )
    attempt.prepare(text, desk)


@cache
def _tools() -> Tools:
    """Once a worker process: the toolchain is read and the recorder built on first use, never in the parent."""
    return prepare_tools(state())


def _stages(job: PrepareJob, source: bytes, begin: Begin) -> Iterator[StageReport]:
    try:
        yield from pipeline.prepare(_job(job, source), _tools(), begin)
    except SoftTimeLimitExceeded as stopped:
        raise ToolFailure(
            f"the stages took more than {queues.PREPARE_LIMITS.soft} s together on this worker",
            action="see whether the host is overloaded; every stage has limits of its own",
        ) from stopped


def _job(job: PrepareJob, source: bytes) -> Job:
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
        raise ToolFailure(f"{job.device} is no {job.target} product")
    return Job(source, job.language, problem, job.target, device)
