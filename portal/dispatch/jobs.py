"""A run and its attempt as the message that its worker gets."""

from evaluation import queues
from evaluation.core import wire
from evaluation.core.measure.parts import Parts
from evaluation.core.messages import Attempt as AttemptName
from evaluation.core.messages import MeasureJob, PrepareJob, Versions
from evaluation.core.records import ArtifactRef
from evaluation.core.run_words import Half
from evaluation.core.verdict import FamilyExecuted, Language, Target
from evaluation.models import Artifact, Attempt, Run
from evaluation.services import losses_of

TASKS = {Half.PREPARE: queues.PREPARE_TASK, Half.MEASURE: queues.MEASURE_TASK}


def job_text(attempt: Attempt, run: Run, key: str) -> str:
    """The JSON of the job. ``run`` comes with its kernel, and with its parts for a measure half."""
    name = AttemptName(str(attempt.uid), attempt.number, key)
    job = (
        _prepare_job(name, run, attempt.device)
        if attempt.half == Half.PREPARE
        else _measure_job(name, run, attempt.device)
    )
    return wire.encode(job).decode("ascii")


def _prepare_job(name: AttemptName, run: Run, device: str) -> PrepareJob:
    return PrepareJob(
        versions=Versions(),
        attempt=name,
        source_sha256=run.kernel.sha256,
        source_bytes=run.kernel.size,
        language=Language(run.language),
        problem=run.problem,
        problem_version=run.problem_version,
        target=Target(run.target),
        device=device,
    )


def _measure_job(name: AttemptName, run: Run, device: str) -> MeasureJob:
    return MeasureJob(
        versions=Versions(),
        attempt=name,
        parts=Parts(
            _part("plan", run.plan),
            _part("cubin", run.cubin),
            _part("facts", run.facts),
            FamilyExecuted(run.scan_family),
            run.bulk_rows,
        ),
        problem=run.problem,
        problem_version=run.problem_version,
        target=Target(run.target),
        device=device,
        losses=losses_of(run),
    )


def _part(name: str, artifact: Artifact | None) -> ArtifactRef:
    assert artifact is not None, "a run is ready with its parts only"
    return ArtifactRef(name, artifact.sha256, artifact.size)
