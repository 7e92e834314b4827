"""What answers of a launcher mean, and that a number outside of its range is never believed (rule T2)."""

import struct
from collections.abc import Callable

import pytest

from evaluation.core.launching.answers import (
    UNAVAILABLE_NUMBERS,
    Failed,
    OurFault,
    Ours,
    counting_numbers,
    read_called,
    read_counters,
    read_counting,
    read_greeting,
    read_set_up,
    read_waiting,
)
from evaluation.core.launching.frames import (
    VALUES,
    Answer,
    BadFrame,
    Say,
    read_answer,
    write_answer,
)
from evaluation.core.launching.port import (
    LAUNCHER_DIED,
    Called,
    Counting,
    CountingStep,
    Died,
    SetUp,
    Unavailable,
    Waiting,
)
from evaluation.core.launching.result_names import result_name
from evaluation.core.measure.seen import Fault, FaultKind

NAN = struct.unpack("<q", struct.pack("<d", float("nan")))[0]
HOUR_NS = 3_600_000_000_000


def sent(say: Say, *numbers: int) -> Answer:
    """What arrives when a launcher says so."""
    return read_answer(write_answer(Answer(say, 5, numbers)))


def test_a_launcher_greets_in_the_version_of_the_judge() -> None:
    assert read_greeting(sent(Say.READY, 2)) is None
    with pytest.raises(BadFrame, match="speaks version 1, not 2"):
        read_greeting(sent(Say.READY, 1))
    with pytest.raises(BadFrame, match="says CALLED"):
        read_greeting(sent(Say.CALLED, 1))
    assert read_greeting(sent(Say.OURS, 1, 0)) == Ours(OurFault.HOST_MEMORY, 0)


def test_times_and_sizes_are_read() -> None:
    assert read_set_up(sent(Say.SET_UP, 1500, 4096)) == SetUp(1500, 4096)
    assert read_set_up(sent(Say.SET_UP, 0, 0)) == SetUp(0, 0)
    assert read_called(sent(Say.CALLED, HOUR_NS)) == Called(HOUR_NS)


def test_a_row_that_waits_says_so_and_no_more() -> None:
    assert read_waiting(sent(Say.WAITING)) == Waiting()
    with pytest.raises(BadFrame, match="nobody asked for"):
        read_waiting(sent(Say.WAITING, 1))
    with pytest.raises(BadFrame, match="says CALLED"):
        read_waiting(sent(Say.CALLED, 1))
    assert read_waiting(sent(Say.FAILED, 2, 700)) == Failed(2, 700)
    assert read_waiting(sent(Say.OURS, 8, 0)) == Ours(OurFault.ORDER, 0)


@pytest.mark.parametrize("value", [-1, HOUR_NS + 1, NAN, -(2**63), 2**63 - 1])
def test_a_time_that_is_none_is_refused(value: int) -> None:
    with pytest.raises(BadFrame, match="a time outside of 0 to 3600000000000"):
        read_called(sent(Say.CALLED, value))
    with pytest.raises(BadFrame, match="a time outside"):
        read_set_up(sent(Say.SET_UP, value, 0))


@pytest.mark.parametrize("value", [-1, 2**48 + 1])
def test_a_size_that_is_none_is_refused(value: int) -> None:
    with pytest.raises(BadFrame, match="a size outside"):
        read_set_up(sent(Say.SET_UP, 0, value))


def test_a_number_too_many_is_refused() -> None:
    with pytest.raises(BadFrame, match="nobody asked for"):
        read_called(sent(Say.CALLED, 1, 1))
    with pytest.raises(BadFrame, match="nobody asked for"):
        read_counters(sent(Say.COUNTERS, 1, 2, 3), 2)


def test_a_failure_of_the_candidate_names_step_and_result() -> None:
    assert read_called(sent(Say.FAILED, 3, 700)) == Failed(3, 700)
    assert read_set_up(sent(Say.FAILED, -1, 2)) == Failed(-1, 2)
    assert read_set_up(sent(Say.FAILED, 255, 9999)) == Failed(255, 9999)


@pytest.mark.parametrize(
    ("numbers", "what"),
    [
        ((-2, 700), "a step"),
        ((256, 700), "a step"),
        ((0, 0), "a CUresult"),
        ((0, 10_000), "a CUresult"),
    ],
)
def test_a_failure_outside_of_the_plan_is_refused(numbers: tuple[int, int], what: str) -> None:
    with pytest.raises(BadFrame, match=what):
        read_called(sent(Say.FAILED, *numbers))


def test_a_failure_of_ours_is_none_of_the_candidate() -> None:
    assert read_called(sent(Say.OURS, 5, 17)) == Ours(OurFault.ASSUMPTION, 17)
    for numbers, what in (((0, 0), "a reason"), ((11, 0), "a reason"), ((5, -1), "a detail")):
        with pytest.raises(BadFrame, match=what):
            read_called(sent(Say.OURS, *numbers))


def test_counting_takes_passes_or_a_reason_why_there_are_none() -> None:
    assert read_counting(sent(Say.COUNTING, 4, 0)) == Counting(4)
    assert read_counting(sent(Say.COUNTING, 0, 2)) == Counting(0, Unavailable.NOT_PERMITTED)
    assert UNAVAILABLE_NUMBERS[Unavailable.NO_LIBRARY] == 1
    assert read_counting(sent(Say.FAILED, -1, 700)) == Failed(-1, 700)


@pytest.mark.parametrize(
    ("numbers", "what"),
    [
        ((0, 0), "a number of passes"),
        ((65, 0), "a number of passes"),
        ((1, 1), "a number of passes"),
        ((0, 6), "a reason"),
        ((0, -1), "a reason"),
        ((0, 4, -1), "a status"),
        ((0, 4, 10_000), "a status"),
        ((0, 4, 15, 8), "a step"),
        ((0, 4, 15, -1), "a step"),
        ((3, 0, 15), "a status"),
        ((3, 0, 0, 1), "a step"),
    ],
)
def test_counting_that_cannot_be_is_refused(numbers: tuple[int, ...], what: str) -> None:
    with pytest.raises(BadFrame, match=what):
        read_counting(sent(Say.COUNTING, *numbers))


@pytest.mark.parametrize(
    ("counting", "numbers", "reason"),
    [
        (Counting(4), (4, 0, 0, 0), ""),
        (
            Counting(0, Unavailable.REFUSED, 15, CountingStep.OPEN),
            (0, 4, 15, 1),
            "refused (CUPTI status 15 at step open)",
        ),
        (
            Counting(0, Unavailable.INCOMPLETE, step=CountingStep.READ),
            (0, 5, 0, 7),
            "incomplete (at step read)",
        ),
        (Counting(0, Unavailable.NO_LIBRARY), (0, 1, 0, 0), "no_library"),
        (Counting(0, Unavailable.REFUSED, 999), (0, 4, 999, 0), "refused (CUPTI status 999)"),
    ],
)
def test_a_refusal_tells_what_cupti_said_and_at_which_step(
    counting: Counting, numbers: tuple[int, ...], reason: str
) -> None:
    assert counting_numbers(counting) == numbers
    assert read_counting(sent(Say.COUNTING, *numbers)) == counting
    assert counting.reason == reason


def test_a_status_that_no_answer_holds_is_told_as_the_largest_one() -> None:
    assert counting_numbers(Counting(0, Unavailable.REFUSED, 2**31 - 1))[2] == 9999
    assert counting_numbers(Counting(0, Unavailable.REFUSED, -1))[2] == 0


def test_counters_come_one_for_each_metric_or_not_at_all() -> None:
    assert read_counters(sent(Say.COUNTERS, 5, 0, 2**62 - 1), 3) == (5, 0, 2**62 - 1)
    assert read_counters(sent(Say.COUNTERS, *range(VALUES)), VALUES) == tuple(range(VALUES))
    assert read_counters(sent(Say.COUNTING, 0, 5), 3) == Counting(0, Unavailable.INCOMPLETE)
    for value in (-1, 2**62, NAN):
        with pytest.raises(BadFrame, match="a counter"):
            read_counters(sent(Say.COUNTERS, value), 1)


READERS: tuple[Callable[[Answer], object], ...] = (
    read_greeting,
    read_set_up,
    read_called,
    read_counting,
)
FITTING: dict[Callable[[Answer], object], Say] = {
    read_greeting: Say.READY,
    read_set_up: Say.SET_UP,
    read_called: Say.CALLED,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("say", [Say.READY, Say.SET_UP, Say.CALLED, Say.COUNTERS])
def test_an_answer_to_another_question_is_refused(
    reader: Callable[[Answer], object], say: Say
) -> None:
    if FITTING.get(reader) is not say:
        with pytest.raises(BadFrame, match="answers another question"):
            reader(sent(say, 1))


def test_a_death_can_be_told_as_a_fault() -> None:
    died = Died(call=4, exit_code=None, signal=11, seconds=0.5)
    assert died.as_fault() == Fault(
        FaultKind.CUDA_ERROR, launcher=0, call=4, step=-1, code=0, name=LAUNCHER_DIED, seconds=0.5
    )


def test_results_have_the_names_of_the_driver() -> None:
    assert result_name(700) == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert result_name(2) == "CUDA_ERROR_OUT_OF_MEMORY"
    assert result_name(719) == "CUDA_ERROR_LAUNCH_FAILED"
    assert result_name(4321) == "CUDA_ERROR_4321"
