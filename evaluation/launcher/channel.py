"""The launcher's end of the socket: fixed requests in, each with one descriptor at most, fixed answers out."""

import array
import os
import socket
from dataclasses import dataclass

from evaluation.core.launching.frames import (
    REQUEST_BYTES,
    Answer,
    BadFrame,
    Request,
    read_request,
    write_answer,
)

_DESCRIPTOR_BYTES = array.array("i").itemsize


@dataclass(slots=True)
class Channel:
    """Answers echo the sequence number of the request that was read last."""

    end: socket.socket
    sequence: int = 0

    def receive(self) -> tuple[Request, int | None] | None:
        """Wait for a request and the descriptor that came with it, the caller's to close. None when the judge has gone.

        Raise BadFrame.
        """
        room = socket.CMSG_SPACE(_DESCRIPTOR_BYTES)
        content, aside, flags, _ = self.end.recvmsg(
            REQUEST_BYTES + 1, room, socket.MSG_CMSG_CLOEXEC
        )
        if not content:
            return None
        if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
            raise BadFrame("is larger than any request")
        descriptors = array.array("i")
        for _, _, data in aside:
            descriptors.frombytes(data)
        request = read_request(content)
        self.sequence = request.sequence
        return request, descriptors[0] if descriptors else None

    def send(self, answer: Answer) -> None:
        self.end.sendall(write_answer(answer))


def content_of(descriptor: int, size: int) -> bytes:
    """Read ``size`` bytes from the start of a file. Raise BadFrame if it is shorter."""
    parts, at = [], 0
    while at < size:
        part = os.pread(descriptor, size - at, at)
        if not part:
            raise BadFrame("is followed by a file that is too short")
        parts.append(part)
        at += len(part)
    return b"".join(parts)
