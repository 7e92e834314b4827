"""Launchers that say what a test wants: threads at the other end of the socket, and processes that are none."""

import array
import os
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from evaluation.adapters.gpu.launcher_client import Deadlines, LauncherClient
from evaluation.adapters.gpu.launcher_link import Link
from evaluation.adapters.jail_service import ServiceEnd
from evaluation.core.launching.frames import (
    REQUEST_BYTES,
    Answer,
    Request,
    Say,
    read_request,
    write_answer,
)

# What answers is waited for as long as a busy machine may need; QUICK is for what never answers.
PATIENT = Deadlines(set_up=60, call=60, start=60, ours=60, death=60)
QUICK = Deadlines(set_up=0.3, call=0.3, start=0.3, ours=0.3, death=0.1)


@dataclass
class ProcessDouble:
    """``end_of`` is how it has ended, None while it lives. A stuck one does not die."""

    end_of: ServiceEnd | None = None
    stuck: bool = False
    said: bytes = b""
    kills: int = 0
    on_kill: Callable[[], None] = lambda: None

    def ended(self, *, seconds: float) -> bool:
        return self.end_of is not None

    def end(self) -> ServiceEnd:
        assert self.end_of is not None
        return self.end_of

    def words(self) -> bytes:
        return self.said

    def kill(self, *, seconds: float) -> bool:
        self.kills += 1
        self.on_kill()
        return not self.stuck


@dataclass
class Heard:
    request: Request
    content: bytes | None


@dataclass
class LauncherDouble:
    """Hears every request; those that ask for an answer get what ``answers`` make of them, in order.

    An answer may be a frame, raw bytes, None for silence, or several of them.
    """

    answers: list[object]
    process: ProcessDouble = field(default_factory=ProcessDouble)
    heard: list[Heard] = field(default_factory=list)
    deadlines: Deadlines = PATIENT

    def __post_init__(self) -> None:
        ours, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.client = LauncherClient(Link(ours, self.process), self.deadlines)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.client.link.close()
        self._thread.join(60)
        self._theirs.close()
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        room = socket.CMSG_SPACE(array.array("i").itemsize)
        try:
            while content := self._receive(room):
                if content.request.ask.name not in ("TRUSTED", "PLAN", "CUBIN", "BUFFER", "END"):
                    self._answer(content.request)
        except OSError:
            pass  # the judge has gone

    def _receive(self, room: int) -> Heard | None:
        content, aside, _, _ = self._theirs.recvmsg(REQUEST_BYTES, room)
        if not content:
            return None
        request = read_request(content)
        held = None
        for _, _, data in aside:
            descriptor = array.array("i", data)[0]
            held = os.pread(descriptor, 1 << 20, 0)
            os.close(descriptor)
        heard = Heard(request, held)
        self.heard.append(heard)
        return heard

    def _answer(self, request: Request) -> None:
        chosen = self.answers.pop(0)
        for one in chosen if isinstance(chosen, list) else [chosen]:
            if isinstance(one, ServiceEnd):
                self.process.end_of = one
                self._theirs.shutdown(socket.SHUT_RDWR)
            elif isinstance(one, bytes):
                self._theirs.sendall(one)
            elif isinstance(one, Answer):
                sequence = one.sequence or request.sequence
                self._theirs.sendall(write_answer(Answer(one.say, sequence, one.numbers)))
            elif callable(one):
                one(self._theirs)


def said(say: Say, *numbers: int, sequence: int = 0) -> Answer:
    """An answer in a launcher's mouth; sequence 0 stands for the right one."""
    return Answer(say, sequence, numbers)
