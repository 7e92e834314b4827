"""A lone replay in a real jail, over the stand-in for the driver, with a double of the sanitizer around it."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import pytest
from cubin_files import Cubin, Kernel, parameter
from fake_cuda import FakeCuda, build
from planned import PLAN
from reachable_runtime import SYSTEM_PYTHON, reachable_runtime
from sample_run import SASS, a_prepared_kernel

from evaluation.adapters import jail_ends
from evaluation.adapters.gpu.examiner import ENTRY, JailedExaminer, LoneKernel
from evaluation.adapters.gpu.launcher_archive import launcher_archive
from evaluation.adapters.gpu.launchers import Jailed, jail_for
from evaluation.adapters.gpu.memcheck import Sanitizer
from evaluation.adapters.gpu.nsight import Nsight
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.seccomp import instrument_filter
from evaluation.adapters.slots import Slots
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.trusted_cubin import TrustedCubins
from evaluation.adapters.workspace import Workspace
from evaluation.core.launching.port import Gpu
from evaluation.core.measure.examination import ExaminationKind, Hindrance, NotRun
from evaluation.core.measure.nsight_counts import NsightCounts
from evaluation.core.plan.plan import ByteRange, LaunchStep, PlanFunction, Template
from evaluation.core.ports import JailCommand, JailResult
from evaluation.core.probe.sanitizer_report import SanitizerReport
from evaluation.core.scan.sass import Disassembly
from evaluation.core.verdict import Target

pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(not SYSTEM_PYTHON.exists(), reason="no Python that a jail's user can reach"),
]

# Takes the options as the real one does: --xml has no value, every other one has. It finds nothing.
DOUBLE = """#!/usr/bin/bash
while [ "${1#--}" != "$1" ]; do
  case $1 in
    --save) report=$2; shift 2 ;;
    --xml) shift ;;
    *) shift 2 ;;
  esac
done
"$@"
ended=$?
printf '<ComputeSanitizerOutput/>' > "$report"
exit $ended
"""
# Of the profiler: it leaves a report only if the program under it has said, in its last argument, how calls compare.
PROFILER = """#!/usr/bin/bash
while [ "${1#--}" != "$1" ]; do
  case $1 in
    --export) report=$2.ncu-rep; shift 2 ;;
    --log-file) log=$2; shift 2 ;;
    --force-overwrite) shift ;;
    *) shift 2 ;;
  esac
done
"$@" 2> "$log"
[ "$(cat "${@: -1}")" = "[]" ] && printf 'counts' > "$report"
"""
# Of its module: one launch, in which every metric is 7.
MODULE = """
class IAction:
    NameBase_MANGLED = 3

class One:
    def num_ranges(self): return 1
    num_actions = num_ranges
    def range_by_idx(self, index): return self
    action_by_idx = range_by_idx
    def name(self, base): return "k"
    def metric_by_name(self, name): return self
    def as_double(self): return 7.0

def load_report(path):
    assert open(path).read() == "counts"
    return One()
"""
CUBIN = bytes(Cubin(kernels=(Kernel("k", parameter(0, 0, 8), 8),)).build().content)
LAUNCH = LaunchStep(
    function="k",
    grid=(1, 1, 1),
    block=(32, 1, 1),
    shared=0,
    cooperative=False,
    settings=(),
    parameters=Template(b"8 bytes!"),
)
SMALL = replace(
    a_prepared_kernel(),
    cubin=CUBIN,
    plan=replace(
        PLAN,
        cubin_sha256=sha256(CUBIN).hexdigest(),
        functions=(PlanFunction("k", (ByteRange(0, 8),)),),
        symbols=(),
        setup=(),
        steady=(LAUNCH,),
    ),
)


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that every user can read and the jail's own /tmp does not hide."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@dataclass
class WithoutNodes:
    """The jail, but for the nodes of a GPU, which are not here; its filter is the one beside a GPU."""

    jail: Bubblewrap

    def run(self, command: JailCommand) -> JailResult:
        limits = replace(command.limits, memory_bytes=64 << 30)
        return self.jail.run(replace(command, devices=(), limits=limits))


class Code:
    def disassemble(self, cubin: bytes) -> Disassembly:
        return SASS


@pytest.fixture(scope="session")
def own(toolchain: Toolchain, workspace: Workspace, jail: Bubblewrap) -> bytes:
    return TrustedCubins(jail, toolchain, workspace.native).built(Target.HOPPER)


@pytest.fixture
def examiner(
    reachable: Path,
    tmp_path: Path,
    toolchain: Toolchain,
    own: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> JailedExaminer:
    library = build(toolchain.root / "nvidia/cu13/include")
    FakeCuda.place(library, reachable / "driver")
    tool = reachable / "sanitizer/compute-sanitizer"
    tool.parent.mkdir()
    tool.write_text(DOUBLE)
    tool.chmod(0o755)
    profiler = reachable / "nsight"
    (profiler / "extras/python").mkdir(parents=True)
    (profiler / "extras/python/ncu_report.py").write_text(MODULE)
    (profiler / "ncu").write_text(PROFILER)
    (profiler / "ncu").chmod(0o755)
    monkeypatch.setattr(jail_ends, "coarse_filter", instrument_filter)
    here = reachable_runtime(reachable / "driver", reachable)
    base = jail_for(here, None, Slots(tmp_path / "slots"))
    outer = WithoutNodes(replace(base, readable=(*base.readable, tool.parent, profiler)))
    launchers = Jailed(base, here, archive=launcher_archive(entry=ENTRY))
    lone = LoneKernel(Gpu(3, "GPU-3"), launchers, own)
    nsight = Nsight(outer, profiler, str(SYSTEM_PYTHON))
    return JailedExaminer(Sanitizer(outer, tool.parent), nsight, lone, Code())


@pytest.mark.parametrize("kind", list(ExaminationKind)[:3])
def test_a_kernel_is_replayed_alone_in_the_jail_of_a_tool(
    examiner: JailedExaminer, kind: ExaminationKind
) -> None:
    assert examiner.examine(SMALL, kind) == SanitizerReport(0, ())


def test_a_replay_that_does_not_come_to_the_kernel_finds_nothing_and_says_so(
    examiner: JailedExaminer,
) -> None:
    """Without this a run in which nothing happened would pass for one in which nothing was wrong."""
    other = replace(SMALL, cubin=CUBIN + b"\0")
    found = examiner.examine(other, ExaminationKind.MEMCHECK)
    assert found == NotRun(
        Hindrance.FAILED, "compute-sanitizer or what it ran ended with 3: 'CUBIN 0'"
    )


def test_a_lone_run_in_the_jail_of_the_profiler_says_how_its_calls_compare(
    examiner: JailedExaminer,
) -> None:
    """One call, which there is nothing to compare with: no kernel runs on the stand-in, not the comparison either."""
    command = examiner.lone.repeating(SMALL, 1)
    found = examiner.nsight.counters(command, ("k",), ("a.sum", "b.max"), skip=1, launches=3)
    assert found == NsightCounts((("k", (7, 7)),), ())


def test_a_lone_run_whose_calls_cannot_be_compared_leaves_no_counts(
    examiner: JailedExaminer,
) -> None:
    found = examiner.count(SMALL)
    assert isinstance(found, NotRun)
    assert found.why is Hindrance.FAILED
    assert "looked at 0 of 58720256 elements" in found.detail
