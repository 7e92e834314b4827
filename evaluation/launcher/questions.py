"""Asks the real device what the plan assumes (rule L6). The calls are those of core/record/assumption_table.py.

The recorder answers for runtime and driver calls alike; here the driver is asked, whose numbers are the same.
"""

from cuda.bindings import driver

from evaluation.adapters.gpu.driver import function_attribute
from evaluation.adapters.gpu.driver_calls import CudaError, ask
from evaluation.adapters.gpu.driver_launch import LaunchShape, configuration
from evaluation.core.catalogue.function_attributes import (
    CLUSTER_SIDES,
    DYNAMIC_SHARED,
    MOST_THREADS,
    REGISTERS,
)
from evaluation.core.launching.answers import OurFault
from evaluation.core.plan.plan import Assumption
from evaluation.launcher.failures import OurFailure
from evaluation.launcher.machine import DEVICE

Answer = tuple[int | str, ...]

_NAME_BYTES = 256
_FRESH = frozenset(("cudaDeviceGetLimit", "cuCtxGetLimit"))
"""What is asked of a context in which no plan has set anything yet."""


def check_fresh(assumptions: tuple[Assumption, ...]) -> None:
    """Check what is assumed about a context that is as the driver made it. Raise OurFailure."""
    _check(assumptions, {}, fresh=True)


def check_device(assumptions: tuple[Assumption, ...], functions: dict[str, int]) -> None:
    """Check all else, once the plan's kernels are loaded and have their attributes. Raise OurFailure."""
    _check(assumptions, functions, fresh=False)


def _check(assumptions: tuple[Assumption, ...], functions: dict[str, int], *, fresh: bool) -> None:
    for place, one in enumerate(assumptions):
        if (one.call in _FRESH) is fresh:
            try:
                answer = _answer(one.call, one.arguments, functions)
            except (CudaError, ValueError) as error:  # the bindings know no such number
                raise OurFailure(OurFault.ASSUMPTION, place) from error
            if answer != one.answer:
                raise OurFailure(OurFault.ASSUMPTION, place)


def _answer(call: str, arguments: Answer, functions: dict[str, int]) -> Answer | None:
    """Ask the driver; None for what nobody can ask. Raise CudaError."""
    match arguments:
        case (str(name), *rest):
            function = functions.get(name)
            numbers = tuple(one for one in rest if isinstance(one, int))
            if function is None or len(numbers) < len(rest):
                return None
            return _about_kernel(call, function, numbers)
        case _:
            return _about_device(call, tuple(one for one in arguments if isinstance(one, int)))


def _about_device(call: str, arguments: tuple[int, ...]) -> Answer | None:
    found: Answer | None
    match call, arguments:
        case "cudaDeviceGetStreamPriorityRange", ():
            found = _numbers(ask(driver.cuCtxGetStreamPriorityRange))
        case "cudaGetDeviceCount" | "cuDeviceGetCount", ():
            found = _numbers(ask(driver.cuDeviceGetCount))
        case "cudaDriverGetVersion" | "cuDriverGetVersion", ():
            found = _numbers(ask(driver.cuDriverGetVersion))
        case "cudaDeviceGetLimit" | "cuCtxGetLimit", (number,):
            found = _numbers(ask(driver.cuCtxGetLimit, driver.CUlimit(number)))
        case "cudaDeviceGetAttribute" | "cuDeviceGetAttribute", (number, 0):
            kind = driver.CUdevice_attribute(number)
            found = _numbers(ask(driver.cuDeviceGetAttribute, kind, DEVICE))
        case "cuDeviceGetName", (0,):
            name = ask(driver.cuDeviceGetName, _NAME_BYTES, DEVICE)
            found = (name.split(b"\0", 1)[0].decode(errors="replace"),)
        case "cuDeviceTotalMem", (0,):
            found = _numbers(ask(driver.cuDeviceTotalMem, DEVICE))
        case _:
            found = None
    return found


def _about_kernel(call: str, function: int, asked: tuple[int, ...]) -> Answer | None:
    found: Answer | None
    match call, asked:
        case "cudaFuncGetAttributes", ():
            kinds = (MOST_THREADS, REGISTERS, DYNAMIC_SHARED)
            found = tuple(function_attribute(function, one) for one in kinds)
        case "cuFuncGetAttribute", (number,):
            found = (function_attribute(function, number),)
        case "cudaOccupancyMaxActiveBlocksPerMultiprocessor", (threads, shared):
            count = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor
            found = _numbers(ask(count, function, threads, shared))
        case "cudaOccupancyAvailableDynamicSMemPerBlock", (blocks, threads):
            room = driver.cuOccupancyAvailableDynamicSMemPerBlock
            found = _numbers(ask(room, function, blocks, threads))
        case "cudaOccupancyMaxActiveClusters", (threads, shared, blocks):
            config = _cluster_question(function, threads, shared, blocks)
            found = _numbers(ask(driver.cuOccupancyMaxActiveClusters, function, config))
        case "cudaOccupancyMaxPotentialClusterSize", (threads, shared, 0):
            config = _cluster_question(function, threads, shared, 0)
            found = _numbers(ask(driver.cuOccupancyMaxPotentialClusterSize, function, config))
        case _:
            found = None
    return found


def _numbers(answer: object) -> tuple[int, ...]:
    values = answer if isinstance(answer, tuple) else (answer,)
    return tuple(int(one) for one in values)


def _cluster_question(function: int, threads: int, shared: int, blocks: int) -> object:
    """A launch of some clusters. The kernel's own cluster must divide the grid, and is not asked for a second time."""
    own = tuple(function_attribute(function, side) for side in CLUSTER_SIDES)
    if all(own):
        x, y, z = own
        shape = LaunchShape((x, y, z), (threads, 1, 1), shared)
    elif blocks:
        shape = LaunchShape((blocks, 1, 1), (threads, 1, 1), shared, cluster=(blocks, 1, 1))
    else:
        shape = LaunchShape((1, 1, 1), (threads, 1, 1), shared)
    return configuration(shape, 0)
