"""What is stated of a known kernel, read strictly, and what came of it, judged by its band."""

import pytest
from sample_run import a_prepared_kernel

from evaluation.core.errors import InvalidInput
from evaluation.core.measure.known_kernel import Band, ReadyKernel, canary_run
from evaluation.core.measure.known_kernel_file import load_known_kernel
from evaluation.core.records import Fact, StageReport
from evaluation.core.verdict import Stage, Target, Verdict

TEXT = """\
format = 1
name = "gemm_wgmma"
problem = "gemm_n7168_k5120"
target = "hopper"

[[bands]]
product = "h200"
low = 0.7
high = 0.8
source = "measured 2026-11-30"
"""
BAND = Band("h200", 0.7, 0.8, "measured 2026-11-30")


def timed(ratio: str) -> StageReport:
    facts = (
        Fact("ratio", ratio),
        Fact("ratio_low", ratio),
        Fact("ratio_high", ratio),
        Fact("candidate_time", 1000, "ns"),
        Fact("vendor_time", 760, "ns"),
        Fact("sm_clock", 1905, "MHz"),
        Fact("memory_clock", 3201, "MHz"),
        Fact("temperature_highest", 44, "C"),
        Fact("power", 512_000, "mW"),
    )
    return StageReport(Stage.TIME, "correct", Verdict.ACCEPTED, facts=facts)


def test_a_statement_is_read_with_its_bands() -> None:
    known = load_known_kernel(TEXT, where="a.toml")
    assert (known.name, known.problem, known.target) == (
        "gemm_wgmma",
        "gemm_n7168_k5120",
        Target.HOPPER,
    )
    assert known.band("h200") == BAND
    assert known.band("h100-pcie") is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 1", "format = 2", "format"),
        ('target = "hopper"', 'target = "volta"', "target"),
        ("low = 0.7", "low = 0.8", r"bands\.0\.high: must be above low"),
        ("low = 0.7", "low = 0.0", "low"),
        ("high = 0.8", "high = 1000.0", "high"),
        ("high = 0.8", "height = 0.8", "height"),
        ('source = "measured 2026-11-30"', 'source = ""', "source"),
        ('name = "gemm_wgmma"', 'name = "../x"', "name"),
        ("[[bands]]", TEXT.partition("\n\n")[2] + "\n[[bands]]", "names a product twice"),
    ],
)
def test_a_statement_that_is_not_completely_right_is_refused(
    old: str, new: str, message: str
) -> None:
    assert old in TEXT
    with pytest.raises(InvalidInput, match=message):
        load_known_kernel(TEXT.replace(old, new, 1), where="a.toml")


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        ("0.7000", ""),
        ("0.8000", ""),
        ("0.6999", "a ratio of 0.700 is not within 0.700 to 0.800"),
        ("0.8100", "a ratio of 0.810 is not within 0.700 to 0.800"),
    ],
)
def test_a_ratio_is_well_within_its_band_ends_included(ratio: str, said: str) -> None:
    run = canary_run(ReadyKernel("gemm", a_prepared_kernel(), BAND), (timed(ratio),))
    assert (run.well, run.said, run.ratio) == (not said, said, float(ratio))
    assert (run.low, run.high) == (0.7, 0.8)
    assert (run.sm_mhz, run.memory_mhz, run.temperature_c, run.power_mw) == (
        1905,
        3201,
        44,
        512_000,
    )


def test_without_a_band_any_accepted_run_is_well() -> None:
    run = canary_run(ReadyKernel("gemm", a_prepared_kernel(), None), (timed("0.0100"),))
    assert (run.well, run.low, run.high) == (True, 0.0, 0.0)


@pytest.mark.parametrize("band", [BAND, None])
def test_a_known_kernel_that_is_not_accepted_is_not_well(band: Band | None) -> None:
    wrong = StageReport(Stage.CHECK, "C is wrong", Verdict.WRONG_RESULT)
    run = canary_run(ReadyKernel("gemm", a_prepared_kernel(), band), (wrong,))
    assert (run.well, run.said, run.ratio) == (False, "ended as wrong_result: C is wrong", None)


def test_a_known_kernel_without_a_speed_is_not_well_where_it_has_a_band() -> None:
    facts = (Fact("no_speed", "too noisy"), Fact("sm_clock", "unknown"))
    noisy = StageReport(Stage.TIME, "correct", Verdict.ACCEPTED, facts=facts)
    run = canary_run(ReadyKernel("gemm", a_prepared_kernel(), BAND), (noisy,))
    assert (run.well, run.said, run.sm_mhz) == (False, "no speed could be had", 0)
