"""NVML through its own Python package, with the library's answers put in its place."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

pynvml = pytest.importorskip("pynvml", reason="nvidia-ml-py is not installed here")

from evaluation.adapters.gpu.nvml import Nvml  # noqa: E402  # after the skip
from evaluation.core.errors import ToolFailure, ToolMissing  # noqa: E402
from evaluation.core.measure.health import HealthSeen  # noqa: E402
from evaluation.core.measure.seen import ClockSample  # noqa: E402


@dataclass
class Event:
    eventData: int  # noqa: N815  # NVML's name


@dataclass
class Library:
    """``xids`` are waiting; each name in ``failing`` raises its error number."""

    xids: list[int] = field(default_factory=list)
    uncorrected: int = 0
    corrected: int = 0
    failing: dict[str, int] = field(default_factory=dict)

    def answer(self, name: str, value: object) -> Callable[..., object]:
        def call(*_: object) -> object:
            if name in self.failing:
                raise pynvml.NVMLError(self.failing[name])
            return value() if callable(value) else value

        return call

    def errors(self, _device: object, kind: int, counter: int) -> int:
        assert counter == pynvml.NVML_VOLATILE_ECC
        if "nvmlDeviceGetTotalEccErrors" in self.failing:
            raise pynvml.NVMLError(self.failing["nvmlDeviceGetTotalEccErrors"])
        which = {
            pynvml.NVML_MEMORY_ERROR_TYPE_CORRECTED: self.corrected,
            pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED: self.uncorrected,
        }
        return which[kind]

    def next_xid(self) -> Event:
        if not self.xids:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_TIMEOUT)
        return Event(self.xids.pop(0))


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    made = Library()
    answers: dict[str, object] = {
        "nvmlInit": None,
        "nvmlShutdown": None,
        "nvmlDeviceGetHandleByUUID": "the device",
        "nvmlEventSetCreate": "events",
        "nvmlEventSetFree": None,
        "nvmlDeviceRegisterEvents": None,
        "nvmlEventSetWait_v2": made.next_xid,
        "nvmlDeviceGetMinorNumber": 3,
        "nvmlSystemGetDriverVersion": "580.159.04",
        "nvmlDeviceGetClockInfo": 1980,
        "nvmlDeviceGetTemperature": 45,
        "nvmlDeviceGetPowerUsage": 600_000,
        "nvmlDeviceGetCurrentClocksEventReasons": 4,
    }
    for name, value in answers.items():
        monkeypatch.setattr(pynvml, name, made.answer(name, value))
    monkeypatch.setattr(pynvml, "nvmlDeviceGetTotalEccErrors", made.errors)
    return made


def test_health_is_what_is_new_and_what_is_counted(library: Library) -> None:
    nvml = Nvml("GPU-1")
    library.xids = [31, 79]
    library.uncorrected = 2
    assert nvml.health() == HealthSeen((31, 79), 2)
    assert nvml.health() == HealthSeen((), 2)


def test_a_gpu_that_counts_no_memory_errors_and_tells_no_xids_is_unknown_not_failing(
    library: Library,
) -> None:
    library.failing = {
        "nvmlDeviceGetTotalEccErrors": pynvml.NVML_ERROR_NOT_SUPPORTED,
        "nvmlDeviceRegisterEvents": pynvml.NVML_ERROR_NO_PERMISSION,
    }
    nvml = Nvml("GPU-1")
    assert not nvml.watches_xids
    assert nvml.health() == HealthSeen((), None)
    assert nvml.sample().corrected is None


def test_a_storm_of_xids_is_cut_off(library: Library) -> None:
    nvml = Nvml("GPU-1")
    library.xids = [119] * 1000
    assert nvml.health().xids == (119,) * 64


def test_a_sample_is_everything_at_one_moment(library: Library) -> None:
    library.corrected, library.uncorrected = 3, 1
    nvml = Nvml("GPU-1")
    sample = nvml.sample()
    assert sample == ClockSample(sample.at_ns, 1980, 1980, 45, 600_000, 4, 3)
    assert (nvml.minor, nvml.driver_version) == (3, "580.159.04")
    nvml.close()


@pytest.mark.parametrize(
    "name", ["nvmlDeviceGetPowerUsage", "nvmlDeviceGetClockInfo", "nvmlDeviceGetTemperature"]
)
def test_what_nvml_refuses_is_our_failure(library: Library, name: str) -> None:
    nvml = Nvml("GPU-1")
    library.failing = {name: pynvml.NVML_ERROR_GPU_IS_LOST}
    with pytest.raises(ToolFailure, match="NVML cannot read its") as raised:
        nvml.sample()
    assert raised.value.action


def test_a_lost_gpu_is_a_failure_of_its_health_too(library: Library) -> None:
    nvml = Nvml("GPU-1")
    library.failing = {"nvmlEventSetWait_v2": pynvml.NVML_ERROR_GPU_IS_LOST}
    with pytest.raises(ToolFailure, match="read its Xids"):
        nvml.health()


def test_without_the_library_the_tool_is_missing(library: Library) -> None:
    library.failing = {"nvmlInit": pynvml.NVML_ERROR_LIBRARY_NOT_FOUND}
    with pytest.raises(ToolMissing, match="libnvidia-ml"):
        Nvml("GPU-1")
    library.failing = {"nvmlDeviceGetHandleByUUID": pynvml.NVML_ERROR_NOT_FOUND}
    with pytest.raises(ToolFailure, match="find the GPU"):
        Nvml("GPU-2")
