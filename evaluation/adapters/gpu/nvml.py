"""NVML's view of one GPU: clocks, heat, power, and what it has reported as broken."""

import contextlib
import time
from dataclasses import dataclass, field
from typing import Any

import pynvml

from evaluation.core.errors import ToolFailure, ToolMissing
from evaluation.core.measure.health import HealthSeen
from evaluation.core.measure.seen import ClockSample

_XIDS_AT_ONCE = 64  # a GPU that reports more of them between two kernels is sick by the first ones
_NOT_THERE = (
    pynvml.NVML_ERROR_NOT_SUPPORTED,
    pynvml.NVML_ERROR_NO_PERMISSION,
    pynvml.NVML_ERROR_FUNCTION_NOT_FOUND,
)


@dataclass(slots=True)
class Nvml:
    """One GPU by NVML's own name of it (``GPU-...``): CUDA may count devices in another order."""

    uuid: str
    _device: Any = field(init=False, repr=False)
    _events: Any = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        try:
            pynvml.nvmlInit()
            self._device = pynvml.nvmlDeviceGetHandleByUUID(self.uuid)
        except pynvml.NVMLError_LibraryNotFound as missing:
            raise ToolMissing(
                "libnvidia-ml.so.1 cannot be loaded", action="install the NVIDIA driver's tools"
            ) from missing
        except pynvml.NVMLError as error:
            raise _failure("find the GPU", error) from error
        self._events = self._registered()

    @property
    def minor(self) -> int:
        """The number of its device node, /dev/nvidia<minor>."""
        return int(self._ask("tell its device node", pynvml.nvmlDeviceGetMinorNumber))

    @property
    def driver_version(self) -> str:
        """Of the kernel driver: ``580.159.04``."""
        try:
            return str(pynvml.nvmlSystemGetDriverVersion())
        except pynvml.NVMLError as error:
            raise _failure("tell the driver's version", error) from error

    @property
    def watches_xids(self) -> bool:
        """Whether Xids arrive here; some drivers and containers do not let them through."""
        return self._events is not None

    def sample(self) -> ClockSample:
        """Read all of it once, within milliseconds; ``at_ns`` is of the monotonic clock."""
        return ClockSample(
            at_ns=time.monotonic_ns(),
            sm_mhz=self._clock(pynvml.NVML_CLOCK_SM),
            memory_mhz=self._clock(pynvml.NVML_CLOCK_MEM),
            temperature_c=int(
                self._ask(
                    "read its temperature",
                    pynvml.nvmlDeviceGetTemperature,
                    pynvml.NVML_TEMPERATURE_GPU,
                )
            ),
            power_mw=int(self._ask("read its power", pynvml.nvmlDeviceGetPowerUsage)),
            throttle=int(
                self._ask("read its throttling", pynvml.nvmlDeviceGetCurrentClocksEventReasons)
            ),
            corrected=self._errors(pynvml.NVML_MEMORY_ERROR_TYPE_CORRECTED),
        )

    def health(self) -> HealthSeen:
        """Give the Xids since the last call, or since this object was made, and the count of uncorrectable errors."""
        xids = tuple(self._xids())
        return HealthSeen(xids, self._errors(pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED))

    def close(self) -> None:
        """Let go of NVML; nothing else may be called afterwards."""
        with contextlib.suppress(pynvml.NVMLError):
            if self._events is not None:
                pynvml.nvmlEventSetFree(self._events)
            pynvml.nvmlShutdown()

    def _clock(self, which: int) -> int:
        return int(self._ask("read its clocks", pynvml.nvmlDeviceGetClockInfo, which))

    def _errors(self, kind: int) -> int | None:
        try:
            count = pynvml.nvmlDeviceGetTotalEccErrors(self._device, kind, pynvml.NVML_VOLATILE_ECC)
        except pynvml.NVMLError as error:
            if error.value in _NOT_THERE:
                return None
            raise _failure("count its memory errors", error) from error
        return int(count)

    def _registered(self) -> Any:
        """An event set for Xids, or None where there is no such thing."""
        events = pynvml.nvmlEventSetCreate()
        try:
            pynvml.nvmlDeviceRegisterEvents(
                self._device, pynvml.nvmlEventTypeXidCriticalError, events
            )
        except pynvml.NVMLError as error:
            pynvml.nvmlEventSetFree(events)
            if error.value in _NOT_THERE:
                return None
            raise _failure("watch its Xids", error) from error
        return events

    def _xids(self) -> list[int]:
        found: list[int] = []
        while self._events is not None and len(found) < _XIDS_AT_ONCE:
            try:
                event = pynvml.nvmlEventSetWait_v2(self._events, 0)
            except pynvml.NVMLError as error:
                if error.value == pynvml.NVML_ERROR_TIMEOUT:
                    break
                raise _failure("read its Xids", error) from error
            found.append(int(event.eventData))
        return found

    def _ask(self, what: str, function: Any, *arguments: object) -> Any:
        try:
            return function(self._device, *arguments)
        except pynvml.NVMLError as error:
            raise _failure(what, error) from error


def _failure(what: str, error: Exception) -> ToolFailure:
    return ToolFailure(
        f"NVML cannot {what}: {error}", action="run nvidia-smi on this machine and look at its log"
    )
