"""What GPU tests stand on: a GPU that can serve, a pack of prepared kernels, and time limits without plugins.

The machine with the GPU may have no more than pytest; what pyproject.toml asks of pytest-timeout is done here then.
"""

import faulthandler
import importlib.util
import os
import signal
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evaluation.core.errors import CannotJail, ToolMissing
from evaluation.core.measure.prepared import Prepared
from evaluation.core.verdict import Target

from .pack import write_pack
from .packed import Pack

if TYPE_CHECKING:
    from evaluation.adapters.gpu.driver import Context
    from evaluation.core.launching.port import Gpu

    from .launching import Start
    from .measuring import Bench

DEVICE = 0
DEFAULT_PACK = Path(__file__).parents[2] / "build/gpu-pack"
DEFAULT_SECONDS = 300
GRACE_SECONDS = (
    30  # for a test that sits in a call of the driver and hears no alarm: then the whole run ends
)

_HAS_TIMEOUT = importlib.util.find_spec("pytest_timeout") is not None


def pytest_addoption(parser: pytest.Parser) -> None:
    if not _HAS_TIMEOUT:
        parser.addini("timeout", "seconds that a test may take", default=str(DEFAULT_SECONDS))


def pytest_configure(config: pytest.Config) -> None:
    if not _HAS_TIMEOUT:
        config.addinivalue_line("markers", "timeout(seconds): what this test may take")


@pytest.fixture(autouse=True)
def _ends_in_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """A GPU test that hangs holds the only GPU: an alarm ends it where the plugin that would is missing."""
    if _HAS_TIMEOUT:
        yield
        return
    marker = request.node.get_closest_marker("timeout")
    seconds = marker.args[0] if marker is not None else int(request.config.getini("timeout"))

    def late(_number: int, _frame: types.FrameType | None) -> None:
        pytest.fail(f"took longer than {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    faulthandler.dump_traceback_later(seconds + GRACE_SECONDS, exit=True)
    try:
        yield
    finally:
        signal.alarm(0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def gpu() -> int:
    """The number of a GPU that can serve; skips with the reason where there is none."""
    for module, meant in (("torch", "PyTorch"), ("cuda.bindings", "cuda-bindings")):
        if not _found(module):
            pytest.skip(f"{meant} is not installed here")
    from cuda.bindings import driver  # noqa: PLC0415 - not before it is known to be there

    try:
        (error,) = driver.cuInit(0)
    except RuntimeError as missing:
        pytest.skip(f"no CUDA driver here: {missing}")
    if error != driver.CUresult.CUDA_SUCCESS:
        pytest.skip(f"the CUDA driver finds no GPU: {error.name}")
    error, device = driver.cuDeviceGet(DEVICE)
    if error != driver.CUresult.CUDA_SUCCESS:
        pytest.skip(f"the CUDA driver gives no GPU {DEVICE}: {error.name}")
    major_number = driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    error, major = driver.cuDeviceGetAttribute(major_number, device)
    if error != driver.CUresult.CUDA_SUCCESS or major != 9:
        pytest.skip("the GPU is no Hopper")
    return DEVICE


def _found(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.fixture(scope="session")
def pack(gpu: int) -> Pack:
    """PTXBOARD_GPU_PACK, build/gpu-pack, or one made now where the toolchain is; else skips with the reason.

    Without a GPU nobody needs one.
    """
    assert gpu == DEVICE
    chosen = os.environ.get("PTXBOARD_GPU_PACK")
    root = Path(chosen) if chosen else DEFAULT_PACK
    if not any(root.glob("*/case.json")):
        if chosen:
            pytest.fail(f"PTXBOARD_GPU_PACK names {root}, which is no pack")
        try:
            write_pack(root, Target.HOPPER)
        except (ToolMissing, CannotJail) as missing:
            pytest.skip(f"no pack, and none can be made here: {missing}; {missing.action}")
    return Pack(root)


@pytest.fixture(scope="session")
def prepared(pack: Pack) -> Callable[[str], Prepared]:
    """Give the prepared kernel of a golden case by the name of its folder."""
    return pack.prepared


@pytest.fixture(scope="session")
def bench(gpu: int, pack: Pack, tmp_path_factory: pytest.TempPathFactory) -> Iterator["Bench"]:
    """The real measurer on this machine's GPU, warm from test to test (``measuring.py``)."""
    from .measuring import open_bench  # noqa: PLC0415 - needs what only a machine with a GPU has

    with open_bench(pack, tmp_path_factory.mktemp("state"), device=gpu) as made:
        yield made


# What these need is on a machine with a GPU alone, so nothing of it is imported before one was found.


@pytest.fixture(scope="module")
def context(gpu: int) -> Iterator["Context"]:
    """A context of this process on the GPU, current in the thread that asked."""
    from evaluation.adapters.gpu import driver  # noqa: PLC0415

    driver.start()
    made = driver.open_context(gpu, own=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def which(gpu: int) -> "Gpu":
    from .launching import gpu_of  # noqa: PLC0415

    return gpu_of(gpu)


@pytest.fixture
def start(which: "Gpu", pack: Pack, tmp_path: Path) -> Iterator["Start"]:
    """Start a launcher, for a test."""
    from .launching import starting  # noqa: PLC0415

    with starting(which, pack, tmp_path / "slots") as begin:
        yield begin
