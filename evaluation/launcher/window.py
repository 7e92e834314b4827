"""The clock: everything is enqueued behind a flag that the host sets at the end, so no gap of the host's is timed.

Rule S5. The device reads the flag from host memory; a kernel can write there too and gains nothing: the flag is up
whenever a kernel runs, and the next window asks for a larger number.
"""

import ctypes
from collections.abc import Iterable

from cuda.bindings import driver

from evaluation.adapters.gpu.driver import (
    create_event,
    elapsed_ns,
    record_event,
    synchronise,
)
from evaluation.adapters.gpu.driver_calls import CudaError, ask
from evaluation.core.launching.port import NO_STEP
from evaluation.launcher.actions import Action
from evaluation.launcher.failures import StepFailed, ours, theirs
from evaluation.launcher.pinned import allocate_pinned

# A stream takes some thousand operations before the host has to wait for it. A row of calls may have more: then the
# flag is set before the host would wait for a stream that waits for the host.
_MOST_HELD = 512
_FLAG_BYTES = 4096
_AT_LEAST = int(driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ)


class Window:
    """Two events and the flag, on one stream. Raise OurFailure when it is made."""

    def __init__(self, stream: int) -> None:
        self._stream = stream
        self._count = 0
        with ours():
            self._begin, self._end = create_event(), create_event()
            host = allocate_pinned(_FLAG_BYTES)
            self._flag = ctypes.c_uint32.from_address(host)
            self._flag.value = 0
            self._device_flag = int(ask(driver.cuMemHostGetDevicePointer, host, 0))

    def time(self, actions: Iterable[Action], *, held: bool) -> int:
        """Make all driver calls, wait for the whole context, and give the nanoseconds between first and last.

        ``held``: nothing starts before all is enqueued. A kernel's first launch may need memory that the driver gets
        only when the stream is empty, so whatever runs for the first time must not be held. Raise StepFailed.
        """
        with ours():
            if held:
                self._hold()
            record_event(self._begin, self._stream)
        try:
            self._enqueue(actions)
            with theirs(NO_STEP):
                record_event(self._end, self._stream)
        finally:
            self._release()
        with theirs(NO_STEP):
            synchronise()
            return elapsed_ns(self._begin, self._end)

    def _enqueue(self, actions: Iterable[Action]) -> None:
        step = NO_STEP
        try:
            for done, action in enumerate(actions):
                if done == _MOST_HELD:
                    self._release()
                step = action.step
                action.enqueue()
        except CudaError as error:
            raise StepFailed(step, error.code) from error

    def _hold(self) -> None:
        self._count += 1
        ask(driver.cuStreamWaitValue32, self._stream, self._device_flag, self._count, _AT_LEAST)

    def _release(self) -> None:
        self._flag.value = self._count
