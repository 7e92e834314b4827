from dataclasses import replace

import pytest
from measured import GEMM, MEASURED, PAIRS, SLOPES, pair, slope
from planned import PLAN

from evaluation.core.measure.seen import MeasureSeen, Side, SlopeSeen
from evaluation.core.plan.plan import LaunchStep
from evaluation.core.timing.bounds import Bound
from evaluation.core.timing.ranked import ranked
from evaluation.core.timing.rows import row_ns, row_signals
from evaluation.core.timing.timing import judge_time

# Rows of 5 and 10 calls that take 1 ms each, and as much beside them as is forgiven: 1 ms less a gap of 2 us.
ROW = SlopeSeen(Side.CANDIDATE, 0, 5, 9_000_000, 10_750_000)


def kinds(seen: MeasureSeen, bound: Bound | None = None) -> list[str]:
    found = ranked(seen)
    assert found is not None
    return [one.kind for one in row_signals(seen, found, PLAN, bound)]


def measured(event_ns: int, *slopes: SlopeSeen, outside_ns: int = 1_300_000) -> MeasureSeen:
    pairs = tuple(
        pair(one.launcher, one.place, candidate=event_ns, outside=outside_ns) for one in PAIRS
    )
    return replace(MEASURED, pairs=pairs, slopes=slopes)


def test_a_row_holds_its_calls_the_gaps_and_what_stands_beside_them() -> None:
    assert row_ns(ROW) == 998_000
    assert row_ns(replace(ROW, long_ns=0)) == -77_000


@pytest.mark.parametrize(("event_ns", "found"), [(978_040, []), (978_039, ["faster_than_rows"])])
def test_two_percent_below_the_longer_row_is_the_limit(event_ns: int, found: list[str]) -> None:
    assert kinds(measured(event_ns, ROW)) == found


def test_the_shortest_of_the_launchers_rows_counts() -> None:
    slower = replace(ROW, launcher=1, long_ns=12_000_000)
    assert kinds(measured(978_040, slower, ROW)) == []


def test_a_bound_that_says_as_much_stands_alone() -> None:
    seen = measured(900_000, ROW)
    assert kinds(seen, Bound(978_040, "")) == []
    assert kinds(seen, Bound(978_039, "")) == ["faster_than_rows"]


def test_a_ratio_beyond_the_row_is_held_though_the_median_time_is_not() -> None:
    # Seven of twelve pairs have 820,000 / 980,000 = 0.837; the medians of the rest give 700,000 / 978,040.
    rich = [pair(one.launcher, one.place, candidate=980_000, vendor=820_000) for one in PAIRS[:5]]
    quick = [pair(one.launcher, one.place, candidate=840_000, vendor=703_000) for one in PAIRS[5:7]]
    slow = [pair(one.launcher, one.place, candidate=990_000, vendor=700_000) for one in PAIRS[7:]]
    seen = replace(MEASURED, pairs=(*rich, *quick, *slow), slopes=(ROW,))
    assert kinds(seen) == ["faster_than_rows"]


@pytest.mark.parametrize(
    ("vendor_long_ns", "least_ns"),
    [
        (12 * 780_000, 978_040),
        # 780,000 of 821,052.6: the clocks fell by a twentieth in rows.
        (9_852_631, 929_138),
        (10**12, 880_236),  # a tenth at most
        (0, 978_040),
    ],
)
def test_clocks_that_fell_in_the_vendors_row_excuse_the_candidates(
    vendor_long_ns: int, least_ns: int
) -> None:
    vendor = SlopeSeen(Side.VENDOR, 0, 6, 4_700_000, vendor_long_ns)
    assert kinds(measured(least_ns, ROW, vendor)) == []
    assert kinds(measured(least_ns - 1, ROW, vendor)) == ["faster_than_rows"]
    free = replace(vendor, held=False)
    assert ("faster_than_rows" in kinds(measured(least_ns, ROW, free))) is (least_ns < 978_040)


def test_rows_are_as_long_as_calls_are_short() -> None:
    # Half of 6 ms is the least that N calls take together: four of 0.8 ms, and three do not do.
    block = slope(Side.CANDIDATE, 800_000, calls=4)
    assert kinds(measured(800_000, block)) == []
    three = slope(Side.CANDIDATE, 800_000, calls=3)
    assert kinds(measured(800_000, three)) == ["rows_too_short"]
    assert kinds(measured(1_000_000, three)) == []


def test_no_longer_row_is_asked_for_than_there_are_buffer_sets_and_room_in_a_stream() -> None:
    vendor = slope(Side.VENDOR, 780_000, calls=2)
    two = slope(Side.CANDIDATE, 100_000, calls=2)
    assert kinds(measured(100_000, two, vendor)) == []
    # 32 of the 64 sets that there are at most.
    assert kinds(measured(1_000, slope(Side.CANDIDATE, 1_000, calls=32))) == []
    assert kinds(measured(1_000, slope(Side.CANDIDATE, 1_000, calls=31))) == ["rows_too_short"]
    launches = tuple(one for one in PLAN.steady if isinstance(one, LaunchStep))
    crowded = replace(PLAN, steady=launches[:1] * 60)  # eight calls of 60 are held back
    seen = measured(100_000, slope(Side.CANDIDATE, 100_000, calls=4))
    found = ranked(seen)
    assert found is not None
    assert row_signals(seen, found, crowded, None) == ()


def test_rows_that_were_not_held_back_are_as_good_as_none() -> None:
    free = replace(ROW, held=False)
    assert kinds(measured(1_000_000, free)) == ["rows_too_short"]
    assert kinds(measured(99_000_000, free, outside_ns=100_000_000)) == []


def test_without_a_row_there_is_nothing_to_say() -> None:
    assert kinds(measured(1, *SLOPES[3:])) == []


def test_what_rows_say_is_in_the_report_with_the_numbers() -> None:
    report = judge_time(
        measured(500_000, replace(ROW, calls=2, short_ns=10_000_000)), GEMM, PLAN, None
    )
    evidence = {one.kind: one.evidence for one in report.signals}
    # (10.75 - 0.75) ms in four calls, less 2 us: 0.98 * 2,498,000.
    assert evidence["faster_than_rows"] == (
        "500000 ns a call, at least 2448040 ns by the longer rows",
    )
    assert evidence["rows_too_short"] == (
        "launcher 0: rows of 2 and 4 calls, at least 6 were to be had",
    )
