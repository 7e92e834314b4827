"""The client against a double of the referee program: right, slow, dead, garbled, failing, and a GPU that falls ill."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from fake_bench import DEVICE
from planned import CUBIN, PLAN

from evaluation.adapters import trusted_process
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.gpu.referee_channel import Channel, ChannelClosed, ChannelLate
from evaluation.adapters.gpu.referee_client import (
    PROGRAM,
    Claim,
    Deadlines,
    RefereeClient,
    RefereeStart,
)
from evaluation.adapters.quarantine import GpuTaken, Quarantine
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.health import GpuSick, HealthSeen
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.referee_words import Settings
from evaluation.core.plan.plan_json import plan_to_json
from evaluation.core.verdict import FamilyExecuted

HERE = Path(__file__).parent
SETTINGS = Settings(0, "/t.cubin", "/c.so", "/libcupti.so", "/home")
GEMM = packaged().problem("gemm_n4096_k4096")
PREPARED = Prepared(GEMM, PLAN, b"\x7fELF cubin", CUBIN, FamilyExecuted.UNKNOWN)
# What answers is waited for as long as a busy machine may need.
PATIENT = Deadlines(ready=60, open=60, beside=0, end=60, death=60)
# Half a second for a check: for one that never ends.
HURRIED = replace(
    PREPARED,
    problem=replace(GEMM, bounds=replace(GEMM.bounds, call_seconds=0, gpu_seconds=0)),
)
HEALTHY = HealthSeen((), 0)


@dataclass
class FakeWatch:
    """``looks`` are what NVML says, one after the other; then it says that all is well."""

    looks: list[HealthSeen] = field(default_factory=list)
    uuids: list[str] = field(default_factory=list)
    closed: bool = False

    def __call__(self, uuid: str) -> "FakeWatch":
        self.uuids.append(uuid)
        return self

    def health(self) -> HealthSeen:
        return self.looks.pop(0) if self.looks else HEALTHY

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def watch() -> FakeWatch:
    return FakeWatch()


@pytest.fixture
def referee(tmp_path: Path, watch: FakeWatch) -> Iterator[Callable[..., RefereeClient]]:
    """Make a client whose referee is the double that does as it is told."""
    made: list[RefereeClient] = []

    def make(
        what: str, deadlines: Deadlines = PATIENT, claim: Claim | None = None
    ) -> RefereeClient:
        places = (HERE.parents[2], HERE, HERE.parents[1])
        made.append(
            RefereeClient(
                RefereeStart(
                    SETTINGS,
                    (("PYTHONPATH", ":".join(map(str, places))),),
                    watch,
                    ("-B", str(HERE / "referee_double.py"), what, str(tmp_path / "once")),
                    deadlines,
                    claim,
                )
            )
        )
        return made[-1]

    yield make
    for client in made:
        client.close()


Referee = Callable[..., RefereeClient]


def test_a_kernel_is_checked_and_measured_over_the_wire(referee: Referee, watch: FakeWatch) -> None:
    client = referee("right")
    assert client.device == DEVICE
    with client.open(PREPARED) as session:
        seen = session.check()
        assert seen.set_up_ns == len(plan_to_json(PLAN)) + len(PREPARED.cubin)
        assert session.measure().vendor_before_ns == (1,)
    assert watch.uuids == ["GPU-1"]


def test_one_referee_serves_many_kernels(referee: Referee) -> None:
    client = referee("right")
    processes = set()
    for _ in range(3):
        with client.open(PREPARED) as session:
            processes.add(session.check().set_up_bytes)
    assert len(processes) == 1


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("dies", "ended during check .*a last word"),
        ("garbage", "not a line of this protocol"),
        ("long", "a line has more than"),
        ("failed", "the vendor is broken"),
    ],
)
def test_a_referee_that_fails_is_our_fault_and_the_next_one_serves(
    referee: Referee, what: str, said: str
) -> None:
    client = referee(what)
    with pytest.raises(ToolFailure, match=said) as raised, client.open(PREPARED) as session:
        session.check()
    assert not isinstance(raised.value, GpuSick)
    assert raised.value.action
    with client.open(PREPARED) as session:  # by a new process: the double fails in check alone
        assert session.measure().launchers == 1


def test_a_referee_that_does_not_answer_in_time_is_killed_and_the_next_one_serves(
    referee: Referee,
) -> None:
    client = referee("slow", replace(PATIENT, beside=0.5))
    killed = "did not answer to check within 0 s and was killed"
    with pytest.raises(ToolFailure, match=killed) as raised, client.open(HURRIED) as session:
        session.check()
    assert not isinstance(raised.value, GpuSick)
    assert raised.value.action
    with client.open(PREPARED) as session:
        assert session.measure().launchers == 1


def test_what_does_not_close_is_killed(referee: Referee) -> None:
    client = referee("stuck", replace(PATIENT, end=0.5))
    began = time.monotonic()
    with pytest.raises(ToolFailure, match="did not answer to close"), client.open(PREPARED):
        pass
    assert time.monotonic() - began < 200  # the double sleeps for three times as long


def test_a_sick_gpu_is_sick_for_every_later_kernel(referee: Referee) -> None:
    client = referee("sick")
    with pytest.raises(GpuSick, match="smells"), client.open(PREPARED) as session:
        session.check()
    with pytest.raises(GpuSick, match="smells"), client.open(PREPARED):
        pass


def test_a_gpu_that_takes_no_new_referee_after_a_failure_is_sick(referee: Referee) -> None:
    client = referee("cannot be started again")
    with (
        pytest.raises(GpuSick, match="no new referee after a failure"),
        client.open(PREPARED) as session,
    ):
        session.check()


@pytest.mark.parametrize("after", [HealthSeen((79,), 0), HealthSeen((), 1)], ids=["Xid", "ECC"])
def test_nvml_makes_a_gpu_sick_although_the_kernel_was_answered(
    referee: Referee, watch: FakeWatch, after: HealthSeen
) -> None:
    watch.looks = [HEALTHY, after]
    client = referee("right")
    with pytest.raises(GpuSick, match="during the kernel"), client.open(PREPARED) as session:
        session.check()
    with pytest.raises(GpuSick):
        client.open(PREPARED).__enter__()


def test_a_referee_that_does_not_start_says_its_last_words(referee: Referee) -> None:
    with pytest.raises(ToolFailure, match=r"does not start.*no libcuda") as raised:
        _ = referee("does not start").device
    assert not isinstance(raised.value, GpuSick)


def test_an_exception_in_the_block_ends_the_referee_with_the_kernel(referee: Referee) -> None:
    client, interrupted = referee("right"), list[int]()
    with pytest.raises(KeyboardInterrupt), client.open(PREPARED) as session:  # noqa: PT012 - the block is the test
        interrupted.append(session.check().set_up_bytes)
        raise KeyboardInterrupt
    (first,) = interrupted
    with client.open(PREPARED) as session:
        assert session.check().set_up_bytes != first
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_closing_ends_the_process_and_lets_go_of_nvml(referee: Referee, watch: FakeWatch) -> None:
    client = referee("right")
    with client.open(PREPARED) as session:
        process = session.check().set_up_bytes
    client.close()
    assert watch.closed
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_referee_ends_when_its_client_is_gone() -> None:
    environment = (("PYTHONPATH", f"{HERE.parents[2]}:{HERE}"),)
    process = trusted_process.start(
        ("-B", str(HERE / "referee_double.py"), "right", "/nowhere"), environment
    )
    Channel(process.socket).send(SETTINGS, seconds=60)
    process.socket.close()
    assert process.ended(seconds=60)
    assert process.kill(seconds=60)
    process.close()


def test_a_channel_is_late_when_nobody_reads() -> None:
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs):
        with pytest.raises(ChannelLate):
            Channel(ours).send(SETTINGS, bytes(64 << 20), seconds=0.1)
        theirs.close()
        with pytest.raises(ChannelClosed):
            Channel(ours).send(SETTINGS, seconds=1)


def test_a_child_has_no_descriptors_but_its_own() -> None:
    with (HERE / "test_referee_client.py").open() as leak:
        os.set_inheritable(leak.fileno(), True)  # noqa: FBT003 - the function takes it so
        process = trusted_process.start(
            (
                "-c",
                "import os; os.write(3, str(sorted(map(int, os.listdir('/proc/self/fd')))).encode())",
            ),
            (),
        )
        assert process.ended(seconds=60)
    told = process.socket.recv(1000)
    process.kill(seconds=60)
    process.close()
    assert told == b"[0, 1, 2, 3, 4]"  # the last is listdir's own


def test_a_child_has_a_copy_of_what_it_is_given_to_keep(tmp_path: Path) -> None:
    with (tmp_path / "kept").open("w") as ours:
        process = trusted_process.start(
            ("-c", "import os; os.write(3, os.readlink('/proc/self/fd/4').encode())"),
            (),
            keep=ours.fileno(),
        )
    assert process.ended(seconds=20)
    told = process.socket.recv(1000)
    process.kill(seconds=1)
    process.close()
    assert told.decode() == str(tmp_path / "kept")


def test_every_referee_shares_the_claim_of_its_client(
    referee: Referee, tmp_path: Path, watch: FakeWatch
) -> None:
    claim, other = Quarantine(tmp_path, "h200-0"), Quarantine(tmp_path, "h200-0")
    claim.claim()
    client = referee("right", claim=claim)
    with client.open(PREPARED) as session:
        process = session.check().set_up_bytes
    claim.release()  # as the end of our process would
    with pytest.raises(GpuTaken):
        other.claim()
    assert (tmp_path / "h200-0.lock").read_text() == f"worker {os.getpid()}\nreferee {process}\n"
    client.close()
    other.claim()


def test_the_referee_itself_lets_none_of_its_launchers_have_the_claim(tmp_path: Path) -> None:
    """It starts here where PyTorch is only a name: it waits for its settings before it would need more."""
    (tmp_path / "torch.py").write_text(
        "import sys, unittest.mock\nsys.modules[__name__] = unittest.mock.MagicMock()\n"
    )
    environment = (("PYTHONPATH", f"{HERE.parents[2]}:{tmp_path}"),)
    with (tmp_path / "kept").open("w") as ours:
        process = trusted_process.start(PROGRAM, environment, keep=ours.fileno())
    flags = 0
    while not flags & os.O_CLOEXEC and not process.ended(seconds=0.05):
        row = Path(f"/proc/{process.pid}/fdinfo/4").read_text().splitlines()[1]
        flags = int(row.removeprefix("flags:"), 8)
    words = process.last_words()
    process.kill(seconds=5)
    process.close()
    assert flags & os.O_CLOEXEC, words


@dataclass
class Undying:
    """A process that no signal ends: stuck in the driver."""

    closed: bool = False

    def kill(self, *, seconds: float) -> bool:
        return False

    def close(self) -> None:
        self.closed = True


def test_a_process_that_cannot_be_killed_makes_the_gpu_sick(watch: FakeWatch) -> None:
    client = RefereeClient(RefereeStart(SETTINGS, (), watch))
    stuck = Undying()
    with pytest.raises(GpuSick, match="stuck in the driver"):
        client._kill(stuck)  # type: ignore[arg-type]  # all that it needs of a process
    assert stuck.closed
    with pytest.raises(GpuSick, match="stuck in the driver"):
        _ = client.device
