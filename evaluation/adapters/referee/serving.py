"""The referee's side of the line: one kernel at a time, a request, an answer; ends after any failure of its own."""

import select
import socket
import threading
import time
from collections.abc import Callable
from typing import Protocol

from evaluation.adapters.gpu.driver_calls import CudaError
from evaluation.adapters.gpu.referee_channel import Channel, ChannelClosed, ChannelLate
from evaluation.core.errors import ToolFailure
from evaluation.core.launching.port import GpuStuck
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.measurer import Session
from evaluation.core.measure.referee_words import (
    LIMIT_WORDS,
    Act,
    Failed,
    Kernel,
    Reply,
    Request,
)
from evaluation.core.measure.seen import DeviceSeen

SEND_SECONDS = 30.0
ORPHAN_SECONDS = 90.0  # more than any one step of a kernel takes

WELL, FAILED = 0, 1


class OpenSession(Session, Protocol):
    def close(self) -> None: ...


class Shop(Protocol):
    """What a referee works with once it has its settings."""

    @property
    def device(self) -> DeviceSeen: ...

    def open(self, kernel: Kernel, plan: bytes, cubin: bytes) -> OpenSession:
        """Warm the kernel's problem and lay the kernel out; nothing of it runs yet."""
        ...


class Server:
    """``serve`` answers until the client hangs up (0) or something of ours fails (1)."""

    def __init__(self, channel: Channel, shop: Shop) -> None:
        self._channel = channel
        self._shop = shop
        self._session: OpenSession | None = None

    def serve(self) -> int:
        """Give the exit code; a kernel that is open when the client hangs up is closed."""
        try:
            self._channel.send(Reply(device=self._shop.device), seconds=SEND_SECONDS)
            while True:
                request = self._channel.receive(Request, seconds=None)
                reply = self._answer(request)
                self._channel.send(reply, seconds=SEND_SECONDS)
                if reply.failed:
                    return FAILED
        except (ChannelClosed, ChannelLate):
            return WELL
        finally:
            self._close()

    def _answer(self, request: Request) -> Reply:
        try:
            return self._act(request)
        except (ToolFailure, CudaError) as failure:
            return Reply(failed=failed(failure))

    def _act(self, request: Request) -> Reply:
        if request.kernel is not None:
            plan = self._channel.receive_bytes(request.kernel.plan_bytes, seconds=SEND_SECONDS)
            cubin = self._channel.receive_bytes(request.kernel.cubin_bytes, seconds=SEND_SECONDS)
            self._close()
            self._session = self._shop.open(request.kernel, plan, cubin)
            return Reply(done=True)
        if request.act is Act.CLOSE:
            self._close()
            return Reply(done=True)
        if self._session is None:
            raise ToolFailure(f"no kernel is open to {request.act}", action="report this as a bug")
        if request.act is Act.CHECK:
            return Reply(check=self._session.check())
        return Reply(measure=self._session.measure())

    def _close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()


def failed(failure: ToolFailure | CudaError) -> Failed:
    """Say a failure in words that fit into a line. A CudaError is one of our own work: the context is lost."""
    if isinstance(failure, CudaError):
        return Failed(
            f"the referee's own work failed: {failure}"[:LIMIT_WORDS],
            "look at the GPU with nvidia-smi; the kernel is not to blame",
            sick=False,
        )
    return Failed(
        failure.what[:LIMIT_WORDS],
        failure.action[:LIMIT_WORDS],
        sick=isinstance(failure, (GpuSick, GpuStuck)),
    )


def watch_for_orphanhood(link: socket.socket, leave: Callable[[], None]) -> None:
    """Call ``leave`` when the client has been gone for a while and this process is still at work."""

    def watch() -> None:
        poll = select.poll()
        poll.register(link, select.POLLRDHUP)
        poll.poll()
        time.sleep(ORPHAN_SECONDS)
        leave()

    threading.Thread(target=watch, name="orphan watch", daemon=True).start()
