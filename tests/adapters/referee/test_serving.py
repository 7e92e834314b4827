"""The referee's side of the line, over a socket in this process."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from fake_bench import DEVICE

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.gpu.driver_calls import CudaError
from evaluation.adapters.gpu.referee_channel import Channel
from evaluation.adapters.referee import serving
from evaluation.adapters.referee.serving import FAILED, WELL, Server, watch_for_orphanhood
from evaluation.core.errors import ToolFailure
from evaluation.core.launching.port import GpuStuck
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.referee_words import Act, Kernel, Reply, Request
from evaluation.core.measure.seen import CheckSeen, MeasureSeen
from evaluation.core.verdict import FamilyExecuted, Target


@dataclass
class Sessions:
    """A shop whose sessions raise ``failure`` when they are asked, and say what becomes of them."""

    failure: Exception | None = None
    said: list[str] = field(default_factory=list)
    device = DEVICE

    def open(self, kernel: Kernel, plan: bytes, cubin: bytes) -> "Sessions":
        self.said.append(f"open {kernel.problem.name} {plan!r} {cubin!r}")
        return self

    def check(self) -> CheckSeen:
        if self.failure:
            raise self.failure
        return CheckSeen(DEVICE, 1, 2, ())

    def measure(self) -> MeasureSeen:
        raise ToolFailure("nothing to measure", action="none")

    def close(self) -> None:
        self.said.append("close")


@dataclass
class Served:
    client: Channel
    shop: Sessions
    thread: threading.Thread
    code: list[int]

    def ask(self, act: Act) -> Reply:
        self.client.send(Request(act), seconds=60)
        return self.client.receive(Reply, seconds=60)

    def open(self) -> Reply:
        problem = packaged().problem("gemm_n4096_k4096")
        kernel = Kernel(problem, Target.HOPPER, FamilyExecuted.UNKNOWN, plan_bytes=4, cubin_bytes=5)
        self.client.send(Request(Act.OPEN, kernel), b"plan", b"cubin", seconds=60)
        return self.client.receive(Reply, seconds=60)

    def end(self) -> int:
        self.thread.join(timeout=60)
        return self.code[0]


@pytest.fixture
def served() -> Iterator[Served]:
    ours, theirs = socket.socketpair()
    shop, code = Sessions(), list[int]()
    thread = threading.Thread(target=lambda: code.append(Server(Channel(theirs), shop).serve()))
    thread.start()
    made = Served(Channel(ours), shop, thread, code)
    assert made.client.receive(Reply, seconds=60).device == DEVICE
    yield made
    ours.close()
    thread.join(timeout=60)
    theirs.close()


def test_a_kernel_is_opened_asked_and_closed(served: Served) -> None:
    assert served.open().done
    assert served.ask(Act.CHECK).check == CheckSeen(DEVICE, 1, 2, ())
    assert served.ask(Act.CLOSE).done
    assert served.shop.said == ["open gemm_n4096_k4096 b'plan' b'cubin'", "close"]


def test_opening_another_kernel_closes_the_one_before(served: Served) -> None:
    served.open()
    served.open()
    assert [word.split()[0] for word in served.shop.said] == ["open", "close", "open"]


def test_a_client_that_hangs_up_ends_it_and_the_kernel(served: Served) -> None:
    served.open()
    served.client.socket.close()
    assert served.end() == WELL
    assert served.shop.said[-1] == "close"


@pytest.mark.parametrize(
    ("failure", "what", "sick"),
    [
        (ToolFailure("no vendor", action="mend"), "no vendor", False),
        (GpuSick("smoke", action="run"), "smoke", True),
        (GpuStuck("state D", action="wait"), "state D", True),
        (CudaError(700, "CUDA_ERROR_ILLEGAL_ADDRESS", "cuCtxSynchronize"), "the referee's own work failed: cuCtxSynchronize returned CUDA_ERROR_ILLEGAL_ADDRESS (700)", False),
        (ToolFailure("x" * 9000, action="y" * 9000), "x" * 4000, False),
    ],
    ids=["ours", "sick", "stuck", "CUDA", "long"],
)  # fmt: skip
def test_a_failure_is_said_once_and_ends_it(
    served: Served, failure: Exception, what: str, sick: bool
) -> None:
    served.shop.failure = failure
    served.open()
    failed = served.ask(Act.CHECK).failed
    assert failed is not None
    assert (failed.what, failed.sick) == (what, sick)
    assert served.end() == FAILED
    assert served.shop.said[-1] == "close"


@pytest.mark.parametrize("act", [Act.CHECK, Act.MEASURE])
def test_nothing_is_asked_of_no_kernel(served: Served, act: Act) -> None:
    failed = served.ask(act).failed
    assert failed is not None
    assert failed.what == f"no kernel is open to {act}"


def test_what_is_no_request_ends_it(served: Served) -> None:
    served.client.socket.send(b'{"act":"destroy","kernel":null}\n')
    assert served.end() == WELL
    assert served.shop.said == []


def test_an_orphan_at_work_leaves_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "ORPHAN_SECONDS", 0.05)
    left = threading.Event()
    ours, theirs = socket.socketpair()
    watch_for_orphanhood(theirs, left.set)
    assert not left.wait(0.2)
    ours.close()
    assert left.wait(60)
    theirs.close()
