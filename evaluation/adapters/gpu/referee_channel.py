"""Lines of JSON and counted bytes over a socket between the judge and its referee, with a deadline on each."""

import contextlib
import select
import socket
import time
from dataclasses import dataclass, field
from typing import TypeVar

from evaluation.core import wire
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.referee_words import LIMIT_LINE_BYTES

R = TypeVar("R")

_CHUNK_BYTES = 1 << 20


class ChannelClosed(Exception):
    """The other side is gone, or what it sends is no line of this protocol."""


class ChannelLate(Exception):
    """The other side did not answer, or did not read, within the time given."""


@dataclass(slots=True)
class Channel:
    """One end. Not for two threads at once."""

    socket: socket.socket
    _rest: bytearray = field(default_factory=bytearray, repr=False)

    def __post_init__(self) -> None:
        self.socket.settimeout(0)

    def send(self, record: object, *blobs: bytes, seconds: float) -> None:
        """Send a record as one line, and ``blobs`` behind it. Raise ChannelClosed or ChannelLate."""
        deadline = time.monotonic() + seconds
        for part in (wire.encode(record) + b"\n", *blobs):
            self._write(part, deadline)

    def receive(self, kind: type[R], *, seconds: float | None) -> R:
        """Wait for one line that is a ``kind``; None waits for ever. Raise ChannelClosed or ChannelLate."""
        deadline = None if seconds is None else time.monotonic() + seconds
        searched = 0
        while (end := self._rest.find(b"\n", searched)) < 0:
            searched = len(self._rest)
            if searched > LIMIT_LINE_BYTES:
                raise ChannelClosed(f"a line has more than {LIMIT_LINE_BYTES} bytes")
            self._read(deadline)
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        try:
            return wire.decode(kind, line, where="the referee's line", limit_bytes=LIMIT_LINE_BYTES)
        except InvalidInput as broken:
            raise ChannelClosed(f"not a line of this protocol: {broken}") from broken

    def receive_bytes(self, size: int, *, seconds: float) -> bytes:
        """Wait for ``size`` bytes; whoever calls has bounded it. Raise ChannelClosed or ChannelLate."""
        deadline = time.monotonic() + seconds
        while len(self._rest) < size:
            self._read(deadline)
        content = bytes(self._rest[:size])
        del self._rest[:size]
        return content

    def _read(self, deadline: float | None) -> None:
        self._wait(select.POLLIN, deadline)
        with contextlib.suppress(BlockingIOError):
            try:
                chunk = self.socket.recv(_CHUNK_BYTES)
            except ConnectionError as gone:
                raise ChannelClosed("the other side is gone") from gone
            if not chunk:
                raise ChannelClosed("the other side is gone")
            self._rest += chunk

    def _write(self, content: bytes, deadline: float) -> None:
        left = memoryview(content)
        while left:
            self._wait(select.POLLOUT, deadline)
            with contextlib.suppress(BlockingIOError):
                try:
                    left = left[self.socket.send(left) :]
                except ConnectionError as gone:
                    raise ChannelClosed("the other side is gone") from gone

    def _wait(self, events: int, deadline: float | None) -> None:
        poll = select.poll()
        poll.register(self.socket, events)
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0) * 1000
        if not poll.poll(left):
            raise ChannelLate("no answer in time")
