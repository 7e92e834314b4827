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
    monkeypatch.setattr(jail_ends, "coarse_filter", instrument_filter)
    here = reachable_runtime(reachable / "driver", reachable)
    base = jail_for(here, None, Slots(tmp_path / "slots"))
    outer = WithoutNodes(replace(base, readable=(*base.readable, tool.parent)))
    launchers = Jailed(base, here, archive=launcher_archive(entry=ENTRY))
    lone = LoneKernel(Gpu(3, "GPU-3"), launchers, own)
    nsight = Nsight(outer, None, str(SYSTEM_PYTHON))
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
