"""The judge's side of a launcher against one that lies, stays silent, dies, or sends too much (rules T2, T8)."""

import array
import os
import socket
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from launcher_doubles import QUICK, LauncherDouble, ProcessDouble, said

from evaluation.adapters.gpu.launcher_client import LauncherClient
from evaluation.adapters.jail_service import ServiceEnd
from evaluation.core.errors import ToolFailure
from evaluation.core.launching.frames import ANSWER_BYTES, Ask, Say, write_answer
from evaluation.core.launching.port import (
    Called,
    Counting,
    CountingStep,
    Died,
    GpuStuck,
    SetUp,
    SharedBuffer,
    Unavailable,
    Waiting,
)
from evaluation.core.measure.seen import Fault, FaultKind

NAN = struct.unpack("<q", struct.pack("<d", float("nan")))[0]
Make = Callable[..., LauncherDouble]
LONG = 60  # seconds: no deadline was kept after so many, however busy the machine


@pytest.fixture
def double() -> Iterator[Make]:
    made: list[LauncherDouble] = []

    def make(*answers: object, process: ProcessDouble | None = None) -> LauncherDouble:
        made.append(LauncherDouble(list(answers), process or ProcessDouble()))
        return made[-1]

    yield make
    for one in made:
        one.close()


def call(client: LauncherClient, number: int = 0) -> Called | Fault | Died:
    return client.call(number, set=1, end_aligned=True, counted=False, cold=True)


def test_a_call_is_asked_and_answered(double: Make) -> None:
    launcher = double(said(Say.CALLED, 1500), said(Say.CALLED, 1600))
    assert call(launcher.client, 4) == Called(1500)
    assert call(launcher.client, 5) == Called(1600)
    asked = [(one.request.ask, one.request.numbers) for one in launcher.heard]
    assert asked == [(Ask.CALL, (4, 1, 1, 0, 1)), (Ask.CALL, (5, 1, 1, 0, 1))]


def test_set_up_brings_plan_image_and_buffers_as_descriptors(double: Make) -> None:
    launcher = double(said(Say.SET_UP, 900, 4096))
    memory = os.memfd_create("buffer")
    os.write(memory, b"shared")
    buffers = (SharedBuffer(memory, 6, False), SharedBuffer(memory, 5, True))  # noqa: FBT003 - writable or not
    launcher.client.bring_own_kernels(b"ours")
    assert launcher.client.set_up(b"plan", b"image", (buffers, buffers)) == SetUp(900, 4096)
    os.close(memory)
    assert [(one.request.ask, one.request.numbers, one.content) for one in launcher.heard] == [
        (Ask.TRUSTED, (4,), b"ours"),
        (Ask.PLAN, (4,), b"plan"),
        (Ask.CUBIN, (5,), b"image"),
        (Ask.BUFFER, (0, 0, 6, 0), b"shared"),
        (Ask.BUFFER, (0, 1, 5, 1), b"shared"),
        (Ask.BUFFER, (1, 0, 6, 0), b"shared"),
        (Ask.BUFFER, (1, 1, 5, 1), b"shared"),
        (Ask.SET_UP, (), None),
    ]


def test_a_failure_of_the_candidate_is_a_value_and_ends_the_launcher(double: Make) -> None:
    launcher = double(said(Say.FAILED, 2, 700))
    fault = call(launcher.client, 3)
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.call, fault.step) == (FaultKind.CUDA_ERROR, 3, 2)
    assert (fault.code, fault.name) == (700, "CUDA_ERROR_ILLEGAL_ADDRESS")
    assert launcher.process.kills == 1
    with pytest.raises(RuntimeError, match="has ended"):
        call(launcher.client)


@pytest.mark.parametrize("in_set_up", [True, False])
def test_one_that_never_answers_is_killed_and_timed_out(double: Make, in_set_up: bool) -> None:
    launcher = double(None)
    client = launcher.client
    client.deadlines = QUICK
    began = time.monotonic()
    fault = client.set_up(b"", b"", ()) if in_set_up else call(client, 7)
    assert isinstance(fault, Fault)
    assert time.monotonic() - began < LONG
    kind = FaultKind.SET_UP_TIMED_OUT if in_set_up else FaultKind.TIMED_OUT
    assert (fault.kind, fault.call) == (kind, -1 if in_set_up else 7)
    assert 0.3 <= fault.seconds < LONG
    assert launcher.process.kills == 1


def test_one_that_does_not_die_is_left_and_its_gpu_is_stuck(double: Make) -> None:
    launcher = double(None, process=ProcessDouble(stuck=True))
    launcher.client.deadlines = QUICK
    with pytest.raises(GpuStuck, match="still there") as raised:
        call(launcher.client)
    assert "state D" in raised.value.action
    launcher.client.kill()  # nothing happens any more
    assert launcher.process.kills == 1


def test_a_death_during_a_call_is_told_as_what_it_was(double: Make) -> None:
    launcher = double(ServiceEnd(None, 11))
    died = call(launcher.client, 2)
    assert isinstance(died, Died)
    assert (died.call, died.signal, died.exit_code) == (2, 11, None)
    assert launcher.process.kills == 1


def garbage_descriptor(theirs: socket.socket) -> None:
    """A right answer that also hands over a descriptor."""
    content = write_answer(said(Say.CALLED, 1, sequence=1))
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))
    theirs.sendmsg([content], [rights])


def a_lot(theirs: socket.socket) -> None:
    """As much as the kernel takes, up to a gigabyte, in messages as large as it takes."""
    theirs.settimeout(0)
    try:
        for _ in range(1 << 13):
            theirs.send(bytes(1 << 17))
    except BlockingIOError:
        pass
    theirs.settimeout(None)


GARBAGE = {
    "a gigabyte": (a_lot, "larger than an answer"),
    "a descriptor": (garbage_descriptor, "carries a descriptor"),
    "text": (b"{}\n" * 10, "has 30 bytes"),
    "nothing, and it lives on": (b"", "lives on"),
    "zeros": (bytes(ANSWER_BYTES), "does not begin"),
    "a negative time": (said(Say.CALLED, -5), "a time outside"),
    "NaN": (said(Say.CALLED, NAN), "a time outside"),
    "a time longer than the wait": (said(Say.CALLED, 10**12), "longer than the wait"),
    "the answer to another request": (said(Say.CALLED, 1, sequence=9), "another request"),
    "another kind": (said(Say.SET_UP, 1, 1), "answers another question"),
    "a step that no plan has": (said(Say.FAILED, 300, 700), "a step"),
}


@pytest.mark.parametrize("case", GARBAGE)
def test_garbage_is_our_failure_and_ends_the_launcher(double: Make, case: str) -> None:
    answer, what = GARBAGE[case]
    launcher = double(answer)
    with pytest.raises(ToolFailure, match=what) as raised:
        call(launcher.client)
    assert raised.value.action
    assert launcher.process.kills == 1


def test_an_answer_given_twice_never_stands_for_the_next_one(double: Make) -> None:
    launcher = double([said(Say.CALLED, 1), said(Say.CALLED, 1)], None)
    assert call(launcher.client) == Called(1)
    # It is there before the next request, or it has the number of the last one.
    with pytest.raises(ToolFailure, match=r"unasked|another request"):
        call(launcher.client)


def test_a_failure_of_ours_says_what_to_do(double: Make) -> None:
    launcher = double(said(Say.OURS, 1, 0))
    with pytest.raises(ToolFailure, match="pageable host memory") as raised:
        launcher.client.set_up(b"", b"", ())
    assert "uvm_disable_hmm=1" in raised.value.action


def test_a_row_of_calls_names_each_of_them(double: Make) -> None:
    launcher = double(said(Say.WAITING), said(Say.CALLED, 4000))
    assert launcher.client.prepare((5, 6), (1, 0)) == Waiting()
    (heard,) = launcher.heard
    assert (heard.request.ask, heard.request.numbers) == (Ask.ROW, (16,))
    assert heard.content == struct.pack("<4I", 5, 1, 6, 0)
    assert launcher.client.go() == Called(4000)
    assert launcher.heard[1].request.ask is Ask.GO


def test_no_row_goes_that_was_not_prepared(double: Make) -> None:
    launcher = double(said(Say.WAITING), said(Say.CALLED, 4000))
    with pytest.raises(RuntimeError, match="without a row"):
        launcher.client.go()
    launcher.client.prepare((5,), (0,))
    launcher.client.go()
    with pytest.raises(RuntimeError, match="without a row"):
        launcher.client.go()


def test_a_row_that_says_its_end_before_it_may_go_is_garbage(double: Make) -> None:
    launcher = double(said(Say.CALLED, 4000))
    with pytest.raises(ToolFailure, match="answers another question"):
        launcher.client.prepare((5, 6), (1, 0))
    assert launcher.process.kills == 1


def test_a_row_that_ends_before_the_word_to_go_is_garbage(double: Make) -> None:
    launcher = double([said(Say.WAITING), said(Say.CALLED, 4000)], None)
    # Both answers have the sequence number of the first request.
    launcher.client.prepare((5, 6), (1, 0))
    with pytest.raises(ToolFailure, match=r"unasked|another request"):
        launcher.client.go()


@pytest.mark.parametrize("step", [0, 1])
@pytest.mark.parametrize("answer", [said(Say.FAILED, 2, 700), None, ServiceEnd(None, 11)])
def test_either_step_of_a_row_may_fail_and_names_its_first_call(
    double: Make, step: int, answer: object
) -> None:
    launcher = double(*[said(Say.WAITING)] * step, answer)
    client = launcher.client
    if step:
        assert client.prepare((8, 9), (0, 1)) == Waiting()
    if answer is None:
        client.deadlines = QUICK
    found = client.go() if step else client.prepare((8, 9), (0, 1))
    assert isinstance(found, Fault | Died)
    assert found.call == 8
    if isinstance(found, Fault):
        kind = FaultKind.TIMED_OUT if answer is None else FaultKind.CUDA_ERROR
        assert (found.kind, found.code) == (kind, 0 if answer is None else 700)
    assert launcher.process.kills == 1


def test_a_long_row_that_hangs_does_not_hold_a_gpu_for_all_its_calls(double: Make) -> None:
    launcher = double(said(Say.WAITING), None)
    launcher.client.prepare(tuple(range(1000)), (0,) * 1000)
    launcher.client.deadlines = replace(QUICK, call=0.2, row=0.3)
    fault = launcher.client.go()
    assert isinstance(fault, Fault)
    assert fault.kind is FaultKind.TIMED_OUT
    assert 0.5 <= fault.seconds < LONG


def test_counters_are_named_and_read(double: Make) -> None:
    launcher = double(said(Say.COUNTING, 2, 0), said(Say.COUNTERS, 7, 8))
    assert launcher.client.count(("a", "b")) == Counting(2)
    assert launcher.heard[0].content == b"a\nb\n"
    assert launcher.client.read_counters() == (("a", 7), ("b", 8))


def test_counters_that_are_not_there_are_a_reason_and_no_numbers(double: Make) -> None:
    launcher = double(said(Say.COUNTING, 0, 1), said(Say.COUNTING, 0, 5, 15, 7))
    assert launcher.client.count(("a",)) == Counting(0, Unavailable.NO_LIBRARY)
    assert launcher.client.read_counters() == Counting(
        0, Unavailable.INCOMPLETE, 15, CountingStep.READ
    )


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (None, "did not answer within"),
        (ServiceEnd(3, None), "ended unasked .exit code 3.: 'last words'"),
        (ServiceEnd(None, 9), "ended unasked .SIGKILL."),
        (said(Say.FAILED, -1, 719), "CUDA_ERROR_LAUNCH_FAILED"),
        (said(Say.COUNTERS, 1, 2), "nobody asked for"),
        (said(Say.OURS, 7, 999), "the driver failed without a kernel's doing: CUDA_ERROR_UNKNOWN"),
    ],
)
def test_where_no_candidate_works_everything_is_our_failure(
    double: Make, answer: object, what: str
) -> None:
    launcher = double(said(Say.COUNTING, 1, 0), answer, process=ProcessDouble(said=b"last words\n"))
    launcher.client.count(("a",))
    if answer is None:
        launcher.client.deadlines = QUICK
    with pytest.raises(ToolFailure, match=what):
        launcher.client.read_counters()
    assert launcher.process.kills == 1


def test_an_end_is_asked_for_and_made_sure_of(double: Make) -> None:
    launcher = double()
    launcher.client.end()
    launcher.client.end()
    launcher.close()
    assert [one.request.ask for one in launcher.heard] == [Ask.END]
    assert launcher.process.kills == 1


def test_one_that_does_not_hear_the_end_is_killed_all_the_same(double: Make) -> None:
    launcher = double([said(Say.CALLED, 1), b"more"])
    call(launcher.client)
    launcher.client.end()
    assert launcher.process.kills == 1
