"""The bundle of the sample kernel, judged to the end with fakes behind the ports: what ``judge --bundle`` would write."""

import hashlib
from dataclasses import replace

from fake_adapters import FakeClock, MemoryArtifacts
from fake_measurer import FakeMeasurer
from sample_run import JOB, PROBLEM, SOURCE, sample_tools

from evaluation.cli import exit_codes
from evaluation.core.bundle.bundle import pack
from evaluation.core.findings import findings_of
from evaluation.core.judgement import Judgement
from evaluation.core.measure.hand_over import prepared_from
from evaluation.core.measure.parts import parts_of
from evaluation.core.pipeline import Tools, prepare
from evaluation.core.pipeline_measure import MeasureTools, measure
from evaluation.core.records import ArtifactRef, Outcome, StageReport


def judged(
    measurer: FakeMeasurer | None = None, tools: Tools | None = None
) -> tuple[Judgement, MemoryArtifacts]:
    """A judgement of the sample and where its artifacts are."""
    tools = sample_tools() if tools is None else tools
    assert isinstance(tools.artifacts, MemoryArtifacts)
    reports = tuple(prepare(JOB, tools, lambda _: None))
    if Outcome(reports).verdict is None:
        prepared = prepared_from(PROBLEM, JOB.device, parts_of(Outcome(reports)), tools.artifacts)
        gpu = MeasureTools(tools.artifacts, FakeClock(), None)
        measured = measure(prepared, measurer or FakeMeasurer(), gpu, lambda _: None)
        reports = (*reports, *measured)
    return judgement_of(reports), tools.artifacts


def judgement_of(reports: tuple[StageReport, ...]) -> Judgement:
    outcome = Outcome(reports)
    found = findings_of(outcome)
    return Judgement(
        source="kernel.cu",
        source_sha256=hashlib.sha256(SOURCE).hexdigest(),
        problem=PROBLEM.name,
        problem_version=PROBLEM.version,
        target=JOB.target,
        device=JOB.device.product,
        reports=reports,
        missing=(),
        verdict=outcome.verdict,
        correct=found.correct,
        instruction=found.instruction,
        speed=found.speed,
        speed_reason=found.speed_reason,
        integrity=found.integrity,
        exit_code=exit_codes.of_verdict(outcome.verdict),
    )


def bundle_of(judgement: Judgement, artifacts: MemoryArtifacts) -> bytes:
    return pack(judgement, SOURCE, lambda ref: artifacts.stored[ref.sha256])


def sample_bundle(measurer: FakeMeasurer | None = None, tools: Tools | None = None) -> bytes:
    return bundle_of(*judged(measurer, tools))


def with_artifact(name: str, content: bytes) -> bytes:
    """The sample's bundle with another artifact of this name, sealed as if it had been so from the start."""
    judgement, artifacts = judged()
    ref = ArtifactRef(name, hashlib.sha256(content).hexdigest(), len(content))
    artifacts.stored[ref.sha256] = content
    reports = tuple(
        replace(
            report,
            artifacts=tuple(ref if one.name == name else one for one in report.artifacts),
        )
        for report in judgement.reports
    )
    return bundle_of(replace(judgement, reports=reports), artifacts)
