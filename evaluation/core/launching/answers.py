"""What an answer of a launcher means, once every number of it lies where it can lie (rule T2)."""

from dataclasses import dataclass
from enum import IntEnum, unique

from evaluation.core.launching.frames import VALUES, VERSION, Answer, BadFrame, Say
from evaluation.core.launching.port import (
    NO_STEP,
    Called,
    Counting,
    CountingStep,
    SetUp,
    Unavailable,
    Waiting,
)
from evaluation.core.plan.plan_limits import SETUP_STEPS

MOST_NANOSECONDS = 3600 * 10**9  # no deadline of ours is longer than an hour
MOST_BYTES = 1 << 48
MOST_COUNTED = (1 << 62) - 1
MOST_PASSES = 64
MOST_RESULT = 9999
MOST_DETAIL = 1 << 31


@unique
class OurFault(IntEnum):
    """Why a launcher could not do its work, whatever the kernel is like. The comment says what ``detail`` is."""

    HOST_MEMORY = 1  # the device reads pageable host memory (rule T1)
    PLAN = 2  # it cannot be read
    CUBIN = 3  # it is not the one that the plan names
    BUFFERS = 4  # they are not those of the plan's arguments
    ASSUMPTION = 5  # the device answers otherwise: place in the plan's list
    DEVICE = 6  # the cubin is for another one: CUresult
    DRIVER = 7  # a call that has nothing to do with the kernel failed: CUresult
    ORDER = 8  # a request came at a time when it cannot be served
    IMAGE = 9  # the judge's own kernels cannot be loaded or run: CUresult
    PROGRAM = 10  # a mistake in the launcher's own code


@dataclass(frozen=True, slots=True)
class Failed:
    """The candidate's work failed. ``step``: of set-up or steady list, or NO_STEP; ``code``: CUresult."""

    step: int
    code: int


@dataclass(frozen=True, slots=True)
class Ours:
    reason: OurFault
    detail: int


_UNAVAILABLE = tuple(Unavailable)
UNAVAILABLE_NUMBERS = {one: number for number, one in enumerate(_UNAVAILABLE, start=1)}
_STEPS = (None, *CountingStep)
_STEP_NUMBERS = {one: number for number, one in enumerate(_STEPS)}


def read_greeting(answer: Answer) -> Ours | None:
    """Give why a fresh launcher cannot serve; None where it can. Raise BadFrame for one of another version."""
    if answer.say is Say.OURS:
        return _ours(answer)
    (version,) = _numbers(answer, Say.READY, 1)
    if version != VERSION:
        raise BadFrame(f"speaks version {version}, not {VERSION}")
    return None


def read_set_up(answer: Answer) -> SetUp | Failed | Ours:
    if answer.say is not Say.SET_UP:
        return _failure(answer)
    nanoseconds, size = _numbers(answer, Say.SET_UP, 2)
    _within(nanoseconds, 0, MOST_NANOSECONDS, "a time")
    _within(size, 0, MOST_BYTES, "a size")
    return SetUp(nanoseconds, size)


def read_called(answer: Answer) -> Called | Failed | Ours:
    if answer.say is not Say.CALLED:
        return _failure(answer)
    (nanoseconds,) = _numbers(answer, Say.CALLED, 1)
    _within(nanoseconds, 0, MOST_NANOSECONDS, "a time")
    return Called(nanoseconds)


def read_waiting(answer: Answer) -> Waiting | Failed | Ours:
    if answer.say is not Say.WAITING:
        return _failure(answer)
    _numbers(answer, Say.WAITING, 0)
    return Waiting()


def read_counting(answer: Answer) -> Counting | Failed | Ours:
    if answer.say is not Say.COUNTING:
        return _failure(answer)
    passes, reason, status, step = _numbers(answer, Say.COUNTING, 4)
    if reason:
        _within(reason, 1, len(_UNAVAILABLE), "a reason")
        _within(passes, 0, 0, "a number of passes")
        _within(status, 0, MOST_RESULT, "a status")
        _within(step, 0, len(CountingStep), "a step")
        return Counting(0, _UNAVAILABLE[reason - 1], status, _STEPS[step])
    _within(passes, 1, MOST_PASSES, "a number of passes")
    _within(status, 0, 0, "a status")
    _within(step, 0, 0, "a step")
    return Counting(passes)


def counting_numbers(counting: Counting) -> tuple[int, ...]:
    """Give the numbers that read_counting undoes."""
    reason = UNAVAILABLE_NUMBERS[counting.unavailable] if counting.unavailable else 0
    status = min(max(counting.status, 0), MOST_RESULT)
    return counting.passes, reason, status, _STEP_NUMBERS[counting.step]


def read_counters(answer: Answer, count: int) -> tuple[int, ...] | Counting | Failed | Ours:
    """Give one value for each of ``count`` metrics, or why there are none."""
    if answer.say is not Say.COUNTERS:
        return read_counting(answer)
    values = _numbers(answer, Say.COUNTERS, count)
    for value in values:
        _within(value, 0, MOST_COUNTED, "a counter")
    return values


def _failure(answer: Answer) -> Failed | Ours:
    if answer.say is Say.OURS:
        return _ours(answer)
    step, code = _numbers(answer, Say.FAILED, 2)
    _within(step, NO_STEP, SETUP_STEPS - 1, "a step")
    _within(code, 1, MOST_RESULT, "a CUresult")
    return Failed(step, code)


def _ours(answer: Answer) -> Ours:
    reason, detail = _numbers(answer, Say.OURS, 2)
    _within(reason, 1, len(OurFault), "a reason")
    _within(detail, 0, MOST_DETAIL, "a detail")
    return Ours(OurFault(reason), detail)


def _numbers(answer: Answer, say: Say, count: int) -> tuple[int, ...]:
    if answer.say is not say:
        raise BadFrame(f"says {answer.say.name}, which answers another question")
    if any(answer.numbers[count:VALUES]):
        raise BadFrame("has numbers that nobody asked for")
    return answer.numbers[:count]


def _within(value: int, low: int, high: int, what: str) -> None:
    if not low <= value <= high:
        raise BadFrame(f"has {what} outside of {low} to {high}")
