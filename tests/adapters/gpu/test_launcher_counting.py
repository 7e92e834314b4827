"""Counters in the launcher: on for a counted call alone, and a call whose counters fail is a call like any other."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from evaluation.adapters.gpu.counters import CountersUnavailable
from evaluation.adapters.gpu.counters import Unavailable as Reason
from evaluation.core.launching.port import Counting, Unavailable
from evaluation.launcher.counting import Counters, Profiler


@dataclass
class ProfilerDouble:
    failing: str = ""
    did: list[str] = field(default_factory=list)

    def _do(self, what: str) -> None:
        self.did.append(what)
        if what == self.failing:
            raise CountersUnavailable(Reason.REFUSED, what)

    def configure(self, metrics: Sequence[str]) -> int:
        self._do("configure")
        return len(metrics)

    def begin_pass(self) -> None:
        self._do("begin")

    def end_pass(self) -> bool:
        self._do("end")
        return True

    def values(self) -> dict[str, int]:
        self._do("values")
        return {"b": 2**63, "a": 1, "c": -5}

    def close(self) -> None:
        self._do("close")


def call(profiler: ProfilerDouble) -> int:
    profiler.did.append("call")
    return 17


def test_counters_are_on_around_a_counted_call_alone() -> None:
    profiler = ProfilerDouble()
    counters = Counters(lambda: profiler)
    assert counters.configure(("a", "b", "c")) == Counting(3)
    assert counters.counted(lambda: call(profiler)) == 17
    assert profiler.did == ["configure", "begin", "call", "end"]
    assert counters.read() == (1, 2**62 - 1, 0)  # what an answer can hold


@pytest.mark.parametrize("failing", ["begin", "end", "values"])
def test_a_failing_profiler_fails_no_call_and_gives_no_reading(failing: str) -> None:
    profiler = ProfilerDouble(failing)
    counters = Counters(lambda: profiler)
    counters.configure(("a",))
    assert counters.counted(lambda: call(profiler)) == 17
    assert counters.read() is None


@pytest.mark.parametrize(
    ("reason", "unavailable"),
    [
        (Reason.NO_LIBRARY, Unavailable.NO_LIBRARY),
        (Reason.NO_PERMISSION, Unavailable.NOT_PERMITTED),
        (Reason.UNKNOWN_METRIC, Unavailable.UNKNOWN_METRIC),
        (Reason.REFUSED, Unavailable.REFUSED),
        (Reason.INCOMPLETE, Unavailable.INCOMPLETE),
    ],
)
def test_why_there_are_none_is_told(reason: Reason, unavailable: Unavailable) -> None:
    def refuse() -> Profiler:
        raise CountersUnavailable(reason, "detail")

    assert Counters(refuse).configure(("a",)) == Counting(0, unavailable)
    assert len(Reason) == len(Unavailable)


def test_the_same_metrics_are_configured_once_and_other_ones_anew() -> None:
    profilers: list[ProfilerDouble] = []

    def make() -> Profiler:
        profilers.append(ProfilerDouble())
        return profilers[-1]

    counters = Counters(make)
    assert [counters.configure(("a",)), counters.configure(("a",))] == [Counting(1)] * 2
    assert len(profilers) == 1
    assert counters.configure(("a", "b")) == Counting(2)
    assert profilers[0].did[-1] == "close"
    assert len(profilers) == 2
