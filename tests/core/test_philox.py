import math
import statistics

import pytest

from evaluation.core.measure.philox import (
    Use,
    Words,
    bfloat16_bits,
    normals,
    philox,
    random_bytes,
)

ONES = 0xFFFFFFFF


# The known answers for Philox4x32 with ten rounds that accompany the paper: zeros, ones, digits of pi.
@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0, 0, 0), 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        (
            (ONES, ONES, ONES, ONES),
            0xFFFFFFFF_FFFFFFFF,
            (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
        ),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            0x299F31D0_A4093822,
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
    ids=["zeros", "ones", "pi"],
)
def test_the_generator_gives_the_published_answers(counter: Words, key: int, words: Words) -> None:
    assert philox(counter, key) == words


def test_random_bytes_are_the_words_of_successive_blocks_in_memory_order() -> None:
    first = philox((0, 0, 0, int(Use.BITS)), 9)
    second = philox((1, 0, 0, int(Use.BITS)), 9)
    expected = b"".join(word.to_bytes(4, "little") for word in (*first, *second))
    assert random_bytes(9, 32) == expected
    assert random_bytes(9, 21, offset=5) == expected[5:26]
    assert random_bytes(9, 0) == b""


def test_normal_values_have_mean_zero_and_deviation_one() -> None:
    values = normals(2, 0, 20_000)
    assert len(values) == 20_000
    assert abs(statistics.mean(values)) < 0.03  # four standard errors
    assert abs(statistics.pstdev(values) - 1) < 0.02
    assert abs(sum(1 for value in values if abs(value) > 1.96) / 20_000 - 0.05) < 0.007


def test_the_first_pair_comes_from_radius_and_angle_by_hand() -> None:
    radius_word, angle_word, _, _ = philox((0, 0, 3, int(Use.NORMALS)), 7)
    radius = math.sqrt(-2 * math.log((radius_word + 0.5) / 2**32))
    turn = angle_word / 2**32 * 2 * math.pi
    assert normals(7, 3, 2) == pytest.approx((radius * math.cos(turn), radius * math.sin(turn)))


def test_another_key_or_tensor_gives_other_values_and_more_elements_the_same_ones_first() -> None:
    assert normals(1, 0, 6)[:5] == normals(1, 0, 5)
    assert not set(normals(1, 0, 64)) & (set(normals(2, 0, 64)) | set(normals(1, 1, 64)))


@pytest.mark.parametrize(
    ("value", "bits"),
    [
        (1.0, 0x3F80),
        (-0.0, 0x8000),
        (1.00390625, 0x3F80),  # 1 + 2^-8 lies in the middle: to the even neighbour below
        (1.01171875, 0x3F82),  # 1 + 3 * 2^-8 lies in the middle: to the even neighbour above
        (1.0040283203125, 0x3F81),  # just above the middle
        (-3.0, 0xC040),
    ],
)
def test_bfloat16_is_the_nearest_and_the_even_one_of_two(value: float, bits: int) -> None:
    assert bfloat16_bits(value) == bits
