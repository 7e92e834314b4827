"""The clock: everything is enqueued behind a flag that the host sets at the end, so no gap of the host's is timed.

Rule S5. The device reads the flag from host memory, where a kernel can write too. It gains nothing: the flag is up
whenever a kernel runs, and is taken down when none does, so no kernel can open a window that comes later.
"""

import ctypes
from collections.abc import Sequence

from cuda.bindings import driver

from evaluation.adapters.gpu.driver import (
    create_event,
    elapsed_ns,
    record_event,
    synchronise,
)
from evaluation.adapters.gpu.driver_calls import CudaError, ask
from evaluation.core.launching.port import NO_STEP
from evaluation.core.launching.replay import MOST_HELD
from evaluation.launcher.actions import Action
from evaluation.launcher.failures import StepFailed, ours, theirs
from evaluation.launcher.pinned import allocate_pinned

_FLAG_BYTES = 4096
_AT_LEAST = int(driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_GEQ)


class Window:
    """Two events and the flag, on one stream. Raise OurFailure when it is made."""

    def __init__(self, stream: int) -> None:
        self._stream = stream
        self._count = 0
        self._rest: Sequence[Action] = ()
        with ours():
            self._begin, self._end = create_event(), create_event()
            host = allocate_pinned(_FLAG_BYTES)
            self._flag = ctypes.c_uint32.from_address(host)
            self._flag.value = 0
            self._device_flag = int(ask(driver.cuMemHostGetDevicePointer, host, 0))

    def time(self, actions: Sequence[Action], *, held: bool) -> int:
        """Make all driver calls, wait for the whole context, and give the nanoseconds between first and last.

        ``held``: nothing starts before all is enqueued. A kernel's first launch may need memory that the driver gets
        only when the stream is empty, so whatever runs for the first time must not be held. Raise StepFailed.
        """
        self.open(actions, held=held)
        return self.close()

    def open(self, actions: Sequence[Action], *, held: bool) -> None:
        """Enqueue what the flag can hold back; nothing of it runs before ``close``, which comes next.

        What is more than that, or not ``held``, is enqueued in ``close``: the host must not wait for a stream that
        waits for the host. Raise StepFailed.
        """
        behind, self._rest = actions[: MOST_HELD * held], actions[MOST_HELD * held :]
        with ours():
            if held:
                self._hold()
            record_event(self._begin, self._stream)
        try:
            self._enqueue(behind)
            self._finish()
        except StepFailed:
            self._release()
            raise

    def close(self) -> int:
        """Let everything run, wait for the whole context, and give the nanoseconds. Raise StepFailed."""
        self._release()
        if self._rest:
            rest, self._rest = self._rest, ()
            self._enqueue(rest)
            self._finish()
        with theirs(NO_STEP):
            synchronise()
            return elapsed_ns(self._begin, self._end)

    def _enqueue(self, actions: Sequence[Action]) -> None:
        step = NO_STEP
        try:
            for action in actions:
                step = action.step
                action.enqueue()
        except CudaError as error:
            raise StepFailed(step, error.code) from error

    def _finish(self) -> None:
        """Record the end once everything is enqueued."""
        if not self._rest:
            with theirs(NO_STEP):
                record_event(self._end, self._stream)

    def _hold(self) -> None:
        """Nothing runs in this context now: what a kernel wrote to the flag is undone before anything waits for it."""
        self._release()
        self._count += 1
        ask(driver.cuStreamWaitValue32, self._stream, self._device_flag, self._count, _AT_LEAST)

    def _release(self) -> None:
        self._flag.value = self._count
