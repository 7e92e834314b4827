"""The CUDA driver as plain functions: every handle and every device address is an int. Nothing here knows torch.

Functions raise CudaError; what that means, a candidate's fault or ours, the caller decides.
"""

from dataclasses import dataclass

from cuda.bindings import driver

from evaluation.adapters.gpu.driver_calls import CudaError, ask
from evaluation.adapters.gpu.driver_facts import DeviceFacts, attribute, device_facts
from evaluation.adapters.gpu.driver_launch import LaunchShape, launch
from evaluation.core.errors import ToolMissing

__all__ = [
    "Context",
    "CudaError",
    "DeviceFacts",
    "LaunchShape",
    "allocate",
    "ask",
    "attribute",
    "clear",
    "copy_from_device",
    "copy_to_device",
    "create_event",
    "create_stream",
    "destroy_event",
    "destroy_stream",
    "device_facts",
    "elapsed_ns",
    "find_function",
    "free",
    "function_attribute",
    "launch",
    "load_module",
    "open_context",
    "record_event",
    "release_persisting_cache",
    "set_function_attribute",
    "start",
    "synchronise",
    "synchronise_stream",
    "unload_module",
]

_FUNCTION = driver.CUfunction_attribute


def start() -> None:
    """Initialise the driver. Raise ToolMissing without one, CudaError when it refuses (no device, say)."""
    try:
        ask(driver.cuInit, 0)
    except RuntimeError as error:
        raise ToolMissing(
            f"the CUDA driver cannot be loaded: {error}",
            action="install the NVIDIA driver, and let the process see libcuda.so.1 and the device nodes",
        ) from error


@dataclass(frozen=True, slots=True)
class Context:
    """A context that is current in the thread that opened it. ``device`` is the ordinal."""

    handle: int
    device: int
    own: bool

    def close(self) -> None:
        """Destroy an own context, give the primary one back. Fails like any call after a sticky error."""
        if self.own:
            ask(driver.cuCtxDestroy, self.handle)
        else:
            ask(driver.cuDevicePrimaryCtxRelease, self.device)

    def make_current(self) -> None:
        """Let the calling thread use it."""
        ask(driver.cuCtxSetCurrent, self.handle)


def open_context(index: int, *, own: bool) -> Context:
    """Open a context on device ``index`` and make it current: a new one, or the primary one that torch uses too."""
    device = ask(driver.cuDeviceGet, index)
    if own:
        return Context(int(ask(driver.cuCtxCreate, None, 0, device)), index, own=True)
    context = Context(int(ask(driver.cuDevicePrimaryCtxRetain, device)), index, own=False)
    context.make_current()
    return context


def synchronise() -> None:
    """Wait for everything in the current context; an error of any earlier launch arrives here at the latest."""
    ask(driver.cuCtxSynchronize)


def create_stream() -> int:
    """A stream that does not wait for the default stream."""
    return int(ask(driver.cuStreamCreate, driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value))


def destroy_stream(stream: int) -> None:
    ask(driver.cuStreamDestroy, stream)


def synchronise_stream(stream: int) -> None:
    ask(driver.cuStreamSynchronize, stream)


def create_event() -> int:
    """An event that takes the time."""
    return int(ask(driver.cuEventCreate, driver.CUevent_flags.CU_EVENT_DEFAULT.value))


def destroy_event(event: int) -> None:
    ask(driver.cuEventDestroy, event)


def record_event(event: int, stream: int) -> None:
    ask(driver.cuEventRecord, event, stream)


def elapsed_ns(start_event: int, end_event: int) -> int:
    """Nanoseconds between two recorded events that have happened. The driver's own resolution is about 500 ns."""
    milliseconds = float(ask(driver.cuEventElapsedTime, start_event, end_event))
    return round(milliseconds * 1e6)


def load_module(cubin: bytes) -> int:
    """Load an image into the current context."""
    return int(ask(driver.cuModuleLoadData, cubin))


def unload_module(module: int) -> None:
    ask(driver.cuModuleUnload, module)


def find_function(module: int, name: str) -> int:
    return int(ask(driver.cuModuleGetFunction, module, name.encode()))


def function_attribute(function: int, which: int) -> int:
    """``which`` is a number of CUfunction_attribute."""
    return int(ask(driver.cuFuncGetAttribute, _FUNCTION(which), function))


def set_function_attribute(function: int, which: int, value: int) -> None:
    ask(driver.cuFuncSetAttribute, function, _FUNCTION(which), value)


def copy_to_device(address: int, content: bytes, stream: int) -> None:
    """Enqueue a copy from pageable host memory; the driver has taken the bytes when this returns."""
    ask(driver.cuMemcpyHtoDAsync, address, content, len(content), stream)


def copy_from_device(address: int, size: int, stream: int) -> bytes:
    """Copy to the host behind everything in ``stream`` and wait for it."""
    content = bytearray(size)
    ask(driver.cuMemcpyDtoHAsync, content, address, size, stream)
    synchronise_stream(stream)
    return bytes(content)


def clear(address: int, size: int, stream: int) -> None:
    """Enqueue zeros for ``size`` bytes."""
    ask(driver.cuMemsetD8Async, address, 0, size, stream)


def allocate(size: int) -> int:
    """Plain memory of the current context: not shared, not guarded."""
    return int(ask(driver.cuMemAlloc, size))


def free(address: int) -> None:
    ask(driver.cuMemFree, address)


def release_persisting_cache() -> None:
    """Let no line stay in the L2 cache because somebody asked for it, and set nothing aside any more (rule S2)."""
    ask(driver.cuCtxResetPersistingL2Cache)
    ask(driver.cuCtxSetLimit, driver.CUlimit.CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0)
