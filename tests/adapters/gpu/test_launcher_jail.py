"""A launcher in its jail: what it is shown, and that it starts and works in there over a stand-in for the driver."""

import dataclasses
import hashlib
import io
import os
import socket
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest
from cubin_files import Cubin, Kernel, parameter
from cuda.bindings import driver
from fake_cuda import FakeCuda, build
from planned import PLAN
from reachable_runtime import SYSTEM_PYTHON, reachable_runtime

from evaluation.adapters import jail_ends
from evaluation.adapters.gpu.launcher_archive import launcher_archive, needed_modules
from evaluation.adapters.gpu.launcher_client import Deadlines, LauncherClient
from evaluation.adapters.gpu.launcher_link import LauncherProcess
from evaluation.adapters.gpu.launcher_runtime import (
    LauncherRuntime,
    device_nodes,
    environment,
    find_runtime,
)
from evaluation.adapters.gpu.launchers import (
    SOCKET,
    Confinement,
    CounterFiles,
    Jailed,
    ProcessLaunchers,
    jail_for,
)
from evaluation.adapters.jail_service import JailedService
from evaluation.adapters.referee.spares import SpareLaunchers
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.seccomp import device_filter
from evaluation.adapters.slots import Slots
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.trusted_cubin import TrustedCubins
from evaluation.adapters.workspace import Workspace
from evaluation.core.errors import CannotJail, ToolFailure, ToolMissing
from evaluation.core.launching.port import Called, Gpu, SetUp, SharedBuffer
from evaluation.core.launching.result_names import result_name
from evaluation.core.plan.plan import ByteRange, LaunchStep, PlanFunction, Template
from evaluation.core.plan.plan_json import plan_to_json
from evaluation.core.ports import JailCommand
from evaluation.core.verdict import Target

GPU = Gpu(3, "GPU-00000000-0000-0000-0000-000000000003")
PATIENT = Deadlines(set_up=60, call=60, start=60, ours=60)  # a busy machine may need some of it
REPOSITORY = Path(__file__).parents[3]


def runtime(folder: Path) -> LauncherRuntime:
    (folder / "libcuda.so.1").touch()
    return find_runtime(python=SYSTEM_PYTHON, driver_folders=[folder])


def test_the_archive_holds_what_the_launcher_imports_and_nothing_else() -> None:
    names = zipfile.ZipFile(io.BytesIO(launcher_archive())).namelist()
    assert "evaluation/launcher/program.py" in names
    assert "evaluation/launcher/program.pyc" in names
    assert "evaluation/core/plan/plan_json.py" in names
    unwanted = ("sandbox", "referee", "core/check", "core/timing", "core/probe", "core/source")
    assert not [name for name in names for word in unwanted if word in name]
    assert names[0] == "__main__.py"


def test_equal_sources_make_equal_archives() -> None:
    assert launcher_archive() == launcher_archive()


def test_modules_are_found_through_each_other(tmp_path: Path) -> None:
    root = tmp_path / "evaluation"
    (root / "launcher").mkdir(parents=True)
    for place, text in {
        "__init__.py": "",
        "launcher/__init__.py": "",
        "launcher/program.py": "import os\nfrom evaluation import used\nimport evaluation.also",
        "used.py": "from evaluation.launcher.program import main",
        "also.py": "def f():\n    from evaluation.late import x",
        "late.py": "",
        "unused.py": "",
    }.items():
        (root / place).write_text(text)
    found = sorted(needed_modules(root))
    assert found == [
        "evaluation",
        "evaluation.also",
        "evaluation.late",
        "evaluation.launcher",
        "evaluation.launcher.program",
        "evaluation.used",
    ]


def test_a_jail_is_shown_one_gpu_its_driver_and_the_bindings(tmp_path: Path) -> None:
    here = runtime(tmp_path)
    counters = CounterFiles(tmp_path / "counters.so", Path("/opt/cupti/lib/libcupti.so.13"))
    counters.library.write_bytes(b"library")
    jail = jail_for(here, counters, Slots(tmp_path / "slots"))
    command = Jailed(jail, here, counters, archive=b"zip").command(GPU)
    assert command.devices[:3] == ("/dev/nvidia3", "/dev/nvidiactl", "/dev/nvidia-uvm")
    bound = {bind.destination: str(bind.source) for bind in command.binds}
    assert bound["/launcher/site/cuda/bindings"].endswith("cuda/bindings")
    assert bound[str(tmp_path)] == str(tmp_path)
    assert bound["/opt/cupti/lib"] == "/opt/cupti/lib"
    assert not [source for source in bound.values() if source == str(REPOSITORY)]
    assert [one.destination for one in command.files] == [
        "/launcher/launcher.zip",
        "/launcher/counters.so",
    ]
    assert command.argv == (
        str(SYSTEM_PYTHON.resolve()),
        *("-I", "-B", "/launcher/launcher.zip", "/launcher/site", "10"),
        *("/launcher/counters.so", "/opt/cupti/lib/libcupti.so.13"),
    )
    told = dict(command.environment)
    assert told["CUDA_VISIBLE_DEVICES"] == GPU.uuid
    assert told["CUDA_MODULE_LOADING"] == "EAGER"
    assert "PATH" not in told


def test_a_host_without_a_driver_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match=r"libcuda\.so\.1"):
        find_runtime(driver_folders=[tmp_path])


class RefusingJail(Bubblewrap):
    """A host that lets no jail have a /proc, or no jail be at all."""

    words = (
        "this host cannot jail: bwrap: Can't mount proc on /newroot/proc: Operation not permitted"
    )

    def start(self, command: JailCommand, *, inherit: Mapping[int, int]) -> JailedService:
        if command.proc or "proc" not in self.words:
            raise CannotJail(self.words)
        return cast("JailedService", command)


class JaillessJail(RefusingJail):
    words = "this host cannot jail: bwrap: No permissions to create new namespace"


def test_a_launcher_goes_without_proc_where_it_must_and_never_without_a_jail(
    tmp_path: Path,
) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        here = runtime(tmp_path)
        made = Jailed(RefusingJail((), Slots(tmp_path / "slots")), here, archive=b"zip")
        assert cast("JailCommand", made(GPU, theirs)).proc is False
        assert made.proc is False
        refused = Jailed(JaillessJail((), Slots(tmp_path / "slots")), here, archive=b"zip")
        with pytest.raises(CannotJail, match="new namespace"):
            refused(GPU, theirs)
        assert refused.proc is True


def test_every_result_of_the_driver_has_its_name() -> None:
    for one in driver.CUresult:
        if int(one):
            assert result_name(int(one)) == one.name


CUBIN = bytes(Cubin(kernels=(Kernel("k", parameter(0, 0, 8), 8),)).build().content)
SMALL = dataclasses.replace(
    PLAN,
    cubin_sha256=hashlib.sha256(CUBIN).hexdigest(),
    functions=(PlanFunction("k", (ByteRange(0, 8),)),),
    symbols=(),
    setup=(),
    steady=(
        LaunchStep("k", (1, 1, 1), (32, 1, 1), 0, False, (), Template(b"8 bytes!")),  # noqa: FBT003 - not cooperative
    ),
)


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder that every user can read and the jail's own /tmp does not hide."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="session")
def library(toolchain: Toolchain) -> Path:
    return build(toolchain.root / "nvidia/cu13/include")


@pytest.fixture(scope="session")
def own_kernels(workspace: Workspace, jail: Bubblewrap, toolchain: Toolchain) -> bytes:
    return TrustedCubins(jail, toolchain, workspace.native).built(Target.HOPPER)


def launchers(driver_folder: Path, slots: Slots, own_kernels: bytes) -> ProcessLaunchers:
    """Launchers in the jail that they have beside a GPU, but for the nodes, which are not here."""
    here = reachable_runtime(driver_folder, driver_folder.parent)
    jail = jail_for(here, None, slots)
    made = Jailed(jail, here)

    def spawn(gpu: Gpu, theirs: socket.socket) -> LauncherProcess:
        limits = dataclasses.replace(made.limits, memory_bytes=64 << 30)
        command = dataclasses.replace(made.command(gpu), devices=(), limits=limits)
        return jail.start(command, inherit={SOCKET: theirs.fileno()})

    return ProcessLaunchers(spawn, own_kernels, PATIENT, Confinement.JAIL)


@pytest.mark.toolchain
@pytest.mark.skipif(not SYSTEM_PYTHON.exists(), reason="no Python that a jail's user can reach")
def test_a_launcher_works_in_its_jail(
    reachable: Path,
    tmp_path: Path,
    library: Path,
    own_kernels: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jail_ends, "coarse_filter", device_filter)
    FakeCuda.place(library, reachable / "driver")
    launcher = launchers(reachable / "driver", Slots(tmp_path / "slots"), own_kernels).start(GPU)
    descriptors = [os.memfd_create("buffer") for _ in SMALL.arguments]
    for descriptor in descriptors:
        os.truncate(descriptor, 2 << 20)
    buffers = tuple(
        SharedBuffer(descriptor, one.size, one.is_output)
        for descriptor, one in zip(descriptors, SMALL.arguments, strict=True)
    )
    assert isinstance(launcher.set_up(plan_to_json(SMALL), CUBIN, (buffers,)), SetUp)
    for number in range(3):
        done = launcher.call(number, set=0, end_aligned=False, counted=False, cold=True)
        assert done == Called(10_000)
    launcher.end()
    for descriptor in descriptors:
        os.close(descriptor)


@pytest.mark.toolchain
@pytest.mark.skipif(not SYSTEM_PYTHON.exists(), reason="no Python that a jail's user can reach")
def test_launchers_that_are_started_at_the_same_time_have_a_jail_each_and_leave_together(
    reachable: Path,
    tmp_path: Path,
    library: Path,
    own_kernels: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jail_ends, "coarse_filter", device_filter)
    FakeCuda.place(library, reachable / "driver")
    here = launchers(reachable / "driver", Slots(tmp_path / "slots"), own_kernels)
    spares = SpareLaunchers(here, GPU, count=3)
    spares.replenish()
    spares.settle()
    three = [cast("LauncherClient", spares.start(GPU)) for _ in range(3)]
    assert not any(one.link.process.ended(seconds=0.0) for one in three)
    assert len({cast("JailedService", one.link.process).process.pid for one in three}) == 3
    for one in three:
        one.leave()
    assert all(one.link.process.ended(seconds=60.0) for one in three)
    for one in three:
        one.end()
    spares.close()


@pytest.mark.toolchain
@pytest.mark.skipif(not SYSTEM_PYTHON.exists(), reason="no Python that a jail's user can reach")
def test_a_launcher_without_a_gpu_says_so_and_is_gone(
    reachable: Path, tmp_path: Path, library: Path, own_kernels: bytes
) -> None:
    FakeCuda.place(library, reachable / "driver", "fail cuInit 1 100")
    with pytest.raises(ToolFailure, match="CUDA_ERROR_NO_DEVICE"):
        launchers(reachable / "driver", Slots(tmp_path / "slots"), own_kernels).start(GPU)


def test_a_launcher_has_no_variable_but_these(tmp_path: Path) -> None:
    names = [name for name, _ in environment(GPU, runtime(tmp_path))]
    assert names == [
        *("CUDA_CACHE_DISABLE", "CUDA_MODULE_LOADING", "CUDA_VISIBLE_DEVICES"),
        *("LC_ALL", "LD_LIBRARY_PATH"),
    ]
    folders = dict(environment(GPU, runtime(tmp_path), Path("/opt/cupti/lib/libcupti.so.13")))
    assert folders["LD_LIBRARY_PATH"] == f"{runtime(tmp_path).driver}:/opt/cupti/lib"
    assert set(device_nodes(GPU)) >= {"/dev/nvidia3"}
    assert "/dev/nvidia0" not in device_nodes(GPU)
