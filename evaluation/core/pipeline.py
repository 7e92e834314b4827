"""The order of the stages that need no GPU, and nothing else: every step is a tool behind a port or a pure judgement.

The work of a stage is done only when its report is asked for, so that stopping early is simply not asking. The stages
behind the hand-over are in ``pipeline_measure.py``.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from evaluation.core import wire
from evaluation.core.binary.binary_rules import judge_binaries
from evaluation.core.binary.facts import CubinFacts, LibraryFacts
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Problem, argument_list
from evaluation.core.compile.build import Built, Program, judge_build
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.compile.description import Description
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.measure.hand_over import facts_document
from evaluation.core.plan.plan import LaunchStep, Plan
from evaluation.core.plan.plan_json import plan_to_json
from evaluation.core.plan.plan_limits import device_limits
from evaluation.core.ports import Artifacts
from evaluation.core.record.raw import Recordings
from evaluation.core.record.record import NeedsNoise
from evaluation.core.record.record_report import judge_recordings
from evaluation.core.record.record_subject import Subject, plan_arguments
from evaluation.core.records import ArtifactRef, Remark, StageReport
from evaluation.core.scan.evidence import requirement
from evaluation.core.scan.reads import parameter_reads
from evaluation.core.scan.sass import Disassembly, Unreadable
from evaluation.core.scan.scan import scan
from evaluation.core.scan.scan_report import refuse as refuse_scan
from evaluation.core.scan.scan_report import report as report_scan
from evaluation.core.source.policy import review
from evaluation.core.staged import Begin, staged
from evaluation.core.verdict import Language, Stage, Target, Verdict


@dataclass(frozen=True, slots=True)
class Job:
    """What is asked: this source for this problem, compiled for a target, recorded for a product of it."""

    source: bytes
    language: Language
    problem: Problem
    target: Target
    device: Device


class Compiler(Protocol):
    def build(self, source: bytes, target: Target) -> Program: ...

    def description(self, target: Target, headers: HeaderSet, *, prints: bool) -> Description:
        """How a build with these headers is made; ``prints``: with printf and assert replaced."""
        ...


class Inspector(Protocol):
    """Both raise InvalidInput when the artifact cannot be read within limits."""

    def cubin(self, content: bytes) -> CubinFacts: ...

    def library(self, content: bytes) -> LibraryFacts: ...


class Disassembler(Protocol):
    def disassemble(self, cubin: bytes) -> Disassembly | Unreadable: ...


class Recorder(Protocol):
    @property
    def calls(self) -> int:
        """How many calls of ``run`` each process makes."""
        ...

    def record(
        self, library: bytes, *, problem: Problem, cubin: CubinFacts, device: Device, noise: int
    ) -> Recordings:
        """Record twice; with ``noise`` that many more processes at random addresses."""
        ...


@dataclass(frozen=True, slots=True)
class Tools:
    """Everything outside that a prepare run needs.

    ``toolchain`` is the toolchain id: everything that can change a cubin or a plan. ``names`` are the functions that
    the recording shim defines.
    """

    toolchain: str
    compiler: Compiler
    inspector: Inspector
    disassembler: Disassembler
    recorder: Recorder
    names: frozenset[str]
    artifacts: Artifacts
    clock: Callable[[], float]  # seconds, monotonic


@dataclass(frozen=True, slots=True)
class _Kernel:
    """What a build that keeps the rules leaves for the later stages."""

    built: Built
    cubin_sha256: str
    cubin: CubinFacts


def prepare(job: Job, tools: Tools, begin: Begin) -> Iterator[StageReport]:
    """Yield policy, build, record and scan; a report with a verdict is the last one.

    ``begin`` hears of each stage before its work starts. Raise ToolFailure for our own faults.
    """
    policy, _ = staged(Stage.POLICY, tools.clock, begin, lambda: (_review(job), None))
    yield policy
    if policy.ends_run:
        return
    build, kernel = staged(Stage.BUILD, tools.clock, begin, lambda: _build(job, tools))
    yield build
    if kernel is None:
        return
    record, read = staged(Stage.RECORD, tools.clock, begin, lambda: _record(job, tools, kernel))
    yield record
    if read is None:
        return
    yield staged(Stage.SCAN, tools.clock, begin, lambda: (_scan(job, tools, kernel, *read), None))[
        0
    ]


def _review(job: Job) -> StageReport:
    return review(job.source, language=job.language)


def _build(job: Job, tools: Tools) -> tuple[StageReport, _Kernel | None]:
    program = tools.compiler.build(job.source, job.target)
    described = tools.compiler.description(
        job.target,
        program.headers,
        prints=isinstance(program, Built) and bool(program.unmodified_cubin),
    )
    made = judge_build(
        program,
        target=job.target,
        toolchain=tools.toolchain,
        artifacts=(tools.artifacts.put("build", wire.encode(described)),),
    )
    if not isinstance(program, Built):
        return made, None
    try:
        cubin = tools.inspector.cubin(program.cubin)
        library = tools.inspector.library(program.library)
    except InvalidInput as unreadable:
        return _unreadable(made, unreadable), None
    rules = judge_binaries(library, cubin, tools.names)
    report = replace(
        made,
        headline=rules.headline if rules.ends_run else made.headline,
        verdict=rules.verdict,
        remarks=made.remarks + rules.remarks,
        signals=made.signals + rules.signals,
        facts=made.facts + rules.facts,
        artifacts=(
            *made.artifacts,
            tools.artifacts.put("cubin", program.cubin),
            *_unmodified(program, tools),
            tools.artifacts.put("facts", facts_document(cubin)),
            tools.artifacts.put("ptx", program.ptx),
            tools.artifacts.put("library", program.library),
        ),
    )
    sha256 = hashlib.sha256(program.cubin).hexdigest()
    return report, None if rules.ends_run else _Kernel(program, sha256, cubin)


def _unmodified(program: Built, tools: Tools) -> tuple[ArtifactRef, ...]:
    """The cubin that still calls printf or assert: kept as evidence, used by no stage."""
    cubin = program.unmodified_cubin
    return (tools.artifacts.put("unmodified_cubin", cubin),) if cubin else ()


def _unreadable(made: StageReport, why: InvalidInput) -> StageReport:
    remark = Remark(
        rule="unreadable_file",
        message=f"the built {why.where} cannot be read: {why.rule}",
        instead="a smaller file: fewer template instances, smaller tables",
    )
    return replace(made, headline=remark.message, verdict=Verdict.BUILD_FAILED, remarks=(remark,))


def _record(
    job: Job, tools: Tools, kernel: _Kernel
) -> tuple[StageReport, tuple[Disassembly | Unreadable, Plan] | None]:
    disassembly = tools.disassembler.disassemble(kernel.built.cubin)
    subject = Subject(
        problem=job.problem.name,
        problem_version=job.problem.version,
        target=job.target,
        table=job.device,
        toolchain=tools.toolchain,
        cubin_sha256=kernel.cubin_sha256,
        cubin=kernel.cubin,
        # Without machine code no padding can be told; noise recordings take its place.
        reads=()
        if isinstance(disassembly, Unreadable)
        else parameter_reads(disassembly, kernel.cubin),
        arguments=plan_arguments(argument_list(job.problem)),
        limits=device_limits(job.device),
        calls=tools.recorder.calls,
    )
    recorded = judge_recordings(_recordings(job, tools, kernel, noise=0), subject)
    if isinstance(recorded, NeedsNoise):
        noisy = _recordings(job, tools, kernel, noise=recorded.recordings)
        recorded = judge_recordings(noisy, subject)
    if isinstance(recorded, NeedsNoise):
        raise ToolFailure(
            f"the differ asked for {recorded.recordings} noise recordings and the recorder brought "
            f"{len(noisy.noise)}",
            action="report this as a bug of ptxboard: the recorder must bring what the differ asks for",
        )
    if recorded.plan is None:
        return recorded.report, None
    plan = tools.artifacts.put("plan", plan_to_json(recorded.plan))
    return replace(recorded.report, artifacts=(plan,)), (disassembly, recorded.plan)


def _recordings(job: Job, tools: Tools, kernel: _Kernel, *, noise: int) -> Recordings:
    return tools.recorder.record(
        kernel.built.library,
        problem=job.problem,
        cubin=kernel.cubin,
        device=job.device,
        noise=noise,
    )


def _scan(
    job: Job, tools: Tools, kernel: _Kernel, disassembly: Disassembly | Unreadable, plan: Plan
) -> StageReport:
    if isinstance(disassembly, Unreadable):
        return refuse_scan(disassembly)
    try:
        result = scan(
            disassembly,
            kernel.cubin,
            launched=launched_functions(plan),
            required=requirement(job.problem, job.target),
        )
    except InvalidInput as disagree:
        # Disassembler, ELF and plan name different functions: the image was made to be read in two ways.
        return refuse_scan(Unreadable(f"{disagree.key}: {disagree.rule}"))
    report = report_scan(result)
    evidence = tools.artifacts.put("sass_evidence", report.log.encode())
    return replace(report, artifacts=(evidence,))


def launched_functions(plan: Plan) -> tuple[str, ...]:
    """The functions that a plan launches, each once, in the order of their first launch."""
    names = (step.function for step in plan.steps if isinstance(step, LaunchStep))
    return tuple(dict.fromkeys(names))
