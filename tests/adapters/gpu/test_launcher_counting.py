"""Counters in the launcher: on for a reading alone, and a call whose counters fail is a call like any other."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from evaluation.adapters.gpu.counters import CountersUnavailable
from evaluation.core.launching.port import Counting, CountingStep, Unavailable
from evaluation.launcher.counting import Counters, Profiler

REHEARSED = ["configure", "on", "off"]


@dataclass
class ProfilerDouble:
    """Takes as many passes as metrics. ``failing`` is the act that CUPTI refuses, from its ``fails_from``-th time on."""

    failing: str = ""
    fails_from: int = 1
    did: list[str] = field(default_factory=list)
    passes: int = 0
    ended: int = 0
    on: bool = False

    def _do(self, what: str) -> None:
        self.did.append(what)
        if what == self.failing and self.did.count(what) >= self.fails_from:
            raise CountersUnavailable(Unavailable.REFUSED, what, status=15)

    def configure(self, metrics: Sequence[str]) -> int:
        self._do("configure")
        self.passes = len(metrics)
        return self.passes

    def switch_on(self) -> None:
        self.on = True
        self._do("on")

    def begin_pass(self) -> None:
        self.on = True
        self._do("begin")

    def end_pass(self) -> bool:
        self._do("end")
        self.ended += 1
        return self.ended % self.passes == 0

    def rest(self) -> None:
        self._do("off")
        self.on = False

    def values(self) -> dict[str, int]:
        self._do("values")
        return {"b": 2**63, "a": 1, "c": -5}

    def is_on(self) -> bool:
        return self.on

    def close(self) -> None:
        self._do("close")
        self.on = False


def call(profiler: ProfilerDouble) -> int:
    profiler.did.append("call")
    return 17


def test_counters_stay_on_for_the_passes_of_a_reading_and_go_off_with_the_last() -> None:
    profiler = ProfilerDouble()
    counters = Counters(lambda: profiler)
    assert counters.configure(("a", "b", "c")) == Counting(3)
    assert profiler.did == REHEARSED
    assert [counters.counted(lambda: call(profiler)) for _ in range(3)] == [17] * 3
    assert profiler.did[3:] == ["begin", "call", "end"] * 3 + ["off"]
    assert counters.read() == (1, 2**62 - 1, 0)  # what an answer can hold


def test_any_other_call_finds_the_profiler_off_and_the_reading_goes_on_after_it() -> None:
    profiler = ProfilerDouble()
    counters = Counters(lambda: profiler)
    counters.configure(("a", "b"))
    counters.counted(lambda: call(profiler))
    assert profiler.is_on()
    counters.rest()
    assert not profiler.is_on()
    counters.rest()
    counters.counted(lambda: call(profiler))
    assert profiler.did[3:] == ["begin", "call", "end", "off", "begin", "call", "end", "off"]
    assert not profiler.is_on()


@pytest.mark.parametrize(
    ("failing", "fails_from", "step"),
    [
        ("begin", 1, CountingStep.BEGIN),
        ("begin", 2, CountingStep.BEGIN),
        ("end", 1, CountingStep.END),
        ("off", 2, CountingStep.SWITCH_OFF),
        ("values", 1, CountingStep.READ),
    ],
)
def test_a_failing_profiler_fails_no_call_gives_no_reading_and_is_closed(
    failing: str, fails_from: int, step: CountingStep
) -> None:
    profiler = ProfilerDouble(failing, fails_from)
    counters = Counters(lambda: profiler)
    assert counters.configure(("a", "b")) == Counting(2)
    assert [counters.counted(lambda: call(profiler)) for _ in range(2)] == [17] * 2
    counters.rest()
    assert counters.read() == Counting(0, Unavailable.REFUSED, 15, step)
    assert set(profiler.did[profiler.did.index("close") + 1 :]) <= {"call"}
    assert not profiler.is_on()


@pytest.mark.parametrize(
    ("failing", "step"),
    [
        ("configure", CountingStep.CHOOSE),
        ("on", CountingStep.SWITCH_ON),
        ("off", CountingStep.SWITCH_OFF),
    ],
)
def test_what_cupti_refuses_before_the_first_pass_is_told_and_the_next_try_is_a_new_one(
    failing: str, step: CountingStep
) -> None:
    profilers = [ProfilerDouble(failing), ProfilerDouble()]
    counters = Counters(lambda: profilers.pop(0))
    first = profilers[0]
    assert counters.configure(("a",)) == Counting(0, Unavailable.REFUSED, 15, step)
    assert first.did[-1] == "close"
    assert counters.configure(("a",)) == Counting(1)
    assert counters.counted(lambda: 17) == 17
    assert counters.read() == (1,)


@pytest.mark.parametrize("why", list(Unavailable))
def test_why_there_are_none_is_told(why: Unavailable) -> None:
    def refuse() -> Profiler:
        raise CountersUnavailable(why, "detail", status=35)

    refusal = Counting(0, why, 35, CountingStep.OPEN)
    counters = Counters(refuse)
    assert counters.configure(("a",)) == refusal
    assert counters.counted(lambda: 17) == 17
    assert counters.read() == refusal


def test_counters_that_nobody_asked_for_cannot_be_read() -> None:
    assert Counters(ProfilerDouble).read() == Counting(0, Unavailable.INCOMPLETE)


def test_the_same_metrics_are_configured_once_and_other_ones_anew() -> None:
    profilers: list[ProfilerDouble] = []

    def make() -> Profiler:
        profilers.append(ProfilerDouble())
        return profilers[-1]

    counters = Counters(make)
    assert [counters.configure(("a",)), counters.configure(("a",))] == [Counting(1)] * 2
    assert len(profilers) == 1
    assert profilers[0].did == REHEARSED
    assert counters.configure(("a", "b")) == Counting(2)
    assert profilers[0].did[-1] == "close"
    assert len(profilers) == 2
