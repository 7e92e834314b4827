"""Bins of times, and the charts of one run."""

from dataclasses import replace

from measured import MEASURED

from evaluation.core.measure.seen import ClockSample, PairSeen, Timed
from evaluation.core.records import Fact, StageReport
from evaluation.core.verdict import Stage
from leaderboard.charts.bins import Bin, bins_of
from leaderboard.charts.clocks import clock_chart
from leaderboard.charts.opcodes import opcode_chart
from leaderboard.charts.timing import timing_charts


def pair(place: int, candidate_ns: int, vendor_ns: int, *, counted: bool = False) -> PairSeen:
    return PairSeen(
        launcher=place % 2,
        place=place,
        candidate_first=True,
        candidate=Timed(candidate_ns, candidate_ns),
        vendor=Timed(vendor_ns, vendor_ns),
        counted=counted,
    )


def test_times_are_sorted_into_bins_of_a_round_width_without_a_gap() -> None:
    # The middle nine tenths are 180 ns; a twelfth of them is 15, so that the width is 20.
    found = bins_of([1000 + 10 * one for one in range(20)])
    assert [(one.low_ns, one.high_ns, one.count) for one in found] == [
        (1000 + 20 * one, 1020 + 20 * one, 2) for one in range(10)
    ]
    assert not any(one.open_below or one.open_above for one in found)


def test_a_bin_between_others_may_be_empty() -> None:
    found = bins_of([100, 100, 100, 140, 140])
    assert [(one.low_ns, one.count) for one in found] == [
        *((100, 3), (110, 0), (120, 0), (130, 0)),
        (140, 2),
    ]


def test_times_far_out_are_counted_in_open_bins_at_the_ends_and_none_is_lost() -> None:
    found = bins_of([*[1000] * 98, 10, 900_000])
    assert len(found) == 31
    assert found[0] == Bin(850, 860, 1, open_below=True)
    assert found[15] == Bin(1000, 1010, 98)
    assert found[30] == Bin(1150, 1160, 1, open_above=True)
    assert sum(one.count for one in found) == 100


def test_one_time_alone_is_one_bin() -> None:
    assert bins_of([1234]) == (Bin(1230, 1240, 1),)


def test_the_kernel_and_the_vendor_have_bins_of_their_own_from_the_pairs_that_rank() -> None:
    pairs = (
        pair(0, 20_000, 10_000),
        pair(1, 20_000, 10_000),
        pair(2, 20_000, 10_040),
        pair(3, 99_000, 99_000, counted=True),
    )
    kernel, vendor = timing_charts(replace(MEASURED, pairs=pairs), name="times")
    assert (kernel.name, vendor.name) == ("times-kernel", "times-vendor")
    assert [(one.x, one.y, one.width) for one in kernel.series[0].points] == [(20.005, 3, 0.01)]
    assert [(one.x, one.y) for one in vendor.series[0].points] == [
        *((10.005, 2), (10.015, 0), (10.025, 0), (10.035, 0)),
        (10.045, 1),
    ]
    assert kernel.x.title == "time of a call, µs"
    assert "3 calls in 2 processes on H200, median 20.00\N{NO-BREAK SPACE}µs" in kernel.said
    assert [one.text for one in vendor.table.rows[-1]] == [
        *("10.04\N{NO-BREAK SPACE}µs", "10.05\N{NO-BREAK SPACE}µs"),
        "1",
    ]


def test_a_run_without_a_pair_that_ranks_has_no_distribution() -> None:
    assert timing_charts(replace(MEASURED, pairs=()), name="times") == ()


def scan(*facts: Fact) -> StageReport:
    return StageReport(Stage.SCAN, "scanned", facts=facts)


def test_opcodes_are_drawn_with_the_rest_as_one() -> None:
    report = scan(
        Fact("launched_instructions", 100),
        Fact("opcode.HGMMA", 30),
        Fact("opcode.FFMA", 20),
        Fact("family_reason", "it is there"),
    )
    found = opcode_chart([report], name="opcodes")
    assert found is not None
    assert [(one.y, one.x) for one in found.series[0].points] == [
        *(("HGMMA", 30), ("FFMA", 20)),
        ("all others", 50),
    ]
    assert [one.text for one in found.table.rows[0]] == [
        *("HGMMA", "30"),
        "30.0\N{NO-BREAK SPACE}%",
    ]


def test_opcodes_that_are_all_named_leave_no_rest_and_a_refused_kernel_has_no_chart() -> None:
    found = opcode_chart(
        [scan(Fact("launched_instructions", 5), Fact("opcode.EXIT", 5))], name="opcodes"
    )
    assert found is not None
    assert [one.y for one in found.series[0].points] == ["EXIT"]
    assert opcode_chart([], name="opcodes") is None
    assert opcode_chart([scan()], name="opcodes") is None


def sample(at_ns: int, sm_mhz: int, temperature_c: int, throttle: int = 0) -> ClockSample:
    return ClockSample(at_ns, sm_mhz, 3201, temperature_c, 280_845, throttle)


def test_clocks_are_drawn_over_time_and_their_table_has_heat_power_and_reasons() -> None:
    samples = (sample(7_250_000_000, 1920, 49, 0x104), sample(7_000_000_000, 1980, 45))
    chart = clock_chart(replace(MEASURED, clocks=samples), name="clocks")
    assert chart is not None
    assert [(one.x, one.y) for one in chart.series[0].points] == [(0.0, 1980), (0.25, 1920)]
    assert "of H200 in 2 samples of the measurement, at 1,920 to 1,980 MHz and 45 to 49 °C" in (
        chart.said
    )
    assert [[one.text.replace("\xa0", " ") for one in row] for row in chart.table.rows] == [
        ["0.000 s", "1,980 MHz", "3,201 MHz", "45 °C", "280.8 W", "none"],
        ["0.250 s", "1,920 MHz", "3,201 MHz", "49 °C", "280.8 W", "power cap, 0x100"],
    ]


def test_many_samples_of_clocks_are_thinned_and_none_draws_nothing() -> None:
    samples = tuple(sample(10**9 * one, 1980, 45) for one in range(401))
    chart = clock_chart(replace(MEASURED, clocks=samples), name="clocks")
    assert chart is not None
    assert [one.x for one in chart.series[0].points][:3] == [0.0, 3.0, 6.0]
    assert len(chart.series[0].points) == 134
    assert "in 401 samples of the measurement, at 1,980 MHz and 45 °C. Clocks" in chart.said
    assert clock_chart(replace(MEASURED, clocks=()), name="clocks") is None


def test_one_sample_of_clocks_is_told_as_one() -> None:
    chart = clock_chart(replace(MEASURED, clocks=(sample(0, 1980, 45),)), name="clocks")
    assert chart is not None
    assert "in 1 sample of the measurement, at 1,980 MHz and 45 °C. Clocks" in chart.said
