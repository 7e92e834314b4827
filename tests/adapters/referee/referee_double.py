"""A program that speaks the referee's protocol and misbehaves as its first argument says. Started by the client's tests."""

import os
import signal
import socket
import sys
import time
from pathlib import Path

from fake_bench import DEVICE, ROOFS

from evaluation.adapters.gpu.referee_channel import Channel
from evaluation.adapters.referee.serving import Server
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.referee_words import Kernel, Settings
from evaluation.core.measure.seen import CheckSeen, DeviceSeen, MeasureSeen, ProbeSeen


class DoubleSession:
    def __init__(self, what: str, plan: bytes, cubin: bytes) -> None:
        self._what = what
        self._bytes = len(plan) + len(cubin)

    def check(self) -> CheckSeen:
        what = self._what
        if what == "slow":
            time.sleep(600)
        if what == "dies":
            print("a last word", flush=True)  # noqa: T201 - this is what is to be read
            os.kill(os.getpid(), signal.SIGSEGV)
        if what == "garbage":
            os.write(3, b'{"check": 5}\n')
        if what == "long":
            os.set_blocking(3, True)
            os.write(3, b"x" * (9 << 20))
        if what == "failed":
            raise ToolFailure("the vendor is broken", action="mend it")
        if what == "sick":
            raise GpuSick("it smells of smoke", action="run")
        return CheckSeen(DEVICE, self._bytes, os.getpid(), ())

    def measure(self) -> MeasureSeen:
        nothing = ((),) * 5
        return MeasureSeen(DEVICE, *nothing, (1,), (2,), 3, 1, 0, ProbeSeen(()), ROOFS)

    def close(self) -> None:
        if self._what == "stuck":
            time.sleep(600)


class DoubleShop:
    device: DeviceSeen = DEVICE

    def __init__(self, what: str) -> None:
        self._what = what

    def open(self, kernel: Kernel, plan: bytes, cubin: bytes) -> DoubleSession:
        assert kernel.problem.name == "gemm_n4096_k4096"
        return DoubleSession(self._what, plan, cubin)


def main() -> int:
    what, once = sys.argv[1], Path(sys.argv[2])
    channel = Channel(socket.socket(fileno=3))
    channel.receive(Settings, seconds=60)
    if what == "does not start":
        sys.stderr.write("no libcuda.so.1\n")
        return 1
    if what == "cannot be started again":
        if once.exists():
            return 1
        once.touch()
        what = "dies"
    return Server(channel, DoubleShop(what)).serve()


if __name__ == "__main__":
    sys.exit(main())
