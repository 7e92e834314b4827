"""A launcher under its kernel's control lies about event times, and about whatever else it can to hide that (rule T2).

The kernel of these records takes 1 ms a call. Every lie makes it faster by the events, and what the launcher does not
own stays as it was: the referee's clock can be made to wait, and never to run ahead.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import pytest
from measured import (
    CANDIDATE_NS,
    GEMM,
    MEASURED,
    PAIRS,
    SLOPES,
    VENDOR_NS,
    counted_clock,
    pair,
    slope,
)
from planned import PLAN

from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import MeasureSeen, ProbeSeen, Reading, Roofs, Side, SlopeSeen
from evaluation.core.records import StageReport
from evaluation.core.timing.timing import judge_time
from evaluation.core.verdict import Severity, Verdict

OUTSIDE_NS = CANDIDATE_NS + 300_000
HIGH_ROOFS = Roofs(1e30, 1e30)  # so that no floor helps
VENDOR_SLOPE = SLOPES[3]
TOO_FAST = {"faster_than_slope", "faster_than_rows"}


def judged(seen: MeasureSeen) -> StageReport:
    return judge_time(seen, GEMM, PLAN, None)


def holds(seen: MeasureSeen) -> set[str]:
    report = judged(seen)
    assert report.verdict is Verdict.ACCEPTED
    return {one.kind for one in report.signals if one.severity is Severity.HOLD}


def told(report: StageReport) -> str:
    return str(next(one.value for one in report.facts if one.name == "no_speed"))


def forged(event_ns: int, slopes: Iterable[SlopeSeen] = SLOPES) -> MeasureSeen:
    """Events and the counters' duration say ``event_ns``; the clock around a call stays."""
    pairs = tuple(
        pair(one.launcher, one.place, candidate=event_ns, outside=OUTSIDE_NS) for one in PAIRS
    )
    probe = ProbeSeen((Reading(0, 9, counted_clock(event_ns)),))
    return replace(MEASURED, pairs=pairs, slopes=tuple(slopes), probe=probe, roofs=HIGH_ROOFS)


def late(block: SlopeSeen, short_ns: int) -> SlopeSeen:
    """The answer to the shorter row comes that much later, so that the slope is as small as the lie needs."""
    return replace(block, short_ns=block.short_ns + short_ns)


def true_rows(calls: int) -> tuple[SlopeSeen, ...]:
    return tuple(
        slope(Side.CANDIDATE, CANDIDATE_NS, calls=calls, launcher=launcher) for launcher in range(3)
    )


def test_the_truth_is_not_held() -> None:
    assert holds(forged(CANDIDATE_NS)) == set()


@pytest.mark.parametrize("differences", list(product((-282_000, 338_000), repeat=3)))
def test_honest_rows_that_differ_by_what_messages_take_are_not_held(
    differences: tuple[int, int, int],
) -> None:
    """28 us and 2.5 times 124 us either way, in each launcher; where all are late: 0.98 * 1,019,333 = 998,947 ns."""
    rows = tuple(
        replace(one, long_ns=one.long_ns + differences[one.launcher]) for one in SLOPES[:3]
    )
    assert holds(forged(CANDIDATE_NS, (*rows, VENDOR_SLOPE))) == set()


@pytest.mark.parametrize("share", [2, 3, 10, 1000, 999_999])
def test_event_times_alone_that_are_too_short_are_held(share: int) -> None:
    assert "faster_than_slope" in holds(forged(CANDIDATE_NS // share))


@pytest.mark.parametrize(
    ("call_ns", "calls", "least_ns"),
    [
        # 0.98 * (1,000,000 - 150,000 / 6 - 2,000): 4.6 % of a call.
        (1_000_000, 6, 953_540),
        # 0.98 * (300,000 - 150,000 / 20 - 2,000): 5.1 %.
        (300_000, 20, 284_690),
        # 0.98 * (6,000,000 - 150,000 - 2,000): 4.5 %.
        (6_000_000, 1, 5_731_040),
    ],
)
def test_beside_true_rows_a_lie_gains_two_percent_and_150_us_a_row_and_no_more(
    call_ns: int, calls: int, least_ns: int
) -> None:
    rows = tuple(slope(Side.CANDIDATE, call_ns, calls=calls, launcher=place) for place in range(3))

    def told_as(event_ns: int) -> MeasureSeen:
        seen = forged(event_ns, (*rows, VENDOR_SLOPE))
        around = tuple(
            replace(one, candidate=replace(one.candidate, outside_ns=call_ns + 300_000))
            for one in seen.pairs
        )
        return replace(seen, pairs=around)

    assert holds(told_as(least_ns)) == set()
    assert holds(told_as(least_ns - 1)) == {"faster_than_slope"}


@pytest.mark.parametrize(("event_ns", "held"), [(858_186, False), (858_185, True)])
def test_who_loads_the_device_in_the_vendors_row_gains_a_tenth_and_no_more(
    event_ns: int, held: bool
) -> None:
    """It makes clocks seem fallen. 0.98 * 0.9 * (1,000,000 - 150,000 / 6 - 2,000) = 858,186 ns."""
    slowed = slope(Side.VENDOR, 100_000_000, calls=8)
    assert ("faster_than_slope" in holds(forged(event_ns, (*true_rows(6), slowed)))) is held


@pytest.mark.parametrize(
    ("event_ns", "kinds"), [(3_001_740, set()), (3_001_739, {"faster_than_rows"})]
)
def test_rows_half_as_long_as_planned_and_a_late_answer_hide_an_eighth(
    event_ns: int, kinds: set[str]
) -> None:
    """Checked calls told as 6 ms: rows of one call and two. 0.98 * (3,440,000 - 750,000 / 2 - 2,000) = 3,001,740 ns."""
    call_ns = 3_440_000
    pairs = tuple(
        pair(one.launcher, one.place, candidate=event_ns, outside=call_ns + 300_000)
        for one in PAIRS
    )
    rows = tuple(
        late(slope(Side.CANDIDATE, call_ns, calls=1, launcher=place, around_ns=0), 500_000)
        for place in range(3)
    )
    vendor = slope(Side.VENDOR, 775_000, calls=8, around_ns=0)
    assert holds(replace(forged(event_ns, (*rows, vendor)), pairs=pairs)) == kinds


@pytest.mark.parametrize("launchers", [1, 2, 3])
def test_a_short_row_that_answers_late_hides_no_halved_event_times(launchers: int) -> None:
    rows = true_rows(6)
    # The slope says 0.5 ms: 6 * 0.5 ms late.
    hidden = tuple(late(one, 3_000_000) for one in rows[:launchers])
    seen = forged(CANDIDATE_NS // 2, (*hidden, *rows[launchers:], VENDOR_SLOPE))
    assert holds(seen) & TOO_FAST


def test_a_slope_below_nothing_hides_no_event_times() -> None:
    flat = tuple(late(one, 100_000_000) for one in true_rows(6))
    found = holds(forged(1_000, (*flat, VENDOR_SLOPE)))
    assert found & TOO_FAST
    assert "rows_too_short" in found


@pytest.mark.parametrize(("event_ns", "held"), [(923_475, True), (923_476, False)])
def test_rows_bound_a_call_to_what_stands_beside_them(event_ns: int, held: bool) -> None:
    # Vendor: 780,000 ns by events, (100,000 + 16 * 775,000) / 16 = 781,250 in its row. The candidate's row has
    # 12.1 ms, less 0.75 ms, in 12 calls: 945,833, less a gap of 2,000; 0.98 * 780,000 / 781,250 of it.
    hidden = tuple(late(one, 800_000) for one in true_rows(6))
    assert ("faster_than_rows" in holds(forged(event_ns, (*hidden, VENDOR_SLOPE)))) is held


def test_a_ratio_beyond_the_rows_is_held_though_the_median_time_is_not() -> None:
    hidden = tuple(late(one, 3_000_000) for one in true_rows(6))
    seen = forged(930_000, (*hidden, VENDOR_SLOPE))
    # The vendor's median is 800,000 here, above its row: 0.98 * 943,833 = 924,956 is the least, and the candidate's
    # median 930,000. The ratio's is 806,000 / 930,000 = 0.867, beyond 800,000 / 924,956 = 0.865.
    quick = [pair(one.launcher, one.place, candidate=850_000, vendor=800_000) for one in PAIRS[:5]]
    rich = [pair(one.launcher, one.place, candidate=930_000, vendor=806_000) for one in PAIRS[5:7]]
    slow = [pair(one.launcher, one.place, candidate=940_000, vendor=700_000) for one in PAIRS[7:]]
    assert "faster_than_rows" in holds(replace(seen, pairs=(*quick, *rich, *slow)))


@pytest.mark.parametrize("calls", [1, 2, 3, 5])
def test_checked_calls_that_pretend_to_be_long_buy_no_short_rows(calls: int) -> None:
    """The planned rows follow the checked calls' events; in ones this short the rim could hide the lie."""
    hidden = tuple(late(one, calls * 500_000) for one in true_rows(calls))
    assert "rows_too_short" in holds(forged(CANDIDATE_NS // 2, (*hidden, VENDOR_SLOPE)))


def test_one_process_that_answers_late_and_has_no_row_of_the_vendor_is_held() -> None:
    """Checked calls over 0.1 s by a launcher's word: one process, rows of one call and of two."""
    pairs = tuple(pair(0, place, candidate=350_000, outside=99_000_000) for place in range(12))
    hidden = late(slope(Side.CANDIDATE, CANDIDATE_NS, calls=1), 5_000_000)
    seen = replace(forged(350_000, (hidden,)), pairs=pairs)
    assert "rows_too_short" in holds(seen)


def test_a_call_that_seems_a_second_long_outside_is_bounded_by_that_clock() -> None:
    pairs = tuple(pair(0, place, candidate=350_000, outside=1_100_000_000) for place in range(3))
    assert holds(replace(forged(350_000, ()), pairs=pairs)) == {"faster_than_slope"}


def test_rows_that_were_not_held_back_bound_nothing_and_are_held() -> None:
    """No plan within its limits has as many operations a call as this takes."""
    free = tuple(replace(one, held=False) for one in true_rows(6))
    assert holds(forged(CANDIDATE_NS // 2, (*free, VENDOR_SLOPE))) == {"rows_too_short"}


def test_long_calls_without_a_held_row_are_bounded_by_the_clock_around_them() -> None:
    pairs = tuple(pair(0, place, candidate=200_000_000, outside=210_000_000) for place in range(12))
    free = replace(slope(Side.CANDIDATE, 200_000_000, calls=1), held=False)
    assert holds(replace(forged(1), pairs=pairs, slopes=(free,), probe=ProbeSeen(()))) == set()


def test_a_fast_kernel_beside_few_buffer_sets_is_not_held() -> None:
    """The vendor's time sizes the sets: 16 of them, so eight calls in a row for a kernel eleven times as fast."""
    rows = tuple(slope(Side.CANDIDATE, 70_000, calls=8, launcher=place) for place in range(3))
    assert holds(forged(71_000, (*rows, VENDOR_SLOPE))) == set()


def test_without_rows_no_event_time_ranks() -> None:
    report = judged(forged(1_000, ()))
    assert told(report).startswith("no slope was measured")


def test_times_of_nothing_and_below_have_no_speed_and_are_held() -> None:
    for event_ns in (0, -1, -(2**62)):
        seen = forged(event_ns)
        assert "impossible_time" in holds(seen)
        assert told(judged(seen)) == "calls took no time by the kernel's own clock"


def test_times_as_large_as_a_frame_has_room_for_are_held_and_slow() -> None:
    seen = forged(2**63 - 1)
    assert "impossible_time" in holds(seen)
    ratio = next(one.value for one in judged(seen).facts if one.name == "ratio")
    assert float(str(ratio)) == 0.0


def test_one_short_time_among_the_pairs_moves_no_ratio() -> None:
    quick = (pair(0, 0, candidate=1, outside=OUTSIDE_NS), *PAIRS[1:])
    report = judged(replace(MEASURED, pairs=quick))
    assert next(one.value for one in report.facts if one.name == "ratio") == "0.7800"


def test_no_pairs_at_all_are_no_speed() -> None:
    assert told(judged(replace(MEASURED, pairs=()))).startswith("the calls do not fit")


def test_a_vendor_without_time_is_nobodys_win() -> None:
    pairs = tuple(pair(one.launcher, one.place, vendor=0) for one in PAIRS)
    with pytest.raises(ToolFailure, match="vendor library took no time"):
        judged(replace(MEASURED, pairs=pairs))


def test_a_lie_below_the_hardwares_duration_is_held_by_that_too() -> None:
    seen = replace(forged(VENDOR_NS // 2), probe=MEASURED.probe)
    assert "clock_disagreement" in holds(seen)
