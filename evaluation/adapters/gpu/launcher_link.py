"""The judge's end of the socket to a launcher: every wait has a deadline, every byte is looked at (rules T2, T8)."""

import array
import select
import socket
import time
from dataclasses import dataclass
from typing import Protocol

from evaluation.adapters.gpu.launcher_files import sealed
from evaluation.adapters.jail_service import ServiceEnd
from evaluation.core.launching.frames import (
    ANSWER_BYTES,
    Answer,
    Ask,
    BadFrame,
    Request,
    read_answer,
    write_request,
)

# From the end of the socket to the end of its process: the driver takes its memory and a broken context apart.
_END_SECONDS = 10.0


class LauncherProcess(Protocol):
    """What stands behind the socket, jailed or not."""

    def ended(self, *, seconds: float) -> bool: ...

    def end(self) -> ServiceEnd: ...

    def words(self) -> bytes: ...

    def kill(self, *, seconds: float) -> bool: ...


class Late(Exception):
    """No answer within the deadline."""


class Gone(Exception):
    """The process has ended without an answer."""

    def __init__(self, end: ServiceEnd) -> None:
        super().__init__(str(end))
        self.end = end


@dataclass(slots=True)
class Link:
    """``socket`` keeps message boundaries. Raise Late, Gone, and BadFrame for what no launcher of ours says."""

    socket: socket.socket
    process: LauncherProcess
    sequence: int = 0

    def send(
        self, ask: Ask, numbers: tuple[int, ...] = (), *, fd: int | None = None, seconds: float
    ) -> None:
        """Send one request, and refuse to if the launcher has spoken unasked."""
        self._require_silence()
        self.sequence += 1
        content = write_request(Request(ask, self.sequence, numbers))
        aside = [] if fd is None else [_rights(fd)]
        self.socket.settimeout(seconds)
        try:
            self.socket.sendmsg([content], aside)
        except TimeoutError as error:
            raise Late from error
        except (BrokenPipeError, ConnectionResetError) as error:
            raise self._gone() from error

    def send_bytes(
        self, ask: Ask, content: bytes, numbers: tuple[int, ...], *, seconds: float
    ) -> None:
        """Send a request with a file that holds ``content``."""
        with sealed(content) as descriptor:
            self.send(ask, numbers, fd=descriptor, seconds=seconds)

    def receive(self, *, seconds: float) -> Answer:
        """Wait for the answer to the request that was sent last."""
        deadline = time.monotonic() + seconds
        if not self._readable(max(deadline - time.monotonic(), 0.0)):
            raise Late
        answer = read_answer(self._message())
        if answer.sequence != self.sequence:
            raise BadFrame("answers another request")
        return answer

    def close(self) -> None:
        self.socket.close()

    def _message(self) -> bytes:
        """Take one message, of which the kernel gives no more than a frame and no descriptor."""
        try:
            content, _, flags, _ = self.socket.recvmsg(ANSWER_BYTES, 0)
        except ConnectionResetError as error:
            raise self._gone() from error
        if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
            raise BadFrame("is larger than an answer, or carries a descriptor")
        if not content:
            raise self._gone()
        return content

    def _require_silence(self) -> None:
        if self._readable(0.0):
            self._message()
            raise BadFrame("says something unasked")

    def _readable(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _gone(self) -> Exception:
        """The exception for a socket that has ended: only a process that has ended too is gone."""
        if self.process.ended(seconds=_END_SECONDS):
            return Gone(self.process.end())
        return BadFrame("is empty, or its sender has hung up and lives on")


def _rights(descriptor: int) -> tuple[int, int, "array.array[int]"]:
    return socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor])
