"""The rules of check, probe and time over the records of a real run (fixtures/h200/README.md), without a GPU.

Expected values are worked out from the records by hand: a ratio is the median of vendor over candidate time of all pairs
that were not counted. They change only where a rule is changed on purpose.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tomllib
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest
from planned import PLAN

from evaluation.adapters.baselines import expectations
from evaluation.adapters.catalogue import packaged
from evaluation.core import wire
from evaluation.core.catalogue.problem import Problem
from evaluation.core.check.check import judge_check
from evaluation.core.measure.seen import CheckSeen, MeasureSeen, PairSeen, Timed
from evaluation.core.probe.finding import Static
from evaluation.core.probe.probe import judge_probe
from evaluation.core.records import StageReport
from evaluation.core.timing.expectation import Expectation
from evaluation.core.timing.refusal import measure_again
from evaluation.core.timing.timing import judge_time
from evaluation.core.verdict import FamilyExecuted, Severity, Target, Verdict

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "fixtures" / "h200"
MAY_HAVE, HAS_NONE = FamilyExecuted.UNKNOWN, FamilyExecuted.ABSENT


@dataclass(frozen=True, slots=True)
class Expected:
    """``ratio`` is None and ``reason`` its words where there is no speed; ``again``: measured twice for its sake."""

    family: FamilyExecuted
    ratio: float | None
    pairs: int
    calls: int  # compared in full, those of the check not counted
    reason: str = ""
    again: bool = False


ACCEPTED = {
    "gemm_wgmma_tma": Expected(MAY_HAVE, 0.99449, 50, 131),
    "gemm_mma_sync": Expected(HAS_NONE, 0.47244, 50, 95),
    "gemm_naive": Expected(HAS_NONE, 0.00907, 24, 42),
    "mha_fwd_wgmma": Expected(MAY_HAVE, 1.06460, 50, 95),
    "mha_fwd_wgmma_causal": Expected(MAY_HAVE, 1.05879, 50, 104),
    "mha_bwd_plain": Expected(HAS_NONE, 0.05725, 14, 22),
    "mha_bwd_plain_causal": Expected(HAS_NONE, 0.06726, 28, 49),
    "token_instruction": Expected(MAY_HAVE, 0.47038, 50, 104),
    "half_by_wgmma": Expected(MAY_HAVE, 0.64671, 50, 95),
    # Vendor calls of 15 us: 15,312 ns in the pairs against 14,368 and 14,848 ns alone is no more than clocks can tell.
    "empty_group": Expected(HAS_NONE, 0.01672, 50, 113),
    "prints_from_the_device": Expected(HAS_NONE, 0.01572, 50, 113),
    "inputs_kept_in_l2": Expected(HAS_NONE, None, 50, 149, "too noisy", again=True),
}


@dataclass(frozen=True, slots=True)
class Refused:
    verdict: Verdict
    rules: set[str]
    words: str  # of the headline
    holds: tuple[str, ...] = ()


REFUSED = {
    "one_wrong_element": Refused(Verdict.WRONG_RESULT, {"C2"}, "C is wrong in 1 of 1129984"),
    "half_of_the_tiles": Refused(Verdict.WRONG_RESULT, {"C2"}, "C is wrong in 564904 of 1129984"),
    # One element got 1012 for 29.75, which is most of all error there is.
    "race_for_one_element": Refused(
        Verdict.WRONG_RESULT, {"C2"}, "C is wrong in 1 of 1129984", ("coarse_precision",)
    ),
    "probabilities_in_fp8": Refused(
        Verdict.WRONG_RESULT, {"C2"}, "O is wrong in 1 of 100663296", ("coarse_precision",)
    ),
    "mask_off_by_one": Refused(Verdict.WRONG_RESULT, {"C2"}, "O is wrong in 1953133 of 100663296"),
    "writes_16_bytes_behind_c": Refused(Verdict.MEMORY_FAULT, {"C3"}, "wrote beyond the end"),
    "illegal_address": Refused(Verdict.MEMORY_FAULT, {"C3"}, "CUDA_ERROR_ILLEGAL_ADDRESS"),
    "device_trap": Refused(Verdict.RUNTIME_ERROR, {"launch_failed"}, "CUDA_ERROR_LAUNCH_FAILED"),
    "never_ends": Refused(Verdict.TIMEOUT, {"S11"}, "did not end within 12.1 s"),
}


def problem_of(case: str) -> Problem:
    (stated,) = (ROOT / "tests" / "golden").glob(f"*/{case}/case.toml")
    return packaged().problem(tomllib.loads(stated.read_text(encoding="utf-8"))["problem"])


def checked(case: str) -> CheckSeen:
    content = (FOLDER / case / "check_seen.json").read_bytes()
    return wire.decode(CheckSeen, content, where=case)


def measured(case: str) -> MeasureSeen:
    content = (FOLDER / case / "measure_seen.json").read_bytes()
    return wire.decode(MeasureSeen, content, where=case)


def expectation_of(problem: Problem) -> Expectation | None:
    known = expectations("h200")
    assert known is not None
    return known.of(problem.name)


def timed(case: str, seen: MeasureSeen) -> StageReport:
    problem = problem_of(case)
    return judge_time(seen, problem, PLAN, expectation_of(problem))


def facts(report: StageReport) -> dict[str, str | int]:
    return {fact.name: fact.value for fact in report.facts}


def holds(report: StageReport) -> list[str]:
    return [one.kind for one in report.signals if one.severity is Severity.HOLD]


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
    assert (report.verdict, holds(report)) == (None, [])
    again = measure_again(measured(case), expectation_of(problem))
    assert bool(again) == ACCEPTED[case].again, again


@pytest.mark.parametrize("case", ACCEPTED)
def test_without_counters_a_family_that_may_run_stays_unknown(case: str) -> None:
    static = Static(ACCEPTED[case].family)
    report = judge_probe(measured(case).probe, problem_of(case), Target.HOPPER, static)
    assert facts(report)["family"] == ACCEPTED[case].family
    assert holds(report) == []
    if static.family is MAY_HAVE:
        assert "CUPTI status 999" in str(facts(report)["family_reason"])


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


# The same records with one thing forged: the rules that hold nobody above still hold a cheat.


def test_event_times_of_a_tenth_less_are_held_by_the_slope() -> None:
    seen = with_times(measured("gemm_wgmma_tma"), candidate=Fraction(9, 10))
    assert "faster_than_slope" in holds(timed("gemm_wgmma_tma", seen))


def test_a_vendor_that_is_a_fiftieth_slower_in_the_pairs_is_held() -> None:
    seen = with_times(measured("gemm_wgmma_tma"), vendor=Fraction(102, 100))
    assert holds(timed("gemm_wgmma_tma", seen)) == ["changes_the_baseline"]


def test_a_vendor_call_of_15_us_that_is_a_tenth_slower_in_the_pairs_is_held() -> None:
    seen = with_times(measured("empty_group"), vendor=Fraction(110, 100))
    assert holds(timed("empty_group", seen)) == ["changes_the_baseline"]


# Twelve verdicts on one kernel, and the tables of the page.


def test_twelve_ratios_of_one_kernel_lie_within_a_fifth_of_a_percent() -> None:
    every = json.loads((FOLDER / "verdicts.json").read_text(encoding="utf-8"))
    mine = [one for one in every if one["case"] == "gemm_wgmma_tma"]
    ratios = [float(one["ratio"]) for one in mine]
    assert (len(ratios), min(ratios), max(ratios)) == (12, 0.9931, 0.9950)
    mean = statistics.mean(ratios)
    assert statistics.stdev(ratios) / mean < 0.005
    assert all(float(one["ratio_low"]) <= mean <= float(one["ratio_high"]) for one in mine)


def run_table(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "benchmarks/gpu_table.py", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": ".:tests"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_tables_of_the_method_are_what_the_script_prints() -> None:
    done = run_table()
    assert done.returncode == 0, done.stderr
    page = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    tables = done.stdout.strip().split("\n\n")
    assert len(tables) == 3
    assert [one.splitlines()[0] for one in tables if one not in page] == []


def test_the_ratios_that_the_table_shows_are_those_worked_out_by_hand() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `.* \| ([\d.]+) \(", run_table().stdout, re.MULTILINE)
    assert len(rows) == 7
    for case, ratio in rows:
        assert float(ratio) == pytest.approx(ACCEPTED[case].ratio, rel=1e-3)


def test_a_folder_without_reports_is_refused_with_what_to_do(tmp_path: Path) -> None:
    done = run_table(str(tmp_path))
    assert done.returncode == 1
    assert "PTXBOARD_GPU_REPORTS" in done.stderr
