"""The third clock, by readings that were taken on an H200."""

import pytest

from evaluation.core.measure.hardware_clock import reading_busy_ns
from evaluation.core.measure.seen import Reading

DURATION, BUSY, ELAPSED = (
    "gpu__time_duration.sum",
    "sm__cycles_active.max",
    "sm__cycles_elapsed.max",
)


def read(*values: tuple[str, int]) -> int | None:
    return reading_busy_ns(Reading(launcher=0, call=2, values=values))


def test_what_the_profiler_adds_around_a_call_is_not_in_it() -> None:
    # A causal forward whose events said 1,185,920 ns: 2,117,851 of 2,632,621 cycles, 0.80447 of 1,436,407 ns, rounded down.
    counted = read((DURATION, 1_436_407), (BUSY, 2_117_851), (ELAPSED, 2_632_621))
    assert counted == 1_155_538


def test_a_call_that_had_the_device_for_the_whole_time_takes_the_whole_duration() -> None:
    assert read((DURATION, 100), (BUSY, 7), (ELAPSED, 7)) == 100


@pytest.mark.parametrize(
    "values",
    [
        (),
        ((DURATION, 100),),
        ((DURATION, 100), (BUSY, 50)),
        ((DURATION, 100), (ELAPSED, 50)),
        ((DURATION, 100), (BUSY, 50), (ELAPSED, 0)),
        ((DURATION, 0), (BUSY, 50), (ELAPSED, 100)),
    ],
)
def test_a_reading_without_all_three_tells_no_time(values: tuple[tuple[str, int], ...]) -> None:
    assert read(*values) is None
