"""Pipes and files handed to a jail, and what comes back: a head and a tail are kept, the middle is counted."""

import contextlib
import fcntl
import io
import os
import select
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluation.core.ports import Captured

_CHUNK_BYTES = 1 << 20
_STANDARD_ERROR = 2
_PARKING = 200  # our copies of descriptors wait up here, where no dup2 of the child lands


@dataclass(slots=True)
class Drain:
    """The reading end of one pipe. The first ``limit_bytes`` are kept, and the last ``tail_bytes`` of the rest."""

    descriptor: int
    limit_bytes: int
    tail_bytes: int = 0
    closed: bool = False
    _head: bytearray = field(default_factory=bytearray, repr=False)
    _tail: bytes = field(default=b"", repr=False)
    _beyond: int = 0

    def __post_init__(self) -> None:
        os.set_blocking(self.descriptor, False)

    def read_some(self) -> None:
        """Take what is there, at most one chunk. Never blocks."""
        try:
            chunk = os.read(self.descriptor, _CHUNK_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self.closed = True
            return
        room = self.limit_bytes - len(self._head)
        self._head += chunk[:room]
        over = chunk[room:]
        if over:
            self._beyond += len(over)
            self._tail = (self._tail + over)[-self.tail_bytes :] if self.tail_bytes else b""

    def read_rest(self, *, seconds: float) -> None:
        """Read to the end of the file; give up when a writer that should be dead keeps it open."""
        deadline = time.monotonic() + seconds
        while not self.closed and (left := deadline - time.monotonic()) > 0:
            if readable(self.descriptor, seconds=left):
                self.read_some()

    def captured(self) -> Captured:
        return Captured(bytes(self._head), self._beyond, self._tail)


def readable(descriptor: int, *, seconds: float) -> bool:
    """Wait for bytes, an end of file or, on a pidfd, the end of its process."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(seconds, 0.0) * 1000))


def write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


class ChildDescriptors:
    """What the child sees under which number. Everything is closed with ``stack``."""

    def __init__(self, stack: contextlib.ExitStack, *, reserved: frozenset[int]) -> None:
        self._stack = stack
        self._reserved = reserved
        self._parked: dict[int, int] = {}
        self._child_ends = stack.enter_context(contextlib.ExitStack())

    def next_number(self) -> int:
        """The lowest number above the standard three that nobody uses."""
        taken = self._reserved | self._parked.keys()
        return next(number for number in range(3, _PARKING) if number not in taken)

    def pipe_from(self, number: int) -> int:
        """Give the child the writing end as ``number``; return our reading end."""
        reading, writing = os.pipe2(os.O_CLOEXEC)
        self._stack.callback(os.close, reading)
        self._park(writing, number)
        return reading

    def pipe_to(self, number: int) -> io.FileIO:
        """Give the child the reading end as ``number``; return our writing end."""
        reading, writing = os.pipe2(os.O_CLOEXEC)
        self._park(reading, number)
        return self._stack.enter_context(io.FileIO(writing, "w"))

    def give(self, descriptor: int, number: int) -> None:
        """Give the child a descriptor of ours as ``number``; ours stays open."""
        self._park(os.dup(descriptor), number)

    def content(self, data: bytes) -> int:
        """Give the child a file with these bytes; return its number."""
        number = self.next_number()
        memory = os.memfd_create("jail-file", os.MFD_CLOEXEC)
        self._park(memory, number)
        write_all(self._parked[number], data)
        os.lseek(self._parked[number], 0, os.SEEK_SET)
        return number

    def actions(self) -> Iterator[tuple[int, ...]]:
        """File actions of posix_spawn: close what this process inherited from others, then give the child its own."""
        for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - names are numbers here
            if number > _STANDARD_ERROR and number not in self._parked.values():
                yield os.POSIX_SPAWN_CLOSE, number
        for number, parked in self._parked.items():
            yield os.POSIX_SPAWN_DUP2, parked, number

    def close_child_ends(self) -> None:
        self._child_ends.close()

    def _park(self, descriptor: int, number: int) -> None:
        try:
            parked = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _PARKING)
        finally:
            os.close(descriptor)
        self._child_ends.callback(os.close, parked)
        self._parked[number] = parked
