"""The rules of check and time over the records of real runs (fixtures/h200/README.md), without a GPU.

Expected values are worked out from the records by hand: a ratio is the median of vendor over candidate time of all pairs
that were not counted. They change only where a rule is changed on purpose. Counters: test_recorded_counters.py,
tables: test_recorded_tables.py.
"""

import statistics
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from planned import PLAN
from recorded_run import FOLDER, checked, facts, holds, measured, problem_of

from evaluation.adapters.baselines import expectations
from evaluation.core.catalogue.problem import Problem
from evaluation.core.check.check import judge_check
from evaluation.core.measure.seen import MeasureSeen, PairSeen, Side, Timed
from evaluation.core.records import StageReport
from evaluation.core.timing.expectation import Expectation
from evaluation.core.timing.refusal import measure_again
from evaluation.core.timing.rows import BESIDE_ROW_NS
from evaluation.core.timing.timing import judge_time
from evaluation.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Expected:
    """``ratio`` is None and ``reason`` its words where there is no speed, which is measured twice."""

    ratio: float | None
    pairs: int
    calls: int  # compared in full, those of the check not counted
    reason: str = ""
    check_holds: tuple[str, ...] = ()


ACCEPTED = {
    "gemm_wgmma_tma": Expected(0.99128, 50, 146),
    "gemm_mma_sync": Expected(0.47044, 50, 104),
    "gemm_naive": Expected(0.009063, 24, 42),
    "mha_fwd_wgmma": Expected(1.06397, 50, 101),
    "mha_fwd_wgmma_causal": Expected(1.05826, 50, 119),
    "mha_bwd_plain": Expected(0.057183, 14, 22),
    "mha_bwd_plain_causal": Expected(0.067436, 28, 49),
    "mha_bwd_wgmma": Expected(0.93447, 50, 83),
    # In later calls 714 of 28,387,049,472 elements missed the tolerance against the vendor, at most 14 in an output.
    "mha_bwd_wgmma_causal": Expected(0.96890, 50, 94),
    "token_instruction": Expected(0.46774, 50, 110),
    "inflated_work": Expected(0.29538, 50, 101),
    "half_by_wgmma": Expected(0.64934, 50, 92),
    # No element missed the tolerance in the checked calls, 30 of 10^10 in later ones; the grade is 11.1 and may be 4.
    "probabilities_in_fp8": Expected(1.00112, 50, 101, check_holds=("coarse_precision",)),
    # Vendor calls of 14 us: some ratios are told, and in one case the interval is 7.2 % wide.
    "empty_group": Expected(0.015687, 50, 131),
    "prints_from_the_device": Expected(0.015558, 50, 131),
    "inputs_kept_in_l2": Expected(0.031381, 50, 194),
    "side_kernel": Expected(0.015301, 50, 137),
    "mma_switched_off": Expected(0.109979, 50, 362),
    "instruction_never_reached": Expected(None, 50, 137, "too noisy"),
}


@dataclass(frozen=True, slots=True)
class Refused:
    verdict: Verdict
    rules: set[str]
    words: str  # of the headline
    holds: tuple[str, ...] = ()


REFUSED = {
    "one_wrong_element": Refused(Verdict.WRONG_RESULT, {"C2"}, "C is wrong in 1 of 1129984"),
    # 562,812 outside and 2,112 that are not finite: half of all, less the random bits that happen to be right.
    "half_of_the_tiles": Refused(Verdict.WRONG_RESULT, {"C2"}, "C is wrong in 564924 of 1129984"),
    # One element got 1024 for 64.5, which is most of all error there is.
    "race_for_one_element": Refused(
        Verdict.WRONG_RESULT, {"C2"}, "C is wrong in 1 of 1129984", ("coarse_precision",)
    ),
    "mask_off_by_one": Refused(Verdict.WRONG_RESULT, {"C2"}, "O is wrong in 1945533 of 100663296"),
    "writes_16_bytes_behind_c": Refused(Verdict.MEMORY_FAULT, {"C3"}, "wrote beyond the end"),
    "illegal_address": Refused(Verdict.MEMORY_FAULT, {"C3"}, "CUDA_ERROR_ILLEGAL_ADDRESS"),
    "device_trap": Refused(Verdict.RUNTIME_ERROR, {"launch_failed"}, "CUDA_ERROR_LAUNCH_FAILED"),
    "never_ends": Refused(Verdict.TIMEOUT, {"S11"}, "did not end within 12.1 s"),
}


def expectation_of(problem: Problem) -> Expectation | None:
    known = expectations("h200")
    assert known is not None
    return known.of(problem.name)


def timed(case: str, seen: MeasureSeen) -> StageReport:
    problem = problem_of(case)
    return judge_time(seen, problem, PLAN, expectation_of(problem))


def with_times(
    seen: MeasureSeen, *, candidate: Fraction = Fraction(1), vendor: Fraction = Fraction(1)
) -> MeasureSeen:
    """All pairs, with the times of each side times a factor."""

    def scaled(one: Timed, factor: Fraction) -> Timed:
        return Timed(int(one.event_ns * factor), one.outside_ns)

    def changed(pair: PairSeen) -> PairSeen:
        return replace(
            pair, candidate=scaled(pair.candidate, candidate), vendor=scaled(pair.vendor, vendor)
        )

    return replace(seen, pairs=tuple(map(changed, seen.pairs)))


@pytest.mark.parametrize("case", ACCEPTED)
def test_an_accepted_kernel_has_its_speed_and_no_hold(case: str) -> None:
    wanted, seen = ACCEPTED[case], measured(case)
    report = timed(case, seen)
    found = facts(report)
    assert report.verdict is Verdict.ACCEPTED
    assert (found["pairs"], found["compared_calls"]) == (wanted.pairs, wanted.calls)
    assert holds(report) == []
    if wanted.ratio is None:
        assert wanted.reason in str(found["no_speed"])
        assert "ratio" not in found
    else:
        assert float(found["ratio"]) == pytest.approx(wanted.ratio, rel=1e-3)
        assert float(found["ratio_low"]) < wanted.ratio < float(found["ratio_high"])


@pytest.mark.parametrize("case", ACCEPTED)
def test_its_checked_calls_pass_and_only_a_noisy_time_is_measured_again(case: str) -> None:
    problem = problem_of(case)
    report = judge_check(checked(case), problem, PLAN).report
    assert (report.verdict, tuple(holds(report))) == (None, ACCEPTED[case].check_holds)
    again = measure_again(measured(case), expectation_of(problem))
    assert bool(again) == (ACCEPTED[case].ratio is None), again


@pytest.mark.parametrize(
    "case", [case for case in ACCEPTED if not problem_of(case).name.endswith("k2048")]
)
def test_the_next_kernels_launchers_do_not_slow_the_vendors_last_calls(case: str) -> None:
    """They start beside them. The most is 4,089,168 ns behind the fast causal backward for 4,075,632 before it."""
    seen = measured(case)
    before, after = seen.vendor_before_ns, seen.vendor_after_ns
    assert (len(before), len(after)) == (10, 10)
    assert statistics.median(after) <= 1.004 * statistics.median(before)


def test_what_stands_beside_the_calls_of_a_row_is_less_than_a_row_is_forgiven() -> None:
    """The quickest of three rows in each case: 13,257,879 ns for 8 calls of 1,609,120 by token_instruction."""
    beside = {}
    for case in ACCEPTED:
        seen = measured(case)
        call_ns = statistics.median(one.candidate.event_ns for one in seen.pairs if not one.counted)
        rows = [
            one.long_ns - 2 * one.calls * call_ns
            for one in seen.slopes
            if one.side is Side.CANDIDATE
        ]
        if call_ns < 2_000_000:
            beside[case] = min(rows)
    assert len(beside) == 10
    assert beside["token_instruction"] == min(beside.values()) == 384_919
    # 13,434,937 ns for 10 calls of 1,279,088.
    assert beside["mha_fwd_wgmma_causal"] == max(beside.values()) == 644_057
    assert max(beside.values()) < BESIDE_ROW_NS


@pytest.mark.parametrize("case", REFUSED)
def test_a_cheat_or_a_fault_ends_in_the_check(case: str) -> None:
    wanted = REFUSED[case]
    report = judge_check(checked(case), problem_of(case), PLAN).report
    assert report.verdict is wanted.verdict
    assert wanted.words in report.headline
    assert {one.rule for one in report.remarks} >= wanted.rules
    assert tuple(holds(report)) == wanted.holds


def test_a_kernel_that_is_right_eight_times_is_wrong_the_ninth_time() -> None:
    case = "right_in_first_calls"
    assert judge_check(checked(case), problem_of(case), PLAN).report.verdict is None
    report = timed(case, measured(case))
    assert report.verdict is Verdict.WRONG_RESULT
    (remark,) = (one for one in report.remarks if one.rule == "C2")
    assert "call 8:" in remark.message  # counted from 0


def test_every_recorded_case_is_judged_again_here() -> None:
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert folders == {*ACCEPTED, *REFUSED, "right_in_first_calls"}


def test_the_vendors_backward_is_quicker_beside_a_kernel_than_alone_which_is_noted() -> None:
    seen = measured("mha_bwd_plain")
    beside = statistics.median(pair.vendor.event_ns for pair in seen.pairs)
    before = statistics.median(seen.vendor_before_ns)
    after = statistics.median(seen.vendor_after_ns)
    assert [round(one / 1e6, 2) for one in (before, beside, after)] == [7.58, 7.13, 7.40]
    signals = timed("mha_bwd_plain", seen).signals
    assert [one.kind for one in signals] == ["baseline_hastened"]


def test_a_fast_causal_backward_misses_the_vendor_in_few_elements_and_nowhere_fourfold() -> None:
    case = "mha_bwd_wgmma_causal"
    (call,) = checked(case).calls
    assert [(one.outside, one.outside_both) for one in call.outputs] == [(2, 0), (7, 0), (0, 0)]
    later = [one for call in measured(case).calls for one in call.outputs]
    assert len(later) == 3 * 94
    assert sum(one.outside for one in later) == 714
    assert max(one.outside for one in later) == 14
    assert {one.outside_fourfold for one in later} == {0}


def test_the_vendor_that_the_power_cap_slowed_beside_a_fast_backward_was_measured_again() -> None:
    """The only record of a first measurement: 7,354,880 ns in the pairs, 7,221,936 and 7,174,208 alone."""
    case = "mha_bwd_wgmma"
    first = measured(case, "first_measure_seen")
    assert {one.throttle for one in first.clocks} == {4}  # a power cap by software, in all samples
    assert measure_again(first, expectation_of(problem_of(case))) == (
        "the vendor library is slower beside this kernel than alone",
    )
    assert holds(timed(case, first)) == ["changes_the_baseline"]
    # The second one, which counted: 7,251,952 ns, and 7,267,808 alone before.
    assert {one.throttle for one in measured(case).clocks} == {4}
    assert holds(timed(case, measured(case))) == []


# The same records with one thing forged: the rules that hold nobody above still hold a cheat.


def test_event_times_of_a_tenth_less_are_held_by_the_slope() -> None:
    seen = with_times(measured("gemm_wgmma_tma"), candidate=Fraction(9, 10))
    assert "faster_than_slope" in holds(timed("gemm_wgmma_tma", seen))


def test_event_times_of_a_fifth_less_are_held_by_what_kept_the_hardware_busy() -> None:
    # 758,896 * 0.8 + 5,000 = 612,117 ns, and nine tenths of 707,011 ns are 636,310.
    seen = with_times(measured("gemm_wgmma_tma"), candidate=Fraction(8, 10))
    assert "clock_disagreement" in holds(timed("gemm_wgmma_tma", seen))


def test_a_vendor_that_is_a_fiftieth_slower_in_the_pairs_is_held() -> None:
    seen = with_times(measured("gemm_wgmma_tma"), vendor=Fraction(102, 100))
    assert holds(timed("gemm_wgmma_tma", seen)) == ["changes_the_baseline"]


def test_a_vendor_call_of_15_us_that_is_a_tenth_slower_in_the_pairs_is_held() -> None:
    seen = with_times(measured("empty_group"), vendor=Fraction(110, 100))
    assert holds(timed("empty_group", seen)) == ["changes_the_baseline"]
