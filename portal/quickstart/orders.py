"""What a supervisor is told: by bytes of its guard, by the guard's end, and by signals to itself."""

import os
import select
import signal
from contextlib import ExitStack
from enum import Enum
from types import FrameType, TracebackType
from typing import Self

STOP_BYTE = b"s"
_STOPPING = (signal.SIGINT, signal.SIGTERM)
_BUFFER_BYTES = 4096


class Order(Enum):
    STOP = "end in order"
    KILL = "end everything now"


class Orders:
    """Reads orders without blocking. The first order to stop is that; a second one, or the guard's end, is to kill."""

    def __init__(self, control: int) -> None:
        self._control = control
        self._asked = 0
        self._told = 0
        self._guarded = True
        self._open = ExitStack()

    def __enter__(self) -> Self:
        os.set_blocking(self._control, False)
        self._wakeup, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._open.callback(os.close, self._wakeup)
        self._open.callback(os.close, writing)
        before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        self._open.callback(signal.set_wakeup_fd, before)
        for number in _STOPPING:
            self._open.callback(signal.signal, number, signal.signal(number, self._stop))
        # Only to be woken up by it.
        self._open.callback(
            signal.signal, signal.SIGCHLD, signal.signal(signal.SIGCHLD, lambda *_: None)
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()

    def next(self) -> Order | None:
        """The next order that has not been given yet; an order to kill is given for ever."""
        self._read()
        if not self._guarded or self._asked > 1:
            return Order.KILL
        if self._asked > self._told:
            self._told = self._asked
            return Order.STOP
        return None

    def wait(self, seconds: float) -> None:
        """Until something has happened, to a child too, and at most so long."""
        watched = [self._wakeup, self._control] if self._guarded else [self._wakeup]
        readable, _, _ = select.select(watched, (), (), seconds)
        if self._wakeup in readable:
            os.read(self._wakeup, _BUFFER_BYTES)

    def _read(self) -> None:
        try:
            asked = os.read(self._control, _BUFFER_BYTES)
        except BlockingIOError:
            return
        self._asked += len(asked)
        self._guarded = bool(asked)

    def _stop(self, _number: int, _frame: FrameType | None) -> None:
        self._asked += 1
