"""How the compiler reads the ends of its jails: limits and exit codes decide, the tools' words never do."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from evaluation.adapters.nvcc import Nvcc
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.compile.build import BuildLimits, Built, Failed, FailureKind, StepTime
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import ToolFailure
from evaluation.core.ports import Captured, JailCommand, JailFile, JailResult
from evaluation.core.source.policy import review
from evaluation.core.verdict import Language, Target

TOOLCHAIN = Toolchain(Path("/tools"), "id", 120200, (), ())

STEPS = {
    "steps": b"",
    "kernel.cudafe1.stub.c": b"start 0 1.0\ndevice_preprocess 0 1.5\ndevice_compile 0 2.0\n",
    "kernel.cudafe1.cpp": b"start 0 1.0\nhost_preprocess 0 1.25\nhost_split 0 2.0\n",
    "kernel.cubin": b"start 0 2.0\nassemble 0 2.5\n",
    "kernel.so": b"start 0 2.0\nhost_compile 0 3.0\nhost_assemble 0 3.0\nshim_name 0 3.0\nshim_name 0 3.0\nlink 0 3.5\n",
}


def part_of(command: JailCommand) -> str:
    """A part is known by the first file that it hands out."""
    return command.outputs[0].name


def good(command: JailCommand, **changes: object) -> JailResult:
    fields: dict[str, object] = {
        "exit_code": 0,
        "signal": None,
        "timed_out": False,
        "cpu_exhausted": False,
        "memory_exhausted": False,
        "stdout": Captured(b""),
        "stderr": Captured(b""),
        "outputs": outputs(command, STEPS[part_of(command)]),
        "seconds": 1.0,
    }
    return JailResult(**{**fields, **changes})  # type: ignore[arg-type]


def outputs(command: JailCommand, steps: bytes) -> dict[str, Captured]:
    products = {one.name: Captured(one.name.encode()) for one in command.outputs}
    return {**products, "steps": Captured(steps)}


@dataclass
class FakeJail:
    """Every part goes well, but for the ones with an answer of their own."""

    answers: dict[str, Callable[[JailCommand], JailResult]] = field(default_factory=dict)
    commands: list[JailCommand] = field(default_factory=list)

    def run(self, command: JailCommand) -> JailResult:
        self.commands.append(command)
        return self.answers.get(part_of(command), good)(command)


def build(jail: FakeJail, *headers: HeaderSet, source: bytes = b"source") -> Built | Failed:
    compiler = Nvcc(jail, TOOLCHAIN, (JailFile("/slim/tvm/ffi/tvm_ffi.h", b"slim"),))
    return compiler.build(source, Target.HOPPER, headers=headers or (HeaderSet.REAL,))


def ends(steps: bytes, **changes: object) -> Callable[[JailCommand], JailResult]:
    def answer(command: JailCommand) -> JailResult:
        return good(command, **{"exit_code": 1, "outputs": outputs(command, steps), **changes})

    return answer


def test_the_products_are_what_each_tool_wrote_itself() -> None:
    jail = FakeJail()

    program = build(jail)

    assert isinstance(program, Built)
    assert (program.cubin, program.ptx, program.library) == (
        b"kernel.cubin",
        b"kernel.ptx",
        b"kernel.so",
    )
    assert [(step.name, step.seconds) for step in program.steps[:4]] == [
        ("device_preprocess", 0.5),
        ("device_compile", 0.5),
        ("host_preprocess", 0.25),
        ("host_split", 0.75),
    ]


def test_the_assembler_is_given_the_ptx_and_nothing_of_the_source() -> None:
    jail = FakeJail()

    build(jail, source=b"the source")

    given = {
        part_of(command): {file.destination: file.content for file in command.files}
        for command in jail.commands
    }
    assert given["kernel.cubin"]["/w/kernel.ptx"] == b"kernel.ptx"
    assert b"the source" not in given["kernel.cubin"].values()
    assert b"the source" not in given["kernel.so"].values()
    assert given["kernel.cudafe1.cpp"]["/w/kernel.cu"] == b"the source"


PRINTS = b"""\
.extern .func (.param .b32 r) vprintf ( .param .b64 a, .param .b64 b );
"""


def ptx(content: bytes) -> dict[str, Callable[[JailCommand], JailResult]]:
    def front(command: JailCommand) -> JailResult:
        made = good(command)
        return replace(made, outputs={**made.outputs, "kernel.ptx": Captured(content)})

    def assembler(command: JailCommand) -> JailResult:
        both = len(command.outputs) == len(("kernel.cubin", "measured.cubin", "steps"))
        steps = b"start 0 2.0\nassemble 0 2.5\n" + b"assemble_measured 0 2.75\n" * both
        return good(command, outputs=outputs(command, steps))

    return {"kernel.cudafe1.stub.c": front, "kernel.cubin": assembler}


def test_a_kernel_that_prints_is_assembled_twice_and_the_image_without_printf_is_the_cubin() -> (
    None
):
    jail = FakeJail(ptx(PRINTS))

    program = build(jail)

    assert isinstance(program, Built)
    assert (program.cubin, program.unmodified_cubin) == (b"measured.cubin", b"kernel.cubin")
    assert program.ptx == PRINTS
    assert StepTime("assemble_measured", 0.25) in program.steps
    (assembler,) = (one for one in jail.commands if part_of(one) == "kernel.cubin")
    given = {file.destination: file.content for file in assembler.files}
    assert given["/w/kernel.ptx"] == PRINTS
    assert b".extern" not in given["/w/measured.ptx"]


def test_a_kernel_that_does_not_print_is_assembled_once() -> None:
    jail = FakeJail(ptx(b"// nothing of the driver\n"))

    program = build(jail)

    assert isinstance(program, Built)
    assert (program.cubin, program.unmodified_cubin) == (b"kernel.cubin", b"")
    assert "assemble_measured" not in [step.name for step in program.steps]


def test_printf_in_a_form_that_cannot_be_replaced_fails_the_build_and_the_log_says_why() -> None:
    program = build(FakeJail(ptx(PRINTS + PRINTS)))

    assert isinstance(program, Failed)
    assert (program.kind, program.step) == (FailureKind.DEVICE_CALLS, "assemble_measured")
    assert program.log.endswith("PTX declares vprintf 2 times\n")


def test_what_the_assembler_itself_refuses_is_said_by_the_assembler() -> None:
    answers = {
        **ptx(PRINTS + PRINTS),
        "kernel.cubin": ends(b"start 0 2.0\nassemble 1 2.5\n", stderr=Captured(b"duplicate\n")),
    }

    program = build(FakeJail(answers))

    assert isinstance(program, Failed)
    assert (program.kind, program.step, program.log) == (
        FailureKind.ERROR,
        "assemble",
        "duplicate\n",
    )


def test_every_jail_has_a_fixed_environment_and_no_trace_of_ours() -> None:
    jail = FakeJail()

    build(jail)

    assert {command.environment for command in jail.commands} == {
        (
            ("LC_ALL", "C"),
            ("NVVMIR_LIBRARY_DIR", "/toolchain/nvvm/libdevice"),
            ("PATH", "/usr/bin"),
            ("SOURCE_DATE_EPOCH", "0"),
            ("TMPDIR", "/tmp"),  # noqa: S108 - the jail's own
            ("TZ", "UTC"),
        )
    }


ERROR = b"start 0 1.0\ndevice_preprocess 0 1.5\ndevice_compile 1 2.0\n"


@pytest.mark.parametrize(
    ("answer", "kind", "step"),
    [
        (ends(ERROR), FailureKind.ERROR, "device_compile"),
        (ends(ERROR.replace(b" 1 2.0", b" 255 2.0")), FailureKind.ERROR, "device_compile"),
        (ends(ERROR.replace(b" 1 2.0", b" 139 2.0")), FailureKind.CRASH, "device_compile"),
        (ends(b"start 0 1.0\ndevice_preprocess 4 1.5\n"), FailureKind.CRASH, "device_preprocess"),
        (ends(ERROR.replace(b" 1 2.0", b" 152 2.0")), FailureKind.TIMEOUT, "device_compile"),
        (
            ends(ERROR.replace(b" 1 2.0", b" 153 2.0")),
            FailureKind.OBJECT_TOO_LARGE,
            "device_compile",
        ),
        (
            ends(b"start 0 1.0\n", exit_code=None, signal=9, cpu_exhausted=True),
            FailureKind.TIMEOUT,
            "device_preprocess",
        ),
        (ends(ERROR, cpu_exhausted=True), FailureKind.TIMEOUT, "device_compile"),
        (
            ends(ERROR.replace(b" 1 2.0", b" 137 2.0"), cpu_seconds=57.9),
            FailureKind.TIMEOUT,
            "device_compile",
        ),
        (
            ends(ERROR.replace(b" 1 2.0", b" 134 2.0"), cpu_seconds=56.8),
            FailureKind.TIMEOUT,
            "device_compile",
        ),
        (
            ends(ERROR.replace(b" 1 2.0", b" 134 2.0"), cpu_seconds=20.0),
            FailureKind.CRASH,
            "device_compile",
        ),
        (ends(ERROR, cpu_seconds=59.0), FailureKind.ERROR, "device_compile"),
        (ends(ERROR, memory_exhausted=True), FailureKind.MEMORY, "device_compile"),
        (
            ends(b"", exit_code=None, signal=9, memory_exhausted=True),
            FailureKind.MEMORY,
            "device_preprocess",
        ),
    ],
)
def test_a_part_that_ends_badly_is_the_sources_failure(
    answer: Callable[[JailCommand], JailResult], kind: FailureKind, step: str
) -> None:
    program = build(FakeJail({"kernel.cudafe1.stub.c": answer}))

    assert isinstance(program, Failed)
    assert (program.kind, program.step) == (kind, step)


@pytest.mark.parametrize(
    "answer",
    [
        ends(b"", exit_code=127),
        ends(b"start 0 1.0\ndevice_preprocess 137 1.5\n"),
        ends(ERROR.replace(b" 1 2.0", b" 0 2.0"), exit_code=2),
        ends(STEPS["kernel.cudafe1.stub.c"], exit_code=None, signal=9),
    ],
)
def test_a_part_that_was_killed_or_did_not_start_is_our_failure(
    answer: Callable[[JailCommand], JailResult],
) -> None:
    with pytest.raises(ToolFailure, match="killed from outside or did not start"):
        build(FakeJail({"kernel.cudafe1.stub.c": answer}))


@pytest.mark.parametrize("steps", [b"", b"start 0 1.0\n", ERROR])
def test_a_part_that_the_clock_ends_is_our_failure(steps: bytes) -> None:
    late = ends(steps, exit_code=None, signal=9, timed_out=True)

    with pytest.raises(ToolFailure, match="too little processor time"):
        build(FakeJail({"kernel.cudafe1.stub.c": late}))


def test_a_part_that_needs_all_of_its_memory_is_the_sources_failure_also_when_it_hangs() -> None:
    hung = ends(b"", exit_code=None, signal=9, timed_out=True, memory_exhausted=True)

    program = build(FakeJail({"kernel.cudafe1.stub.c": hung}))

    assert isinstance(program, Failed)
    assert program.kind is FailureKind.MEMORY


@dataclass
class Clock:
    """A clock that jumps on once two jails have been started."""

    jail: FakeJail
    jump_seconds: float

    def __call__(self) -> float:
        return self.jump_seconds if len(self.jail.commands) >= 2 else 0.0


def test_a_build_that_no_wall_clock_is_left_for_is_our_failure_and_starts_nothing() -> None:
    jail = FakeJail()
    late = Nvcc(jail, TOOLCHAIN, (), clock=Clock(jail, jump_seconds=600.0))

    with pytest.raises(ToolFailure, match="too little processor time"):
        late.build(b"source", Target.HOPPER, headers=(HeaderSet.REAL,))

    assert len(jail.commands) == 2


def used(seconds: float) -> Callable[[JailCommand], JailResult]:
    return lambda command: good(command, cpu_seconds=seconds)


def allowed(jail: FakeJail) -> dict[str, int]:
    assert all(
        command.argv == ("/usr/bin/bash", "/w/steps", str(command.limits.cpu_seconds))
        for command in jail.commands
    )
    return {part_of(command): command.limits.cpu_seconds for command in jail.commands}


def test_each_half_has_processor_time_of_its_own_for_all_of_its_tools() -> None:
    jail = FakeJail({"kernel.cudafe1.stub.c": used(45.5), "kernel.cudafe1.cpp": used(20.0)})

    assert isinstance(build(jail), Built)
    assert allowed(jail) == {
        "kernel.cudafe1.stub.c": 60,
        "kernel.cudafe1.cpp": 60,
        "kernel.cubin": 14,
        "kernel.so": 40,
    }


def test_both_sets_of_headers_share_the_processor_time() -> None:
    jail = FakeJail({"kernel.cudafe1.stub.c": ends(ERROR, cpu_seconds=50.0)})

    build(jail, HeaderSet.SLIM, HeaderSet.REAL)

    assert allowed(jail)["kernel.cudafe1.stub.c"] == 10


def test_a_half_without_time_left_is_the_sources_failure_and_starts_no_tool() -> None:
    jail = FakeJail({"kernel.cudafe1.stub.c": used(59.5)})

    program = build(jail)

    assert isinstance(program, Failed)
    assert (program.kind, program.step) == (FailureKind.TIMEOUT, "assemble")
    assert "kernel.cubin" not in allowed(jail)


def test_a_tool_that_ends_well_without_a_product_is_our_failure() -> None:
    def nothing(command: JailCommand) -> JailResult:
        return good(
            command,
            outputs={**outputs(command, STEPS["kernel.cubin"]), "kernel.cubin": Captured(b"")},
        )

    with pytest.raises(ToolFailure, match="assemble ended well but made nothing"):
        build(FakeJail({"kernel.cubin": nothing}))


def test_a_product_over_the_limit_is_the_sources_failure() -> None:
    def much(command: JailCommand) -> JailResult:
        return good(
            command,
            outputs={**outputs(command, STEPS["kernel.so"]), "kernel.so": Captured(b"x", 1)},
        )

    program = build(FakeJail({"kernel.so": much}))

    assert isinstance(program, Failed)
    assert (program.kind, program.step) == (FailureKind.OBJECT_TOO_LARGE, "link")


def test_words_of_the_tools_decide_nothing() -> None:
    def lies(command: JailCommand) -> JailResult:
        return good(
            command,
            stderr=Captured(b"ptxas fatal : out of memory\nKilled\nInternal compiler error\n"),
        )

    program = build(FakeJail(dict.fromkeys(STEPS, lies)))

    assert isinstance(program, Built)
    assert program.log.count("Killed") == 4


def test_the_log_of_all_steps_together_is_bounded() -> None:
    def much(command: JailCommand) -> JailResult:
        return good(command, stderr=Captured(b"w" * 60_000))

    program = build(FakeJail(dict.fromkeys(STEPS, much)))

    assert len(program.log) <= 64 * 1024
    assert "bytes left out" in program.log


def test_an_error_in_both_halves_is_always_told_by_the_device_half() -> None:
    host = ends(b"start 0 1.0\nhost_preprocess 1 1.1\n", stderr=Captured(b"host"))
    device = ends(ERROR, stderr=Captured(b"device"))

    program = build(FakeJail({"kernel.cudafe1.cpp": host, "kernel.cudafe1.stub.c": device}))

    assert isinstance(program, Failed)
    assert program.log == "device"


def test_an_error_with_the_slim_headers_is_tried_again_with_the_real_ones() -> None:
    def only_slim(command: JailCommand) -> JailResult:
        slim = any(file.destination.startswith("/slim/") for file in command.files)
        return ends(ERROR)(command) if slim else good(command)

    program = build(FakeJail({"kernel.cudafe1.stub.c": only_slim}), HeaderSet.SLIM, HeaderSet.REAL)

    assert isinstance(program, Built)
    assert program.headers is HeaderSet.REAL


@pytest.mark.parametrize(
    ("part", "answer"),
    [
        ("kernel.cudafe1.stub.c", ends(ERROR, memory_exhausted=True)),
        ("kernel.cudafe1.stub.c", ends(ERROR.replace(b" 1 2.0", b" 139 2.0"))),
        ("kernel.cubin", ends(b"start 0 1.0\nassemble 255 1.1\n")),
    ],
)
def test_what_no_header_can_mend_is_not_tried_again(
    part: str, answer: Callable[[JailCommand], JailResult]
) -> None:
    jail = FakeJail({part: answer})

    program = build(jail, HeaderSet.SLIM, HeaderSet.REAL)

    assert isinstance(program, Failed)
    assert program.headers is HeaderSet.SLIM
    assert sum(part_of(command) == part for command in jail.commands) == 1


def test_an_assembler_error_shows_the_line_of_ptx() -> None:
    def complains(command: JailCommand) -> JailResult:
        said = Captured(b"ptxas /w/kernel.ptx, line 1; error : what\n")
        return ends(b"start 0 1.0\nassemble 255 1.1\n", stderr=said)(command)

    program = build(FakeJail({"kernel.cubin": complains}))

    assert isinstance(program, Failed)
    assert program.log == (
        "ptxas kernel.ptx, line 1; error : what\nPTX lines named above:\n  kernel.ptx:1: kernel.ptx\n"
    )


def test_the_limits_reach_every_jail() -> None:
    jail = FakeJail()
    limits = BuildLimits(
        cpu_seconds=20,
        wall_seconds=30.0,
        memory_bytes=1 << 30,
        scratch_bytes=1 << 20,
        object_bytes=99,
    )

    Nvcc(jail, TOOLCHAIN, (), limits=limits).build(b"", Target.HOPPER, headers=(HeaderSet.REAL,))

    assert len(jail.commands) == 4
    for command in jail.commands:
        assert 0 < command.limits.wall_seconds <= 30.0
        assert command.limits.cpu_seconds == 20
        assert command.limits.memory_bytes == 1 << 30
        assert command.limits.scratch_bytes == 1 << 20
        assert {one.limit_bytes for one in command.outputs if one.name != "steps"} == {99}


def sizes_refused(*sources: bytes) -> list[bool]:
    """What the policy says of each."""
    reports = [review(source, language=Language.CUDA) for source in sources]
    return ["source-size" in {remark.rule for remark in report.remarks} for report in reports]


def test_the_largest_source_that_the_policy_takes_is_compiled_and_one_byte_more_is_not() -> None:
    largest = b"// " + b"x" * (262_144 - 3)
    jail = FakeJail()

    assert sizes_refused(largest, largest + b"x") == [False, True]
    assert isinstance(build(jail, source=largest), Built)
    jail.commands.clear()
    refused = build(jail, source=largest + b"x")

    assert isinstance(refused, Failed)
    assert (refused.kind, jail.commands) == (FailureKind.SOURCE_TOO_LARGE, [])


@pytest.mark.parametrize(("prints", "assemblers"), [(False, 1), (True, 2)])
def test_a_build_is_described_by_its_tools_and_by_the_commands_that_it_runs(
    *, prints: bool, assemblers: int
) -> None:
    toolchain = Toolchain(Path("/tools"), "id", 120200, (("nvidia_nvvm", "13.0.88"),), ("gcc 12",))
    jail = FakeJail(ptx(PRINTS if prints else b"// silent"))
    compiler = Nvcc(jail, toolchain, ())

    said = compiler.description(Target.HOPPER, HeaderSet.REAL, prints=prints)

    assert (said.toolchain, said.packages, said.host_tools) == (
        "id",
        (("nvidia_nvvm", "13.0.88"),),
        ("gcc 12",),
    )
    assert dict(said.environment)["TZ"] == "UTC"
    compiler.build(b"source", Target.HOPPER, headers=(HeaderSet.REAL,))
    scripts = [
        file.content.decode()
        for command in jail.commands
        for file in command.files
        if file.destination == "/w/steps"
    ]
    ran = [line for script in scripts for line in script.split("\n") if line.startswith("step ")]
    assert sorted(f"step {one.step} {shlex.join(one.argv)}" for one in said.commands) == sorted(ran)
    assert sum(one.part == "assemble" for one in said.commands) == assemblers
