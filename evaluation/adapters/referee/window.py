"""Times work of the referee's own as the launcher times a candidate's: behind a flag that the host sets (rule S5)."""

import ctypes
import time
from collections.abc import Callable

from cuda.bindings import driver as bindings

from evaluation.adapters.gpu import driver
from evaluation.core.measure.seen import Timed

_MAPPED = 2  # CU_MEMHOSTALLOC_DEVICEMAP
_AT_LEAST = int(bindings.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ)


class Window:
    """Two events and a flag in host memory, on one stream of the current context. Raise CudaError."""

    def __init__(self, stream: int) -> None:
        self._stream = stream
        self._events = driver.create_event(), driver.create_event()
        self._host = int(driver.ask(bindings.cuMemHostAlloc, 4096, _MAPPED))
        self._flag = ctypes.c_uint32.from_address(self._host)
        self._flag.value = 0
        self._device_flag = int(driver.ask(bindings.cuMemHostGetDevicePointer, self._host, 0))
        self._count = 0

    def time(self, enqueue: Callable[[], None], *, held: bool) -> Timed:
        """Enqueue, wait, and give the time between both events, and from the flag to the end by our own clock.

        ``held``: nothing starts before all is enqueued. What may allocate or load for the first time must not be held:
        the driver might wait for the stream that waits for us.
        """
        begin, end = self._events
        if held:
            self._hold()
        began = time.monotonic_ns()
        try:
            driver.record_event(begin, self._stream)
            enqueue()
            driver.record_event(end, self._stream)
        finally:
            if held:
                began = time.monotonic_ns()
                self._flag.value = self._count
        driver.synchronise()
        outside = time.monotonic_ns() - began
        return Timed(driver.elapsed_ns(begin, end), outside)

    def close(self) -> None:
        for event in self._events:
            driver.destroy_event(event)
        driver.ask(bindings.cuMemFreeHost, self._host)

    def _hold(self) -> None:
        self._count += 1
        driver.ask(
            bindings.cuStreamWaitValue32, self._stream, self._device_flag, self._count, _AT_LEAST
        )
