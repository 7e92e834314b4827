from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from measured import (
    CANDIDATE_NS,
    CHECKED,
    ELEMENTS,
    GEMM,
    MEASURED,
    PAIRS,
    ROOFS,
    SAMPLE,
    SLOPES,
    call,
    counted_clock,
    output,
    pair,
    slope,
)
from planned import PLAN

from evaluation.core.check.check import judge_check
from evaluation.core.errors import ToolFailure
from evaluation.core.judgement import Speed
from evaluation.core.measure.seen import (
    CallSeen,
    Canary,
    Fault,
    FaultKind,
    MeasureSeen,
    PairSeen,
    ProbeSeen,
    Purpose,
    Roofs,
    Side,
    SlopeSeen,
)
from evaluation.core.records import StageReport
from evaluation.core.timing.bounds import slope_ns
from evaluation.core.timing.expectation import Expectation
from evaluation.core.timing.refusal import measure_again
from evaluation.core.timing.speed import speed_of
from evaluation.core.timing.timing import judge_time
from evaluation.core.verdict import Severity, Stage, Verdict

EXPECTED = Expectation(GEMM.name, 778_500, Fraction(4, 1000))


def judged(seen: MeasureSeen = MEASURED, expectation: Expectation | None = EXPECTED) -> StageReport:
    return judge_time(seen, GEMM, PLAN, expectation)


def facts(report: StageReport) -> dict[str, str | int]:
    return {one.name: one.value for one in report.facts}


def kinds(report: StageReport) -> dict[str, Severity]:
    return {one.kind: one.severity for one in report.signals}


def reason(report: StageReport) -> str:
    """Why there is no speed, which then is nowhere."""
    assert report.verdict is Verdict.ACCEPTED
    assert "ratio" not in facts(report)
    told = str(facts(report)["no_speed"])
    assert report.headline == f"correct; speed: none, {told}"
    assert speed_of((report,)) == (None, told)
    return told


def with_pairs(candidate: int, vendor: int = 780_000, outside: int | None = None) -> MeasureSeen:
    pairs = tuple(
        pair(one.launcher, one.place, candidate=candidate, vendor=vendor, outside=outside)
        for one in PAIRS
    )
    return replace(MEASURED, pairs=pairs)


def test_a_correct_kernel_is_accepted_with_one_ratio_and_its_interval() -> None:
    report = judged()
    assert (report.stage, report.verdict) == (Stage.TIME, Verdict.ACCEPTED)
    assert report.headline == (
        "correct; 0.7800 of the vendor's speed (0.7769 to 0.7831), 1 ms against 0.78 ms"
    )
    assert report.signals == ()
    found = facts(report)
    assert found == {
        "ratio": "0.7800",
        "ratio_low": "0.7769",  # 0.78 less 0.4 %
        "ratio_high": "0.7831",
        "ratio.launcher_0": "0.7800",
        "ratio.launcher_1": "0.7800",
        "ratio.launcher_2": "0.7800",
        "assumed_spread": "0.004000",
        # 0.97 * 7/8 * 601,295,421,440 FLOP at 8e14 a second: 637.9369 us
        "floor": 637_936,
        # 0.98 * ((6 * 990,000 - 150,000) / 6 - 2,000) = 0.98 * 963,000
        "least_time_outside": 943_740,
        "compared_calls": 12,
        "compared_elements": 12 * ELEMENTS,
        "elements_outside": 0,
        "elements_outside_fourfold": 0,
        "candidate_time": 1_000_000,
        "vendor_time": 780_000,
        "candidate_time_outside": 1_300_000,
        "pairs": 12,
        "launchers": 3,
        "asked_pairs": 4,
        "counted_pairs": 0,
        "first_call": 1_100_000,
        "vendor_before": 779_000,
        "vendor_after": 781_000,
        "slope": 963_000,
        "vendor_slope": 770_500,  # (8 * 775,000 - 20,000) / 8 - 2,000
        "hardware_time": 1_005_000,
        "canary_lines": 12_288,
        "canary_hits": 0,
        "clock_samples": 6,
        "sm_clock": 1980,
        "sm_clock_lowest": 1980,
        "memory_clock": 3201,
        "temperature_highest": 41,
        "power": 690_000,
        "samples_slowed": 0,
        "samples_power_capped": 6,
        "throttle_reasons": "0x4",
    }


def test_the_finding_is_read_back_from_the_reports() -> None:
    check = judge_check(CHECKED, GEMM, PLAN).report
    assert speed_of((check, judged())) == (Speed(0.78, 0.7769, 0.7831, 1_000_000, 780_000), "")
    assert speed_of(()) == (None, "not measured")
    assert speed_of((check,)) == (None, "not measured")
    wrong = replace(check, verdict=Verdict.WRONG_RESULT)
    assert speed_of((wrong,)) == (None, "only a correct kernel has a speed")
    assert speed_of((replace(check, verdict=Verdict.ACCEPTED),)) == (None, "not measured")
    assert speed_of((replace(judged(), facts=()),)) == (None, "not measured")


def test_a_ratio_above_one_is_faster_than_the_vendor() -> None:
    seen = replace(with_pairs(720_000, 792_000), slopes=(), probe=ProbeSeen(()))
    seen = replace(seen, slopes=(slope(Side.CANDIDATE, 715_000),), vendor_before_ns=(792_000,))
    report = judged(replace(seen, vendor_after_ns=(792_000,)), None)
    assert facts(report)["ratio"] == "1.1000"
    assert facts(report)["ratio_low"] == "1.0934"  # 0.6 % where nobody published a spread
    assert report.signals == ()


def test_a_slow_kernel_has_more_digits() -> None:
    seen = replace(with_pairs(80 * CANDIDATE_NS), slopes=(slope(Side.CANDIDATE, 79_900_000),))
    assert facts(judged(seen))["ratio"] == "0.009750"


def test_counted_pairs_do_not_rank() -> None:
    counted = tuple(pair(0, 4 + one, candidate=5_000_000, counted=True) for one in range(12))
    report = judged(replace(MEASURED, pairs=PAIRS + counted))
    assert facts(report)["ratio"] == "0.7800"
    assert (facts(report)["pairs"], facts(report)["counted_pairs"]) == (12, 12)
    only_counted = replace(MEASURED, pairs=counted)
    assert "do not fit into the time" in reason(judged(only_counted))


# Correctness of all later calls


def test_a_wrong_timed_call_is_a_wrong_result_and_has_no_speed() -> None:
    bad = call(9, output(outside=1, fourfold=1), purpose=Purpose.COUNTED)
    report = judged(replace(MEASURED, calls=(*MEASURED.calls, bad)))
    assert report.verdict is Verdict.WRONG_RESULT
    assert report.headline.startswith("wrong in a timed call: C is wrong in 1 of 58720256")
    assert [one.rule for one in report.remarks] == ["C2", "C5", "L3"]
    assert "ratio" not in facts(report)
    assert facts(report)["compared_calls"] == 13


def test_a_fault_among_the_pairs_has_its_verdict() -> None:
    hang = Fault(FaultKind.TIMED_OUT, 1, 7, -1, 0, "", 10.0)
    assert judged(replace(MEASURED, fault=hang)).verdict is Verdict.TIMEOUT
    lost = Fault(FaultKind.CUDA_ERROR, 1, 7, -1, 214, "", 0.1)
    with pytest.raises(ToolFailure):
        judged(replace(MEASURED, fault=lost))


def test_coarse_timed_outputs_are_held() -> None:
    coarse = call(9, output(errors=(25.0, 1.0)), purpose=Purpose.PAIR)
    report = judged(replace(MEASURED, calls=(*MEASURED.calls, coarse)))
    assert kinds(report) == {"coarse_precision": Severity.HOLD}
    assert facts(report)["precision_grade.C"] == "5.000"


# S1: clocks outside


def test_event_times_that_are_halved_are_held() -> None:
    report = judged(with_pairs(CANDIDATE_NS // 2, outside=1_300_000))
    assert kinds(report) == {
        "faster_than_slope": Severity.HOLD,
        "clock_disagreement": Severity.HOLD,
        "below_floor": Severity.HOLD,
    }
    assert report.signals[0].evidence == (
        (
            "500000 ns a call, at least 943740 ns by slopes over 6 and 12, 6 and 12, 6 and 12 calls, "
            "by the referee's clock"
        ),
    )


@pytest.mark.parametrize(("candidate_ns", "held"), [(943_740, False), (943_739, True)])
def test_two_percent_below_the_slope_is_the_limit(candidate_ns: int, held: bool) -> None:
    assert ("faster_than_slope" in kinds(judged(with_pairs(candidate_ns)))) is held


def test_a_ratio_that_the_slope_does_not_allow_is_held_though_the_median_time_is_not() -> None:
    # Eight of twelve pairs have the ratio 0.84; the vendor's median over the slope's bound is 780,000 / 943,740 = 0.83.
    quick = [pair(one.launcher, one.place, candidate=928_571) for one in PAIRS[:5]]
    rich = [pair(one.launcher, one.place, candidate=980_000, vendor=823_200) for one in PAIRS[5:8]]
    slow = [pair(one.launcher, one.place, candidate=1_000_000, vendor=700_000) for one in PAIRS[8:]]
    report = judged(replace(MEASURED, pairs=(*quick, *rich, *slow)))
    assert facts(report)["candidate_time"] == 980_000
    assert facts(report)["vendor_time"] == 780_000
    assert kinds(report) == {"faster_than_slope": Severity.HOLD}


@pytest.mark.parametrize(
    ("vendor_slope_ns", "least_ns"),
    [
        # 0.98 * (1,060,000 - 1,500 - 2,000); the vendor's slope is below its event time of 780,000: no excuse.
        (775_000, 1_035_370),
        # Times 780,000 / (836,000 - 200 - 2,000): the clocks fell by 6 % in back-to-back calls.
        (836_000, 968_563),
        # At most a tenth of it is believed.
        (10_000_000, 931_833),
    ],
)
def test_the_vendors_own_slope_says_how_far_clocks_fell(
    vendor_slope_ns: int, least_ns: int
) -> None:
    slopes = (
        slope(Side.CANDIDATE, 1_060_000, calls=100),
        slope(Side.VENDOR, vendor_slope_ns, calls=100),
    )
    report = judged(replace(with_pairs(least_ns), slopes=slopes))
    assert facts(report)["least_time_outside"] == least_ns
    assert report.signals == ()
    faster = judged(replace(with_pairs(least_ns - 1), slopes=slopes))
    assert kinds(faster) == {"faster_than_slope": Severity.HOLD}


@pytest.mark.parametrize("forged", [False, True])
def test_clocks_that_fall_from_launcher_to_launcher_hold_nobody(forged: bool) -> None:
    """A device at its power cap: slopes of 1,000, 1,060 and 1,061 us beside single calls of 1 ms."""
    slopes = tuple(
        slope(Side.CANDIDATE, call_ns, launcher=launcher)
        for launcher, call_ns in enumerate((1_000_000, 1_060_000, 1_061_000))
    )
    # 0.98 * (1,000,000 - 25,000 - 2,000); the middle one would ask for 1,012,340 ns.
    report = judged(replace(with_pairs(953_539 if forged else CANDIDATE_NS), slopes=slopes))
    assert facts(report)["least_time_outside"] == 953_540
    assert ("faster_than_slope" in kinds(report)) is forged


def test_a_vendor_slope_within_the_jitter_says_nothing() -> None:
    flat = SlopeSeen(Side.VENDOR, 0, 6, 5_000_000, 5_010_000)
    report = judged(replace(MEASURED, slopes=(*SLOPES[:3], flat)))
    assert facts(report)["least_time_outside"] == 943_740


@pytest.mark.parametrize(
    ("side", "least_ns"),
    [
        (Side.CANDIDATE, 83_000),  # (1,000,000 - 150,000) / 10 - 2,000: its rows end with messages
        (Side.VENDOR, 96_000),  # (1,000,000 - 20,000) / 10 - 2,000: the referee makes them itself
    ],
)
def test_a_candidates_rows_are_forgiven_more_than_the_vendors(side: Side, least_ns: int) -> None:
    assert slope_ns(SlopeSeen(side, 0, 10, 1_000_000, 2_000_000)) == least_ns


def test_an_honest_kernel_of_eight_microseconds_is_not_held_and_one_that_halves_its_time_is() -> (
    None
):
    # 2,500 calls of 8 us with gaps of 1.5 us: at least 0.98 * (9,500 - 60 - 2,000) = 7,291 ns.
    slopes = (slope(Side.CANDIDATE, 9_500, calls=2_500),)
    quick = Roofs(1e30, 1e30)
    honest = replace(with_pairs(8_000, 8_000), slopes=slopes, roofs=quick, probe=ProbeSeen(()))
    honest = replace(honest, vendor_before_ns=(8_000,), vendor_after_ns=(8_000,))
    assert judged(honest, None).signals == ()
    assert facts(judged(honest, None))["least_time_outside"] == 7_291
    halved = replace(honest, pairs=with_pairs(4_000, 8_000).pairs)
    assert kinds(judged(halved, None)) == {"faster_than_slope": Severity.HOLD}


@pytest.mark.parametrize("held", [True, False])
def test_a_slope_whose_calls_may_have_waited_for_the_host_holds_nobody(held: bool) -> None:
    # 1.2 ms a call by the slope and 1 ms by events.
    slopes = (replace(slope(Side.CANDIDATE, 1_200_000, calls=100), held=held), *SLOPES[3:])
    report = judged(replace(MEASURED, slopes=slopes))
    assert ("faster_than_slope" in kinds(report)) is held
    assert "ratio" in facts(report)


def test_one_slope_that_was_held_back_is_enough_to_bound_a_call() -> None:
    free = replace(slope(Side.CANDIDATE, 5_000_000), held=False)
    report = judged(replace(with_pairs(500_000), slopes=(free, *SLOPES[1:])))
    assert kinds(report)["faster_than_slope"] is Severity.HOLD
    evidence = next(one for one in report.signals if one.kind == "faster_than_slope").evidence
    assert evidence == (
        "500000 ns a call, at least 943740 ns by slopes over 6 and 12, 6 and 12 calls, by the referee's clock",
    )


def test_a_vendor_s_slope_that_was_not_held_back_is_no_excuse() -> None:
    fallen = slope(Side.VENDOR, 860_000, calls=100)
    slopes = (slope(Side.CANDIDATE, 1_060_000, calls=100), replace(fallen, held=False))
    # 0.98 * (1,060,000 - 1,500 - 2,000) ns = 1,035,370 ns; with the excuse 950,000 ns would do.
    report = judged(replace(with_pairs(1_000_000), slopes=slopes))
    assert kinds(report) == {"faster_than_slope": Severity.HOLD}


def test_without_a_slope_nobody_else_bounds_a_short_call() -> None:
    seen = replace(MEASURED, slopes=SLOPES[3:])
    assert reason(judged(seen)).startswith("no slope was measured")
    assert judged(seen).signals == ()
    assert measure_again(seen, EXPECTED) == (
        "no slope was measured, and nobody else's clock says how long a call takes",
    )


def long_pairs(candidate_ns: int, outside_ns: int, count: int = 3) -> tuple[PairSeen, ...]:
    return tuple(
        pair(0, place, candidate=candidate_ns, outside=outside_ns) for place in range(count)
    )


@pytest.mark.parametrize(("event_ns", "held"), [(1_500_000_000, False), (1_300_000_000, True)])
def test_a_long_call_is_bounded_by_the_clock_around_it(event_ns: int, held: bool) -> None:
    # 0.98 * (1,510 - 20) ms = 1,460.2 ms
    seen = replace(MEASURED, pairs=long_pairs(event_ns, 1_510_000_000), slopes=(), launchers=1)
    report = judged(replace(seen, probe=ProbeSeen(())))
    assert facts(report)["least_time_outside"] == 1_460_200_000
    assert ("faster_than_slope" in kinds(report)) is held
    assert facts(report)["pairs"] == 3


def test_times_that_the_clock_around_them_rules_out_are_held() -> None:
    report = judged(with_pairs(CANDIDATE_NS, outside=999_999))
    assert kinds(report) == {"impossible_time": Severity.HOLD}
    assert len(report.signals[0].evidence) == 8
    assert report.signals[0].evidence[0] == (
        "launcher 0, pair 0: 1000000 ns by events, 999999 ns outside"
    )


def test_a_call_that_takes_no_time_has_no_speed_and_is_held() -> None:
    pairs = (*PAIRS[1:], pair(0, 0, candidate=0))
    report = judged(replace(MEASURED, pairs=pairs))
    assert reason(report) == "calls took no time by the kernel's own clock"
    assert kinds(report) == {"impossible_time": Severity.HOLD}


def test_a_vendor_call_that_takes_no_time_is_our_failure() -> None:
    with pytest.raises(ToolFailure, match="took no time"):
        judged(with_pairs(CANDIDATE_NS, vendor=0))


@pytest.mark.parametrize(
    ("busy", "held"), [(1_116_666, False), (1_117_000, True), (100_000, False)]
)
def test_the_time_that_counted_calls_keep_the_hardware_busy_is_the_third_clock(
    busy: int, held: bool
) -> None:
    # 1,000,000 + 5,000 is nine tenths of 1,116,667.
    (reading,) = MEASURED.probe.readings
    readings = (
        replace(reading, values=(*counted_clock(busy), ("other", 1))),
        replace(reading, values=(("other", 5),)),
    )
    report = judged(replace(MEASURED, probe=ProbeSeen(readings)))
    assert kinds(report) == ({"clock_disagreement": Severity.HOLD} if held else {})


# S2, the stored expectation


@pytest.mark.parametrize(
    ("vendor", "expected"),
    [
        (788_810, {}),  # 1 % over the slower of 779,000 before and 781,000 after
        (788_811, {"changes_the_baseline": Severity.HOLD}),
        (771_210, {}),
        (771_209, {"baseline_hastened": Severity.NOTE}),
    ],
)
def test_a_vendor_that_is_slower_beside_the_candidate_holds_it(
    vendor: int, expected: dict[str, Severity]
) -> None:
    seen = with_pairs(CANDIDATE_NS, vendor)
    assert kinds(judged(seen)) == expected
    again = measure_again(seen, EXPECTED)
    assert again == (
        ("the vendor library is slower beside this kernel than alone",)
        if "changes_the_baseline" in expected
        else ()
    )


@pytest.mark.parametrize(
    ("alone", "vendor", "expected"),
    [
        # A call of 15 us: 1 us either way, since events and ten calls tell it no finer.
        ((14_208, 14_960), 15_312, {}),
        ((14_208, 14_960), 15_960, {}),
        ((14_208, 14_960), 15_961, {"changes_the_baseline": Severity.HOLD}),
        ((14_208, 14_960), 13_208, {}),
        ((14_208, 14_960), 13_207, {"baseline_hastened": Severity.NOTE}),
        # At 100 us both bands are 1 us; above it the share is the wider one.
        ((100_000, 100_000), 101_000, {}),
        ((100_000, 100_000), 101_001, {"changes_the_baseline": Severity.HOLD}),
        ((200_000, 200_000), 202_000, {}),
        ((200_000, 200_000), 202_001, {"changes_the_baseline": Severity.HOLD}),
    ],
)
def test_a_short_vendor_call_may_differ_by_what_its_clock_cannot_tell(
    alone: tuple[int, int], vendor: int, expected: dict[str, Severity]
) -> None:
    seen = replace(
        with_pairs(CANDIDATE_NS, vendor),
        vendor_before_ns=(alone[0],) * 10,
        vendor_after_ns=(alone[1],) * 10,
    )
    found = kinds(judged(seen, None))
    about_the_vendor = {"changes_the_baseline", "baseline_hastened", "baseline_unproven"}
    assert {kind: found[kind] for kind in about_the_vendor & found.keys()} == expected


@pytest.mark.parametrize("which", ["vendor_before_ns", "vendor_after_ns"])
def test_a_vendor_that_was_not_measured_alone_proves_nothing(which: str) -> None:
    seen = replace(MEASURED, vendor_before_ns=()) if which == "vendor_before_ns" else MEASURED
    seen = replace(seen, vendor_after_ns=()) if which == "vendor_after_ns" else seen
    assert kinds(judged(seen)) == {"baseline_unproven": Severity.HOLD}
    assert which.removesuffix("_ns") not in facts(judged(seen))


@pytest.mark.parametrize(
    ("expected_ns", "severity"),
    [
        (709_091, None),  # 780,000 is 1.09999 times as much
        (709_000, Severity.NOTE),
        (624_000, Severity.NOTE),  # exactly 1.25 times
        (623_999, Severity.HOLD),
        (866_667, Severity.NOTE),
        (1_040_001, Severity.HOLD),
    ],
)
def test_a_device_whose_vendor_times_drift_is_noticed(
    expected_ns: int, severity: Severity | None
) -> None:
    report = judged(expectation=Expectation(GEMM.name, expected_ns))
    assert kinds(report) == ({"baseline_drift": severity} if severity else {})


# S3, S6, S10


def test_a_canary_that_finds_inputs_in_the_cache_holds() -> None:
    # 2 % of 4,096 are 81.92 lines.
    canaries = (Canary(4096, 81), Canary(4096, 82), Canary(4096, 0))
    report = judged(replace(MEASURED, canaries=canaries))
    assert kinds(report) == {"inputs_in_cache": Severity.HOLD}
    assert report.signals[0].evidence == ("canary 1: 82 of 4096 lines came from the cache",)
    assert kinds(judged(replace(MEASURED, canaries=(Canary(4096, 81), Canary(0, 0))))) == {}


@pytest.mark.parametrize("canaries", [(), (Canary(0, 0),)])
def test_a_run_without_a_canary_says_so(canaries: tuple[Canary, ...]) -> None:
    assert kinds(judged(replace(MEASURED, canaries=canaries))) == {"canary_missing": Severity.NOTE}


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (637_935, {"below_floor": Severity.HOLD}),
        (637_936, {"near_floor": Severity.NOTE}),
        (701_729, {"near_floor": Severity.NOTE}),  # 1.1 times the floor is 701,729.6
        (701_730, {}),
    ],
)
def test_a_time_below_the_floor_is_held_and_one_near_it_is_shown(
    candidate: int, expected: dict[str, Severity]
) -> None:
    seen = replace(with_pairs(candidate), slopes=(slope(Side.CANDIDATE, 600_000),))
    assert kinds(judged(replace(seen, probe=ProbeSeen(())))) == expected


def test_a_baseline_below_the_floor_shows_that_the_roofs_are_wrong() -> None:
    # The floor doubles with half the rate, 1,275,873 ns.
    report = judged(replace(MEASURED, roofs=replace(ROOFS, matrix_flops_per_s=4.0e14)))
    assert kinds(report) == {
        "baseline_below_floor": Severity.HOLD,
        "below_floor": Severity.HOLD,
    }


def test_roofs_that_are_no_rates_are_our_failure() -> None:
    with pytest.raises(ToolFailure, match="roofs cannot be right") as failure:
        judged(replace(MEASURED, roofs=Roofs(0.0, 1.0)))
    assert "doctor" in failure.value.action


@pytest.mark.parametrize("bit", [0x8, 0x20, 0x40, 0x80])
def test_a_device_slowed_by_heat_or_a_power_brake_gives_no_speed(bit: int) -> None:
    slowed = replace(SAMPLE, throttle=bit)
    tenth = replace(MEASURED, clocks=(slowed, *(SAMPLE,) * 9))
    assert facts(judged(tenth))["samples_slowed"] == 1
    assert facts(judged(tenth))["ratio"] == "0.7800"
    assert measure_again(tenth, EXPECTED) == ()
    more = replace(MEASURED, clocks=(slowed, *(SAMPLE,) * 8))
    assert reason(judged(more)) == (
        "heat or a power brake slowed the device in 11 % of the samples"
    )
    assert measure_again(more, EXPECTED) == ("heat or a power brake slowed the device",)
    assert facts(judged(more))["throttle_reasons"] == f"0x{bit | 0x4:x}"


def test_a_power_cap_is_what_a_busy_device_runs_into_and_no_samples_are_said_to_be_none() -> None:
    assert facts(judged())["samples_power_capped"] == 6
    report = judged(replace(MEASURED, clocks=()))
    assert facts(report)["clock_samples"] == 0
    assert "sm_clock" not in facts(report)
    assert facts(report)["ratio"] == "0.7800"


# Refusals


def test_a_kernel_whose_calls_do_not_fit_is_accepted_without_a_speed() -> None:
    seen = replace(MEASURED, pairs=(), slopes=(), asked_pairs=0)
    report = judged(seen)
    assert reason(report) == "the calls do not fit into the time that a kernel may hold a GPU"
    assert "candidate_time" not in facts(report)
    assert measure_again(seen, EXPECTED) == ()


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        (PAIRS[:9], "9 pairs in 3 processes, and 10 in 3 are needed"),
        (
            tuple(pair(0, place) for place in range(12)),
            "12 pairs in 1 processes, and 10 in 3 are needed",
        ),
        # One that is slow in the checked calls only does not come by with few pairs.
        (
            tuple(pair(0, place) for place in range(3)),
            "3 pairs in 1 processes, and 10 in 3 are needed",
        ),
        (long_pairs(90_000_000, 110_000_000, 9), "9 pairs in 1 processes, and 10 in 1 are needed"),
        (
            long_pairs(1_500_000_000, 1_510_000_000, 2),
            "2 pairs in 1 processes, and 3 in 1 are needed",
        ),
    ],
)
def test_too_few_pairs_give_no_speed(pairs: Sequence[PairSeen], told: str) -> None:
    seen = replace(MEASURED, pairs=tuple(pairs))
    assert reason(judged(seen)) == told
    assert measure_again(seen, EXPECTED) == ()


def test_a_noisy_kernel_is_measured_again_and_then_has_no_speed() -> None:
    # Medians of 0.75, 0.78 and 0.82: Student's t makes the interval some 23 % wide.
    vendors = (750_000, 780_000, 820_000)
    pairs = tuple(pair(one.launcher, one.place, vendor=vendors[one.launcher]) for one in PAIRS)
    seen = replace(MEASURED, pairs=pairs)
    told = reason(judged(seen))
    assert told.startswith("too noisy: the interval is 2")
    assert measure_again(seen, EXPECTED) == (told,)


def test_a_sound_measurement_and_one_that_ended_in_a_fault_are_not_repeated() -> None:
    assert measure_again(MEASURED, EXPECTED) == ()
    hang = Fault(FaultKind.TIMED_OUT, 1, 7, -1, 0, "", 10.0)
    assert measure_again(replace(MEASURED, slopes=(), fault=hang), EXPECTED) == ()


@pytest.mark.parametrize(
    "bad",
    [
        call(9, output(outside=1, fourfold=1), purpose=Purpose.SLOPE),
        call(9, purpose=Purpose.SLOPE, slack_intact=False),
    ],
)
def test_a_kernel_that_was_wrong_once_is_not_measured_again(bad: CallSeen) -> None:
    noisy = replace(MEASURED, slopes=())
    assert measure_again(noisy, EXPECTED) != ()
    assert measure_again(replace(noisy, calls=(*MEASURED.calls, bad)), EXPECTED) == ()


@pytest.mark.parametrize(
    ("counts", "errors", "severity"),
    [
        ((7, 7, 7), 0, None),
        ((7, 7, 8), 1, Severity.NOTE),
        ((7, None, 17), 10, Severity.NOTE),
        ((7, 9, 18), 11, Severity.HOLD),
        ((7, 7, 0), 0, None),  # the driver was loaded anew
        ((None, None), None, None),
        ((), None, None),
    ],
)
def test_errors_that_the_memory_corrects_are_noted_and_many_are_held(
    counts: tuple[int | None, ...], errors: int | None, severity: Severity | None
) -> None:
    clocks = tuple(replace(SAMPLE, corrected=one) for one in counts)
    report = judged(replace(MEASURED, clocks=clocks))
    assert kinds(report).get("corrected_memory_errors") == severity
    assert facts(report).get("corrected_memory_errors") == errors
    assert "ratio" in facts(report)
