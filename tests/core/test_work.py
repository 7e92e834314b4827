from fractions import Fraction

import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.problem import Problem
from evaluation.core.catalogue.work import (
    floor_ns,
    floor_parts_ns,
    flops,
    honest_excess,
    input_bytes,
    output_bytes,
    required_products,
)


def problem(name: str) -> Problem:
    return packaged().problem(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # 2 * 8192 * 7168 * 5120, which a hardware counter showed for a full WGMMA kernel too
        ("gemm_n7168_k5120", 601_295_421_440),
        # 4 * 4096^2 * (4 * 48) * 128; 4096^2 = 16,777,216
        ("mha_with_lse_d128", 1_649_267_441_664),
        ("mha_with_lse_d128_causal", 824_633_720_832),
        # ten in place of four
        ("mha_bwd_d128", 4_123_168_604_160),
        ("mha_bwd_d128_causal", 2_061_584_302_080),
        # three quarters of d = 128
        ("mha_with_lse_d96", 1_236_950_581_248),
        # 2 * 70 * 28672 * 4096
        ("gemm_n28672_k4096", 16_441_671_680),
    ],
)
def test_flops_follow_the_published_formulas(name: str, expected: int) -> None:
    assert flops(problem(name)) == expected


@pytest.mark.parametrize(
    ("name", "vendor_ms", "vendor_tflops"),
    [
        ("gemm_n7168_k5120", 0.749, 803),
        ("mha_with_lse_d128", 2.677, 616.2),
        ("mha_with_lse_d128_causal", 1.391, 592.8),
        ("mha_bwd_d128", 7.780, 530.0),
        ("mha_bwd_d128_causal", 4.549, 453.2),
    ],
)
def test_flops_agree_with_the_published_vendor_times_and_rates(
    name: str, vendor_ms: float, vendor_tflops: float
) -> None:
    # Published to four digits, so they agree to a tenth of a percent.
    assert flops(problem(name)) / (vendor_ms * 1e-3) / 1e12 == pytest.approx(
        vendor_tflops, rel=1e-3
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gemm_n7168_k5120", 8192 * 7168 * 5120),
        # 2 products * 192 heads * 4096^2 pairs * 128
        ("mha_with_lse_d128", 824_633_720_832),
        # 2 * 192 * (4096 * 4097 / 2 = 8,390,656 pairs) * 128
        ("mha_with_lse_d128_causal", 412_417_523_712),
        # 5 products
        ("mha_bwd_d128", 2_061_584_302_080),
        ("mha_bwd_d128_causal", 1_031_043_809_280),
        ("mha_bwd_d64_causal", 515_521_904_640),
    ],
)
def test_required_products_count_every_unmasked_pair_once(name: str, expected: int) -> None:
    assert required_products(problem(name)) == expected


@pytest.mark.parametrize(
    ("name", "read", "written"),
    [
        # A 8192*5120*2 + B 7168*5120*2; C 8192*7168*2
        ("gemm_n7168_k5120", 83_886_080 + 73_400_320, 117_440_512),
        # a tensor 4*48*4096*128*2 = 201,326,592; LSE 4*48*4096*4 = 3,145,728
        ("mha_with_lse_d128", 603_979_776, 201_326_592 + 3_145_728),
        ("mha_bwd_d128", 5 * 201_326_592 + 3_145_728, 603_979_776),
    ],
)
def test_bytes_count_every_tensor_once(name: str, read: int, written: int) -> None:
    assert (input_bytes(problem(name)), output_bytes(problem(name))) == (read, written)


def test_the_floor_of_a_compute_bound_problem_is_its_matrix_work() -> None:
    # 7/8 * 601,295,421,440 / 800e12 = 657.6669 us; * 0.97 = 637.9369 us; reading takes 36 us only
    assert floor_ns(problem("gemm_n7168_k5120"), 4.3e12, 800e12) == 637_936


def test_the_floor_of_a_causal_problem_counts_unmasked_work_only() -> None:
    # 7/8 * 2 * 412,417,523,712 / 800e12 = 902.1633 us; * 0.97 = 875.0984 us
    assert floor_ns(problem("mha_with_lse_d128_causal"), 4.3e12, 800e12) == 875_098


def test_the_floor_of_a_memory_bound_problem_is_reading_its_inputs() -> None:
    # (70*4096 + 28672*4096) * 2 bytes = 235,454,464; / 4.3e12 = 54.7569 us; * 0.97 = 53.1141 us
    assert floor_ns(problem("gemm_n28672_k4096"), 4.3e12, 800e12) == 53_114


def test_the_parts_of_a_floor_tell_what_bounds_it() -> None:
    # reading: 157,286,400 / 4.3e12 = 36.5782 us; * 0.97 = 35.4809 us
    assert floor_parts_ns(problem("gemm_n7168_k5120"), 4.3e12, 800e12) == (35_480, 637_936)


@pytest.mark.parametrize(
    ("name", "vendor_ns"),
    [
        ("gemm_n7168_k5120", 746_000),
        ("mha_with_lse_d128", 2_677_000),
        ("mha_with_lse_d128_causal", 1_391_000),
        ("mha_bwd_d128", 7_780_000),
        ("mha_bwd_d128_causal", 4_549_000),
    ],
)
def test_the_vendor_stays_above_the_floor_at_the_data_sheet_rates_of_an_h100(
    name: str, vendor_ns: int
) -> None:
    assert floor_ns(problem(name), 3.35e12, 989e12) < vendor_ns


@pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan")])
def test_a_rate_that_was_not_measured_gives_no_floor(rate: float) -> None:
    with pytest.raises(ValueError, match="positive and finite"):
        floor_ns(problem("mha_bwd_d128"), rate, 800e12)
    with pytest.raises(ValueError, match="positive and finite"):
        floor_ns(problem("mha_bwd_d128"), 4.3e12, rate)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gemm_n7168_k5120", Fraction(1)),
        ("gemm_n28672_k4096", Fraction(128, 70)),  # 1.83: 70 rows in a tile of 128
        ("mha_with_lse_d128", Fraction(1)),
        ("mha_with_lse_d128_causal", Fraction(2 * 4096, 4097)),  # the masked half too
        ("mha_with_lse_d96", Fraction(4, 3)),  # 96 filled up to 128
        ("mha_bwd_d128", Fraction(7, 5)),  # two passes
        ("mha_bwd_d128_causal", Fraction(7, 5) * Fraction(2 * 4096, 4097)),  # 2.80
        ("mha_bwd_d96_causal", Fraction(7, 5) * Fraction(2 * 4096, 4097) * Fraction(4, 3)),
    ],
)
def test_honest_kernels_may_execute_more_than_the_need(name: str, expected: Fraction) -> None:
    assert honest_excess(problem(name)) == expected
