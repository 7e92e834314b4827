"""The examiner of a host: what it runs in which jail for each tool, and that it never goes without one."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from planned import PLAN
from sample_run import SASS, a_prepared_kernel

from evaluation.adapters.examining import LateExaminer
from evaluation.adapters.gpu import examiner as examiner_module
from evaluation.adapters.gpu.examiner import (
    JailedExaminer,
    LoneKernel,
    ProcWhereAllowed,
    open_examiner,
)
from evaluation.adapters.gpu.launcher_runtime import LauncherRuntime
from evaluation.adapters.gpu.launchers import LIMITS, Jailed, jail_for
from evaluation.adapters.gpu.memcheck import Sanitizer
from evaluation.adapters.gpu.nsight import Nsight
from evaluation.adapters.slots import Slots
from evaluation.core.errors import CannotJail, ToolFailure, ToolMissing
from evaluation.core.launching.port import Gpu
from evaluation.core.measure.examination import (
    ByInstruction,
    ExaminationKind,
    Hindrance,
    NotRun,
)
from evaluation.core.ports import Captured, JailCommand, JailResult
from evaluation.core.probe.metrics import metrics_for
from evaluation.core.probe.sanitizer_report import SanitizerReport
from evaluation.core.scan.sass import Disassembly, Unreadable
from evaluation.core.verdict import Target

GPU = Gpu(3, "GPU-3")
NO_REPORT = b"<ComputeSanitizerOutput/>"
COUNTS = b'{"launches": [{"function": "k", "addresses": [64], "threads": [256]}]}'
MEMCHECK, RACECHECK, INITCHECK, NSIGHT = ExaminationKind


@dataclass
class AskedJail:
    """Answers every command with one output, or refuses; notes what it was asked."""

    content: bytes = NO_REPORT
    refuse: Callable[[JailCommand], Exception | None] = lambda _: None
    asked: list[JailCommand] = field(default_factory=list)

    def run(self, command: JailCommand) -> JailResult:
        self.asked.append(command)
        refused = self.refuse(command)
        if refused is not None:
            raise refused
        outputs = {one.name: Captured(self.content) for one in command.outputs}
        return JailResult(
            exit_code=0,
            signal=None,
            timed_out=False,
            cpu_exhausted=False,
            memory_exhausted=False,
            stdout=Captured(b""),
            stderr=Captured(b""),
            outputs=outputs,
            seconds=0.1,
        )


@dataclass
class Code:
    """A disassembler that knows one answer."""

    answer: Disassembly | Unreadable = SASS

    def disassemble(self, cubin: bytes) -> Disassembly | Unreadable:
        assert cubin == b"the cubin"
        return self.answer


def runtime(folder: Path) -> LauncherRuntime:
    return LauncherRuntime(
        Path("/usr/bin/python3.11"), (), (("bindings", folder / "bindings"),), folder / "driver"
    )


def examiner(folder: Path, jail: AskedJail, code: Code | None = None) -> JailedExaminer:
    here = runtime(folder)
    launchers = Jailed(jail_for(here, None, Slots(folder / "slots")), here, archive=b"zip")
    return JailedExaminer(
        Sanitizer(jail, Path("/opt/sanitizer")),
        Nsight(jail, Path("/opt/ncu"), "/usr/bin/python3.11"),
        LoneKernel(GPU, launchers, b"own"),
        code or Code(),
    )


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (MEMCHECK, ("2", "random")),
        (RACECHECK, ("1", "random")),
        (INITCHECK, ("1", "untouched")),
    ],
)
def test_a_tool_of_the_sanitizer_runs_around_a_lone_replay_in_the_launchers_jail(
    tmp_path: Path, kind: ExaminationKind, words: tuple[str, str]
) -> None:
    jail = AskedJail()
    found = examiner(tmp_path, jail).examine(a_prepared_kernel(), kind)
    assert found == SanitizerReport(0, ())
    (asked,) = jail.asked
    assert str(kind) in asked.argv
    assert asked.argv[-5:] == (
        *("/launcher/plan.json", "/launcher/kernel.cubin", "/launcher/own.cubin"),
        *words,
    )
    assert asked.argv[-7:-5] == ("/launcher/launcher.zip", "/launcher/site")
    contents = {one.destination: one.content for one in asked.files}
    assert contents["/launcher/kernel.cubin"] == b"the cubin"
    assert contents["/launcher/own.cubin"] == b"own"
    assert asked.instrumented
    assert asked.devices[0] == "/dev/nvidia3"
    assert dict(asked.environment)["CUDA_VISIBLE_DEVICES"] == "GPU-3"
    assert {bind.destination for bind in asked.binds} >= {
        "/launcher/site/cuda/bindings",
        "/sanitizer",
    }


def test_nsight_counts_the_rows_of_the_kernel_in_one_call(tmp_path: Path) -> None:
    jail = AskedJail(COUNTS)
    found = examiner(tmp_path, jail).examine(a_prepared_kernel(), NSIGHT)
    assert isinstance(found, ByInstruction)
    (row,) = found.found
    assert (row.row.opcode, row.row.address, row.threads) == ("HGMMA.64x16x16.F32.BF16", 64, 256)
    assert row.products == 2 * 64 * 16 * 16
    (asked,) = jail.asked
    assert asked.argv[-2:] == ("1", "random")


def test_launches_of_the_set_up_are_not_counted(tmp_path: Path) -> None:
    """A launch of the steady steps that the set-up makes too comes first, and is skipped."""
    kernel = a_prepared_kernel()
    plan = replace(kernel.plan, setup=(*kernel.plan.steady, *PLAN.steady, *kernel.plan.steady))
    jail = AskedJail(COUNTS)
    examiner(tmp_path, jail).examine(replace(kernel, plan=plan), NSIGHT)
    (asked,) = jail.asked
    assert asked.argv[asked.argv.index("^(k)$") + 1] == "2"


def read_by_nsight(*functions: str, calls: int = 3, **of_an_output: int) -> bytes:
    """A document of our reader: every metric counts one in each launch, and outputs compare as said."""
    values = [1] * len(metrics_for(Target.HOPPER, a_prepared_kernel().problem))
    alike = {"elements": 1 << 20, "nonfinite": 0, "outside": 0, "outside_fourfold": 0}
    launches = [{"function": name, "values": values} for name in functions]
    return json.dumps({"launches": launches, "compared": [alike | of_an_output] * calls}).encode()


def test_nsight_counts_three_calls_after_one_that_shows_what_they_have_to_leave(
    tmp_path: Path,
) -> None:
    kernel = a_prepared_kernel()
    plan = replace(kernel.plan, setup=(*kernel.plan.steady, *PLAN.steady))
    jail = AskedJail(read_by_nsight("k", "k", "k"))
    found = examiner(tmp_path, jail).count(replace(kernel, plan=plan))
    assert not isinstance(found, NotRun)
    assert [one.call for one in found] == [1, 2, 3]
    assert {value for one in found for _, value in one.values} == {1}
    (asked,) = jail.asked
    words = asked.argv[asked.argv.index("^(k)$") + 1 :]
    assert words[:2] == ("2", "3")  # one launch of the set-up and one of the first call, then three
    assert "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum" in words[2].split(",")
    assert words[3] == "telling"
    assert asked.argv[-3:] == ("4", "random", "0.01;0.01;bfloat16:8192x7168")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (read_by_nsight("k", "k", "other"), "other launches were counted than those of the calls"),
        (read_by_nsight("k", "k", "k", calls=2), "not every counted call came to its end"),
        (
            read_by_nsight("k", "k", "k", outside_fourfold=1),
            "a counted call left other outputs than an uncounted one",
        ),
    ],
    ids=["other launches", "a call died", "other outputs"],
)
def test_counts_of_which_nobody_knows_what_they_are_of_are_no_readings(
    tmp_path: Path, content: bytes, why: str
) -> None:
    found = examiner(tmp_path, AskedJail(content)).count(a_prepared_kernel())
    assert found == NotRun(Hindrance.FAILED, why)


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (CannotJail("no user namespaces", action="enable them"), Hindrance.NO_JAIL),
        (ToolFailure("a jail was not ready in time"), Hindrance.FAILED),
    ],
)
def test_counters_are_not_read_without_a_jail(
    tmp_path: Path, failure: ToolFailure, why: Hindrance
) -> None:
    jail = AskedJail(refuse=lambda _: failure)
    found = examiner(tmp_path, jail).count(a_prepared_kernel())
    assert isinstance(found, NotRun)
    assert (found.why, len(jail.asked)) == (why, 1)


def test_a_host_without_nsight_reads_no_counters(tmp_path: Path) -> None:
    jail = AskedJail()
    made = examiner(tmp_path, jail)
    without = replace(made, nsight=replace(made.nsight, folder=None))
    missing = NotRun(Hindrance.MISSING, "Nsight Compute is not installed on this host")
    assert without.count(a_prepared_kernel()) == missing
    assert jail.asked == []


def test_code_that_cannot_be_read_is_not_counted(tmp_path: Path) -> None:
    jail = AskedJail(COUNTS)
    found = examiner(tmp_path, jail, Code(Unreadable("odd"))).examine(a_prepared_kernel(), NSIGHT)
    assert isinstance(found, NotRun)
    assert found.why is Hindrance.UNREADABLE
    assert jail.asked == []


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        (CannotJail("no user namespaces", action="enable them"), Hindrance.NO_JAIL),
        (ToolFailure("a jail was not ready in time"), Hindrance.FAILED),
    ],
)
@pytest.mark.parametrize("kind", list(ExaminationKind))
def test_what_goes_wrong_with_the_jail_is_an_answer_and_nothing_runs_without_one(
    tmp_path: Path, kind: ExaminationKind, failure: ToolFailure, why: Hindrance
) -> None:
    jail = AskedJail(refuse=lambda _: failure)
    found = examiner(tmp_path, jail).examine(a_prepared_kernel(), kind)
    assert isinstance(found, NotRun)
    assert found.why is why
    assert found.detail.startswith(failure.what)
    assert len(jail.asked) == 1


def test_a_host_that_lets_no_jail_have_a_proc_gets_one_without() -> None:
    command = JailCommand(("/usr/bin/true",), LIMITS, proc=True)
    inner = AskedJail(
        refuse=lambda one: (
            CannotJail("bwrap: Can't mount proc on /newroot/proc") if one.proc else None
        )
    )
    assert ProcWhereAllowed(inner).run(command).clean
    assert [one.proc for one in inner.asked] == [True, False]


@pytest.mark.parametrize("proc", [True, False])
def test_any_other_refusal_of_a_jail_stands(proc: bool) -> None:
    command = JailCommand(("/usr/bin/true",), LIMITS, proc=proc)
    inner = AskedJail(refuse=lambda _: CannotJail("no user namespaces"))
    with pytest.raises(CannotJail, match="namespaces"):
        ProcWhereAllowed(inner).run(command)
    assert len(inner.asked) == 1


def test_the_tools_folders_are_shown_to_no_other_jail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner_module, "find_runtime", lambda: runtime(tmp_path))
    monkeypatch.setattr(examiner_module, "find_sanitizer", lambda: Path("/opt/sanitizer"))
    monkeypatch.setattr(examiner_module, "find_nsight", lambda: None)
    made = open_examiner(GPU, b"own", Slots(tmp_path / "slots"), Code())
    outer = made.sanitizer.jail
    assert isinstance(outer, ProcWhereAllowed)
    shown = (tmp_path / "driver", tmp_path / "bindings")
    assert getattr(outer.jail, "readable") == (*shown, Path("/opt/sanitizer"))  # noqa: B009 - the port has none
    assert made.lone.launchers.jail.readable == shown
    found = made.examine(a_prepared_kernel(), NSIGHT)
    assert found == NotRun(Hindrance.MISSING, "Nsight Compute is not installed on this host")


def test_an_examiner_is_opened_with_the_first_kernel_and_again_where_that_failed(
    tmp_path: Path,
) -> None:
    opened: list[int] = []

    def start() -> JailedExaminer:
        opened.append(1)
        if len(opened) == 1:
            raise ToolMissing("libcuda.so.1 is nowhere", action="install the driver")
        return examiner(tmp_path, AskedJail())

    late = LateExaminer(start)
    assert opened == []
    kernel = a_prepared_kernel()
    missing = NotRun(Hindrance.MISSING, "libcuda.so.1 is nowhere; install the driver")
    assert late.count(kernel) == missing
    assert late.examine(kernel, RACECHECK) == SanitizerReport(0, ())
    assert isinstance(late.count(kernel), NotRun)  # the answer of that examiner's tool
    assert len(opened) == 2
