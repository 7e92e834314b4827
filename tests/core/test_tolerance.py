"""Expected values are by hand: tolerance 0.5 absolute, 0.25 relative, both exact in single precision."""

import math
import struct

import pytest

from evaluation.core.measure import cells
from evaluation.core.measure.seen import Element, OutputSeen
from evaluation.core.measure.tolerance import Limits, compare, single, single_distance

LIMITS = Limits(atol=0.5, rtol=0.25)
NAN, INF = math.nan, math.inf


def seen(
    got: list[float],
    expected: list[float],
    oracle: list[float] | None = None,
    shape: tuple[int, ...] | None = None,
) -> OutputSeen:
    shape = (len(got),) if shape is None else shape
    compared = compare(got, expected, oracle, name="C", shape=shape, limits=LIMITS)
    assert (compared.expected_nonfinite, compared.oracle_nonfinite) == (0, 0)
    return compared.seen


def test_equal_outputs_have_no_first_and_no_worst_element_and_no_map() -> None:
    assert seen([1.0, -0.0], [1.0, 0.0]) == OutputSeen("C", 2, 0, 0, 0, 0, None, None)


def test_an_element_exactly_at_a_limit_is_inside_and_the_next_number_is_outside() -> None:
    above = math.nextafter(8.0, INF)
    step = struct.unpack(
        "<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", 10.0))[0] + 1)
    )
    result = seen([0.5, 10.0, step[0]], [0.0, 8.0, 8.0])
    assert (result.outside, result.outside_fourfold) == (1, 0)
    assert result.first == Element((2,), 8.0, step[0])
    assert above > 8.0


def test_missing_one_limit_alone_is_inside() -> None:
    assert seen([0.4], [0.01]).outside == 0  # forty times too much, but within 0.5
    assert seen([124.0], [100.0]).outside == 0  # 24 off, but within a quarter


def test_four_times_the_limit_is_still_not_outside_fourfold() -> None:
    result = seen([2.0, 2.25, 16.0, 16.5], [0.0, 0.0, 8.0, 8.0])
    assert (result.outside, result.outside_fourfold) == (4, 2)


def test_the_first_is_the_lowest_index_and_the_worst_the_largest_difference() -> None:
    result = seen([0.0, 0.75, 3.0, 0.0, 1.0, 0.0], [0.0] * 6, shape=(2, 3))
    assert result.first == Element((0, 1), 0.0, 0.75)
    assert result.worst == Element((0, 2), 0.0, 3.0)
    assert (result.map_rows, result.map_columns, result.map_counts) == (2, 3, (0, 1, 1, 0, 1, 0))


def test_values_that_are_not_finite_are_counted_alone_and_told_by_a_word() -> None:
    result = seen([1.0, NAN, INF, -INF], [1.0, 1.0, 1.0, 1.0])
    assert (result.nonfinite, result.outside, result.worst) == (3, 0, None)
    assert result.first == Element((1,), 1.0, None, "nan")
    assert seen([INF], [1.0]).first == Element((0,), 1.0, None, "inf")
    assert seen([-INF], [1.0]).first == Element((0,), 1.0, None, "-inf")


def test_an_element_is_outside_both_only_if_it_misses_the_oracle_too() -> None:
    result = seen([1.0, 1.0], [0.0, 0.0], oracle=[0.75, 0.25])
    assert (result.outside, result.outside_both) == (2, 1)
    assert result.square_error == 0.25**2 + 0.75**2
    assert result.vendor_square_error == 0.75**2 + 0.25**2


def test_expected_and_oracle_values_that_are_not_finite_are_counted_as_ours_and_judged_by_nobody() -> (
    None
):
    compared = compare(
        [5.0, 5.0, NAN, 0.0],
        [NAN, 0.0, INF, 0.0],
        [0.0, INF, 0.0, 0.0],
        name="C",
        shape=(4,),
        limits=LIMITS,
    )
    assert (compared.expected_nonfinite, compared.oracle_nonfinite) == (2, 1)
    assert (compared.seen.outside, compared.seen.nonfinite) == (0, 1)


def test_single_precision_rounds_and_overflows_as_the_device_does() -> None:
    assert single(1e-2) == 0.009999999776482582
    assert single(4e38) == INF
    assert single(-4e38) == -INF
    assert single_distance(3e38, -3e38) == INF


def test_the_limit_is_computed_in_single_precision() -> None:
    # The paper's own tolerance: the single-precision product, not the exact one.
    limits = Limits(atol=1e-2, rtol=1e-2)
    assert limits.at(0.0) == 0.009999999776482582
    assert limits.at(3.0) == struct.unpack("<f", bytes.fromhex("8fc2f53c"))[0]


def test_large_outputs_are_mapped_into_64_cells_each_way() -> None:
    shape = (2, 64, 200)
    assert cells.matrix(shape) == (128, 200)
    assert cells.cells(shape) == (64, 64)
    assert cells.cell_of(0, shape) == 0
    assert cells.cell_of(128 * 200 - 1, shape) == 64 * 64 - 1
    assert cells.cell_of(3 * 200 + 7, shape) == 1 * 64 + 2  # row 3 of 128, column 7 of 200
    assert cells.index_of(64 * 200 + 3 * 200 + 7, shape) == (1, 3, 7)


def test_a_scalar_is_one_cell() -> None:
    assert (cells.matrix(()), cells.cells(()), cells.index_of(0, ())) == ((1, 1), (1, 1), ())


@pytest.mark.parametrize("wrong", [0, 5])
def test_outputs_must_have_equal_lengths(wrong: int) -> None:
    with pytest.raises(ValueError, match="zip"):
        compare([1.0], [1.0] * wrong, None, name="C", shape=(1,), limits=LIMITS)
