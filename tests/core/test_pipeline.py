"""The order of the stages and every way out of it, with fakes behind the ports."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace

import pytest
from fake_adapters import (
    FakeCompiler,
    FakeDisassembler,
    FakeInspector,
    FakeRecorder,
    MemoryArtifacts,
    RecordRequest,
    recording,
)
from sample_run import (
    BUILT,
    CUBIN,
    JOB,
    LIBRARY,
    SASS,
    journal,
    recorder,
    sample_tools,
    sass,
)

from evaluation.core.compile.build import Failed, FailureKind
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.pipeline import Job, Tools, launched_functions, prepare
from evaluation.core.plan.plan import Plan
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.records import ArtifactRef, StageReport
from evaluation.core.scan.sass import Unreadable
from evaluation.core.verdict import Language, Stage, Target, Verdict

# The facts of the sample's cubin as the reader of built files would have written them.
FACTS = (
    b'{"facts":{"externs":[],"functions":[{"barriers":0,"cluster":null,"code_bytes":96,"grid_counts_clusters":false,'
    b'"local_bytes":0,"max_cluster_blocks":0,"max_threads":0,"name":"k","parameter_base":528,"parameter_bytes":32,'
    b'"parameters":[{"offset":0,"ordinal":0,"size":8},{"offset":8,"ordinal":1,"size":8},'
    b'{"offset":16,"ordinal":2,"size":8},{"offset":24,"ordinal":3,"size":8}],"registers":32,"required_block":null,'
    b'"static_shared_bytes":0}],"global_bytes":0,"overflowing":[],"sm":90,"symbols":[]},"refusal":null}'
)
# How the fake compiler says that it made the sample.
DESCRIBED = (
    b'{"commands":[{"argv":["cc","sm_90a","slim","False"],"part":"device","step":"compile"}],'
    b'"environment":[["TZ","UTC"]],"host_tools":["gcc 12"],"packages":[["nvcc","13.0"]],"toolchain":"fake"}'
)
GPU_LESS = [Stage.POLICY, Stage.BUILD, Stage.RECORD, Stage.SCAN]


class Watch:
    """Hears which stages begin."""

    def __init__(self) -> None:
        self.begun: list[Stage] = []

    def __call__(self, stage: Stage) -> None:
        self.begun.append(stage)


def run(tools: Tools, job: Job = JOB) -> tuple[list[StageReport], list[Stage]]:
    """All reports, and the stages that began."""
    watch = Watch()
    return list(prepare(job, tools, watch)), watch.begun


def ended_after(tools: Tools, stages: list[Stage], verdict: Verdict, job: Job = JOB) -> StageReport:
    """The last report of a run that ends after exactly these stages, of which only the last has a verdict."""
    reports, begun = run(tools, job)
    assert [one.stage for one in reports] == stages
    assert begun == stages
    assert [one.verdict for one in reports] == [None] * (len(stages) - 1) + [verdict]
    return reports[-1]


def stored(tools: Tools) -> MemoryArtifacts:
    assert isinstance(tools.artifacts, MemoryArtifacts)
    return tools.artifacts


def noises(tools: Tools) -> list[int]:
    assert isinstance(tools.recorder, FakeRecorder)
    return [one.noise for one in tools.recorder.asked]


def plan_of(tools: Tools, report: StageReport) -> Plan:
    (ref,) = report.artifacts
    assert ref.name == "plan"
    return plan_from_json(tools.artifacts.get(ref.sha256, limit_bytes=1 << 20))


def test_an_honest_kernel_goes_through_four_stages_without_a_verdict() -> None:
    reports, begun = run(sample_tools())
    assert [one.stage for one in reports] == GPU_LESS
    assert begun == GPU_LESS
    assert [one.verdict for one in reports] == [None] * 4
    assert [one.signals for one in reports] == [()] * 4


def test_the_cubin_that_still_prints_is_kept_and_the_measured_one_is_inspected() -> None:
    program = replace(BUILT, unmodified_cubin=b"with printf")
    tools = sample_tools(program=program)
    _, build, *_ = run(tools)[0]

    assert [(one.name, stored(tools).stored[one.sha256]) for one in build.artifacts[1:3]] == [
        ("cubin", b"the cubin"),
        ("unmodified_cubin", b"with printf"),
    ]
    assert isinstance(tools.inspector, FakeInspector)
    assert b"with printf" not in tools.inspector.asked


def test_artifacts_are_stored_under_their_names_and_reports_point_at_them() -> None:
    tools = sample_tools()
    policy, build, record, scan = run(tools)[0]
    assert stored(tools).names == [
        "build",
        "cubin",
        "facts",
        "ptx",
        "library",
        "plan",
        "sass_evidence",
    ]
    assert policy.artifacts == ()
    assert build.artifacts == (
        ArtifactRef("build", hashlib.sha256(DESCRIBED).hexdigest(), len(DESCRIBED)),
        ArtifactRef("cubin", "0635878f3bf37143acde12f4e5029705f45e235deb753887052281b11652c9f4", 9),
        ArtifactRef("facts", hashlib.sha256(FACTS).hexdigest(), len(FACTS)),
        ArtifactRef("ptx", "eb2d505a2d32339e3190708182a9bf24180090f2b43dfd3162ffa2df6686607b", 7),
        ArtifactRef(
            "library", "0ea2bff2393cf54f7adcc77a67a67a94d878e90b24b550f0f2fad783ecc78c4e", 11
        ),
    )
    assert launched_functions(plan_of(tools, record)) == ("k",)
    (evidence,) = scan.artifacts
    assert evidence.name == "sass_evidence"
    assert stored(tools).get(evidence.sha256, limit_bytes=1 << 20).decode() == scan.log


def test_the_plan_names_what_it_was_made_for_and_from() -> None:
    tools = sample_tools()
    plan = plan_of(tools, run(tools)[0][2])
    assert (plan.problem, plan.problem_version) == ("gemm_n7168_k5120", 1)
    assert (plan.target, plan.device, plan.toolchain) == (Target.HOPPER, "h200", "fake")
    assert plan.cubin_sha256 == "0635878f3bf37143acde12f4e5029705f45e235deb753887052281b11652c9f4"
    assert [(one.name, one.is_output, one.size) for one in plan.arguments] == [
        ("A", False, 83886080),
        ("B", False, 73400320),
        ("C", True, 117440512),
    ]


def test_seconds_are_the_clock_s_at_the_end_less_at_the_begin_of_a_stage() -> None:
    class Stopwatch:
        """Readings by hand: begin and end of four stages."""

        def __init__(self) -> None:
            self.readings = iter([10.0, 10.5, 20.0, 24.0, 30.0, 31.0, 50.0, 50.25])

        def __call__(self) -> float:
            return next(self.readings)

    tools = replace(sample_tools(), clock=Stopwatch())
    assert [one.seconds for one in run(tools)[0]] == [0.5, 4.0, 1.0, 0.25]


def test_every_tool_is_handed_what_the_one_before_it_made() -> None:
    tools = sample_tools()
    run(tools)
    assert isinstance(tools.compiler, FakeCompiler)
    assert isinstance(tools.inspector, FakeInspector)
    assert isinstance(tools.disassembler, FakeDisassembler)
    assert tools.compiler.asked == [(JOB.source, Target.HOPPER)]
    assert tools.inspector.asked == [b"the cubin", b"the library"]
    assert tools.disassembler.asked == [b"the cubin"]
    assert isinstance(tools.recorder, FakeRecorder)
    assert tools.recorder.asked == [
        RecordRequest(b"the library", JOB.problem, CUBIN, JOB.device, noise=0)
    ]


def test_who_takes_only_the_first_report_pays_for_the_policy_alone() -> None:
    tools = sample_tools()
    watch = Watch()
    reports = prepare(JOB, tools, watch)
    assert watch.begun == []
    assert next(reports).stage is Stage.POLICY
    assert isinstance(tools.compiler, FakeCompiler)
    assert tools.compiler.asked == []
    assert watch.begun == [Stage.POLICY]


def test_a_stage_is_announced_before_its_work_starts() -> None:
    tools = sample_tools()
    assert isinstance(tools.compiler, FakeCompiler)
    compiler = tools.compiler
    builds_before: dict[Stage, int] = {}

    def begin(stage: Stage) -> None:
        builds_before[stage] = len(compiler.asked)

    list(prepare(JOB, tools, begin))
    assert builds_before[Stage.BUILD] == 0
    assert builds_before[Stage.RECORD] == 1


def test_a_rejected_source_is_never_compiled() -> None:
    tools = sample_tools()
    job = replace(JOB, source=b"#include <cublas_v2.h>\n")
    report = ended_after(tools, [Stage.POLICY], Verdict.POLICY_REJECTED, job)
    assert report.remarks[0].line == 1
    assert stored(tools).names == []


def test_another_language_than_cuda_is_not_recordable_yet() -> None:
    job = replace(JOB, language=Language.TRITON)
    ended_after(sample_tools(), [Stage.POLICY], Verdict.NOT_RECORDABLE, job)


def test_a_source_that_does_not_compile_ends_with_the_compiler_s_log() -> None:
    failed = Failed(FailureKind.ERROR, "device_compile", HeaderSet.REAL, "kernel.cu(1): error", 2.0)
    tools = sample_tools(program=failed)
    report = ended_after(tools, [Stage.POLICY, Stage.BUILD], Verdict.BUILD_FAILED)
    assert report.log == "kernel.cu(1): error"
    assert stored(tools).names == ["build"]
    assert [one.name for one in report.artifacts] == ["build"]
    assert noises(tools) == []


@pytest.mark.parametrize("which", ["cubin", "library"])
def test_a_built_file_that_no_reader_takes_is_the_kernel_s_failure(which: str) -> None:
    broken = InvalidInput(where=which, key="sections", rule="more than 4096 sections")
    tools = sample_tools(cubin=broken) if which == "cubin" else sample_tools(library=broken)
    report = ended_after(tools, [Stage.POLICY, Stage.BUILD], Verdict.BUILD_FAILED)
    assert report.headline == f"the built {which} cannot be read: more than 4096 sections"
    assert [one.rule for one in report.remarks] == ["unreadable_file"]
    assert [one.name for one in report.artifacts] == ["build"]


def test_a_built_library_that_breaks_a_binary_rule_is_kept_and_not_recorded() -> None:
    tools = sample_tools(library=replace(LIBRARY, needed=("libcublas.so.13",)))
    report = ended_after(tools, [Stage.POLICY, Stage.BUILD], Verdict.POLICY_REJECTED)
    assert report.headline == "the host library needs libcublas.so.13, which may not be linked"
    assert [one.rule for one in report.remarks] == ["needed_library"]
    assert stored(tools).names == ["build", "cubin", "facts", "ptx", "library"]
    assert noises(tools) == []


def test_the_build_report_joins_what_the_compiler_and_the_binary_rules_say() -> None:
    tools = sample_tools(library=replace(LIBRARY, text_relocations=True))
    build = run(tools)[0][1]
    assert build.headline == "compiled for sm_90a"
    assert [one.kind for one in build.signals] == ["text_relocations"]
    names = {one.name for one in build.facts}
    assert {"target", "toolchain", "headers", "cubin_sha256", "kernels"} <= names


def test_host_code_that_cannot_be_recorded_ends_without_a_plan() -> None:
    lines = [
        *journal().splitlines()[:7],
        b'{"e":"call","n":1,"set":0}',
        b'{"e":"refused","call":"cudaGraphLaunch","why":"graphs are not recorded"}',
    ]
    refused = b"".join(line + b"\n" for line in lines)
    recorded = FakeRecorder(recording(refused), recording(refused))
    tools = sample_tools(recorded=recorded)
    report = ended_after(tools, GPU_LESS[:3], Verdict.NOT_RECORDABLE)
    assert report.headline == "cannot record 'cudaGraphLaunch' in call 1: 'graphs are not recorded'"
    assert stored(tools).names == ["build", "cubin", "facts", "ptx", "library"]


def test_host_code_that_launches_nothing_has_no_kernel() -> None:
    ended_after(sample_tools(recorded=recorder(launches=0)), GPU_LESS[:3], Verdict.NO_KERNEL)


def test_noise_is_recorded_once_where_no_mask_tells_the_padding() -> None:
    recorded = recorder()
    recorded.noisy = recording(journal(padding=b"\0\x12\x34\0"))
    inexact = sass("LDC R2,c[0x0][R4+0x210]", *["NOP"] * 4, "EXIT")
    tools = sample_tools(disassembly=inexact, recorded=recorded)
    reports, begun = run(tools)
    assert noises(tools) == [0, 6]
    assert begun == GPU_LESS
    (launch,) = plan_of(tools, reports[2]).steady
    ranges = [(one.start, one.end) for one in launch.undetermined]  # type: ignore[union-attr]
    assert ranges == [(29, 31)]


def test_noise_that_never_comes_is_our_failure() -> None:
    inexact = sass("LDC R2,c[0x0][R4+0x210]", *["NOP"] * 4, "EXIT")
    tools = sample_tools(disassembly=inexact)
    with pytest.raises(
        ToolFailure, match="asked for 6 noise recordings and the recorder brought 0"
    ):
        run(tools)
    assert noises(tools) == [0, 6]


def test_machine_code_that_cannot_be_read_is_recorded_with_noise_and_refused_by_the_scan() -> None:
    recorded = recorder()
    recorded.noisy = recording(journal())
    tools = sample_tools(disassembly=Unreadable("longer than 33554432 bytes"), recorded=recorded)
    report = ended_after(tools, GPU_LESS, Verdict.BUILD_FAILED)
    assert report.headline == "the machine code cannot be read"
    assert report.remarks[0].message == "longer than 33554432 bytes"
    assert noises(tools) == [0, 6]
    assert stored(tools).names == ["build", "cubin", "facts", "ptx", "library", "plan"]


def test_a_disassembly_of_other_functions_than_the_elf_names_is_refused_by_the_scan() -> None:
    longer = replace(CUBIN, functions=(replace(CUBIN.functions[0], code_bytes=112),))
    tools = sample_tools(cubin=longer)
    report = ended_after(tools, GPU_LESS, Verdict.BUILD_FAILED)
    assert (
        report.remarks[0].message
        == "functions: disassembly and ELF name different functions or sizes"
    )


@pytest.mark.parametrize(
    ("tools", "begun"),
    [
        (sample_tools(program=ToolFailure("the disk is full")), [Stage.POLICY, Stage.BUILD]),
        (sample_tools(disassembly=ToolFailure("the disk is full")), GPU_LESS[:3]),
    ],
    ids=["compiler", "disassembler"],
)
def test_our_failure_passes_through_and_is_never_a_report(tools: Tools, begun: list[Stage]) -> None:
    watch = Watch()
    with pytest.raises(ToolFailure, match="the disk is full"):
        list(prepare(JOB, tools, watch))
    assert watch.begun == begun


def test_an_artifact_that_cannot_be_stored_is_our_failure() -> None:
    class Full(MemoryArtifacts):
        def put(self, name: str, content: bytes) -> ArtifactRef:
            raise ToolFailure(f"cannot store artifact {name}")

    with pytest.raises(ToolFailure, match="cannot store artifact build"):
        run(replace(sample_tools(), artifacts=Full()))


def test_a_kernel_that_a_call_launches_twice_is_one_launched_function() -> None:
    tools = sample_tools(recorded=recorder(launches=2))
    plan = plan_of(tools, run(tools)[0][2])
    assert len(plan.steady) == 2
    assert launched_functions(plan) == ("k",)


def test_without_the_target_s_family_the_scan_notes_it_and_the_run_goes_on() -> None:
    plain = sass(*[f"LDC.64 R{2 * i},c[0x0][{0x210 + 8 * i:#x}]" for i in range(4)], "NOP", "EXIT")
    reports, _ = run(sample_tools(disassembly=plain))
    assert reports[-1].verdict is None
    assert [one.kind for one in reports[-1].signals] == ["family_absent"]


def test_the_same_job_makes_the_same_reports_and_the_same_plan() -> None:
    first, second = sample_tools(), sample_tools()
    assert run(first)[0] == run(second)[0]
    assert stored(first).stored == stored(second).stored


def test_a_generator_that_is_closed_early_starts_nothing_more() -> None:
    tools = sample_tools()
    watch = Watch()
    reports: Iterator[StageReport] = prepare(JOB, tools, watch)
    next(reports)
    reports.close()  # type: ignore[attr-defined]
    assert list(reports) == []
    assert watch.begun == [Stage.POLICY]


def test_the_sample_is_what_its_name_says() -> None:
    """A change of the sample that made it dishonest would make half of this file prove nothing."""
    assert BUILT.cubin == b"the cubin"
    assert SASS.functions[0].code_bytes == CUBIN.functions[0].code_bytes
