"""Results are written out byte by byte, as the kernel lays them down."""

import struct

import pytest

from evaluation.core.errors import ToolFailure
from evaluation.core.measure.canary_result import canary_lines, read_canary
from evaluation.core.measure.compare_result import HEAD_BYTES, RESULT_BYTES, read_compare
from evaluation.core.measure.seen import Canary, Element

CLEAN = (
    bytes(64)  # six counters and two keys
    + struct.pack("<2d", 0.5, 0.25)
    + (6).to_bytes(8, "little")  # visited
    + bytes(40)
)
WRONG = (
    (1).to_bytes(8, "little")  # not finite
    + (3).to_bytes(8, "little")  # outside
    + (2).to_bytes(8, "little")  # outside both
    + (1).to_bytes(8, "little")  # outside four times
    + (7).to_bytes(8, "little")  # expected not finite
    + (8).to_bytes(8, "little")  # oracle not finite
    + bytes.fromhex("feffffffffffffff")  # first: the complement of 1
    + bytes.fromhex("faffffff00004040")  # worst: the complement of 5 below the bits of 3.0
    + struct.pack("<2d", 2.5, 0.125)
    + (6).to_bytes(8, "little")
    + bytes.fromhex("0400000000000000")  # blocks, padding
    + bytes.fromhex("0000803f0000c07f000000400000a0c0")  # 1.0, NaN, 2.0, -5.0
    + bytes(16)
)
MAP = struct.pack("<6I", 0, 2, 0, 0, 0, 1)


def test_the_head_has_the_size_that_the_kernel_asserts() -> None:
    assert (HEAD_BYTES, RESULT_BYTES) == (128, 16512)
    assert (len(CLEAN), len(WRONG)) == (128, 128)


def test_a_clean_result_needs_no_map() -> None:
    compared = read_compare(CLEAN, name="C", shape=(2, 3), with_oracle=True)
    seen = compared.seen
    assert (seen.name, seen.elements, seen.nonfinite, seen.outside) == ("C", 6, 0, 0)
    assert (seen.first, seen.worst, seen.map_counts, seen.map_rows) == (None, None, (), 0)
    assert (seen.square_error, seen.vendor_square_error) == (0.5, 0.25)
    assert (compared.expected_nonfinite, compared.oracle_nonfinite) == (0, 0)


def test_without_an_oracle_there_are_no_sums() -> None:
    seen = read_compare(CLEAN, name="C", shape=(6,), with_oracle=False).seen
    assert (seen.square_error, seen.vendor_square_error) == (None, None)


def test_a_wrong_result_tells_everything_it_counted() -> None:
    compared = read_compare(WRONG + MAP, name="C", shape=(2, 3), with_oracle=True)
    seen = compared.seen
    assert (seen.nonfinite, seen.outside, seen.outside_both, seen.outside_fourfold) == (1, 3, 2, 1)
    assert seen.first == Element((0, 1), 1.0, None, "nan")
    assert seen.worst == Element((1, 2), 2.0, -5.0)
    assert (seen.map_rows, seen.map_columns, seen.map_counts) == (2, 3, (0, 2, 0, 0, 0, 1))
    assert (compared.expected_nonfinite, compared.oracle_nonfinite) == (7, 8)


def test_a_worst_difference_of_zero_is_no_element() -> None:
    content = CLEAN[:56] + bytes.fromhex("ffffffff00000000") + CLEAN[64:]
    assert read_compare(content, name="C", shape=(6,), with_oracle=False).seen.worst is None


@pytest.mark.parametrize(
    ("content", "shape", "said"),
    [
        (bytes(RESULT_BYTES), (6,), "looked at 0 of 6 elements"),
        (CLEAN, (7,), "looked at 6 of 7 elements"),
        (CLEAN[:-1], (6,), "127 bytes"),
        (WRONG + MAP[:-1], (2, 3), "151 bytes, not 152 or more"),
    ],
    ids=["never ran", "too few", "cut head", "cut map"],
)
def test_a_result_that_cannot_be_relied_upon_is_our_own_failure(
    content: bytes, shape: tuple[int, ...], said: str
) -> None:
    with pytest.raises(ToolFailure, match=said) as caught:
        read_compare(content, name="C", shape=shape, with_oracle=False)
    assert caught.value.action


def canary(asked: list[int], hot: list[int], cold: list[int]) -> Canary:
    return read_canary(struct.pack(f"<{3 * len(asked)}I", *asked, *hot, *cold))


def test_a_line_nearer_to_hot_than_to_cold_is_a_hit() -> None:
    # Hot 200, cold 600: the line between them is 400.
    assert canary([399, 400, 900, 210], [200, 190, 210, 200], [600, 610, 590, 600]) == Canary(4, 2)


def test_odd_ones_out_do_not_move_the_line() -> None:
    assert canary([500] * 3, [200, 200, 9000], [600, 600, 10]) == Canary(3, 0)


def test_hot_and_cold_that_look_alike_say_nothing() -> None:
    with pytest.raises(ToolFailure, match="the cache cannot be seen"):
        canary([300], [200], [250])


@pytest.mark.parametrize("content", [b"", bytes(16)], ids=["empty", "four words"])
def test_a_canary_without_three_equal_parts_is_refused(content: bytes) -> None:
    with pytest.raises(ToolFailure, match="three equal parts"):
        read_canary(content)


@pytest.mark.parametrize(
    ("size", "lines"),
    [(16 << 20, 4096), (2 << 20, 4096), ((2 << 20) - 1, 4064), (16384, 32), (16383, 0), (0, 0)],
)
def test_at_most_one_line_in_four_is_asked_in_whole_blocks(size: int, lines: int) -> None:
    assert canary_lines(size) == lines
