"""Memsets and copies of a plan as driver calls: the function and its arguments."""

from collections.abc import Callable
from typing import Any

from cuda.bindings import driver

from evaluation.core.launching.replay import Locate, located
from evaluation.core.plan.plan import CopyStep, MemsetStep, PayloadStep

DriverCall = tuple[Callable[..., Any], tuple[object, ...]]

_KIND = driver.CUmemorytype
_PLAIN = {
    1: driver.cuMemsetD8Async,
    2: driver.cuMemsetD16Async,
    4: driver.cuMemsetD32Async,
}
_ROWS = {
    1: driver.cuMemsetD2D8Async,
    2: driver.cuMemsetD2D16Async,
    4: driver.cuMemsetD2D32Async,
}


def memset(step: MemsetStep, call: int, locate: Locate, stream: int) -> DriverCall:
    to = located(step.destination, call, locate)
    if step.rows == 1:
        return _PLAIN[step.width], (to, step.value, step.columns, stream)
    arguments = (to, step.pitch, step.value, step.columns, step.rows, stream)
    return _ROWS[step.width], arguments


def copy(step: CopyStep, call: int, locate: Locate, stream: int) -> DriverCall:
    to = located(step.destination, call, locate)
    source = located(step.source, call, locate)
    if step.rows == 1:
        return driver.cuMemcpyDtoDAsync, (to, source, step.columns, stream)
    rows = _rows(step.columns, step.rows, to, step.destination_pitch)
    rows.srcMemoryType = _KIND.CU_MEMORYTYPE_DEVICE
    rows.srcDevice = source
    rows.srcPitch = step.source_pitch
    return driver.cuMemcpy2DAsync, (rows, stream)


def payload(step: PayloadStep, call: int, locate: Locate, source: int, stream: int) -> DriverCall:
    """Copy from ``source``, a host address at which the rows stand without gaps."""
    to = located(step.destination, call, locate)
    if step.rows == 1:
        return driver.cuMemcpyHtoDAsync, (to, source, step.columns, stream)
    rows = _rows(step.columns, step.rows, to, step.pitch)
    rows.srcMemoryType = _KIND.CU_MEMORYTYPE_HOST
    rows.srcHost = source
    rows.srcPitch = step.columns
    return driver.cuMemcpy2DAsync, (rows, stream)


def _rows(columns: int, rows: int, to: int, pitch: int) -> Any:
    made = driver.CUDA_MEMCPY2D()
    made.WidthInBytes = columns
    made.Height = rows
    made.dstMemoryType = _KIND.CU_MEMORYTYPE_DEVICE
    made.dstDevice = to
    made.dstPitch = pitch
    return made
