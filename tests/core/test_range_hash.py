import pytest

from evaluation.core.measure.philox import random_bytes
from evaluation.core.measure.range_hash import range_hash

CONTENT = random_bytes(11, 100)
KEY = 0x0123456789ABCDEF


def test_every_flipped_bit_changes_the_hash() -> None:
    hashes = {range_hash(CONTENT, KEY)}
    for place in range(100):
        for bit in range(8):
            changed = bytearray(CONTENT)
            changed[place] ^= 1 << bit
            hashes.add(range_hash(bytes(changed), KEY))
    assert len(hashes) == 801


def test_swapped_words_change_the_hash() -> None:
    swapped = CONTENT[8:16] + CONTENT[:8] + CONTENT[16:]
    assert range_hash(swapped, KEY) != range_hash(CONTENT, KEY)


def test_size_key_and_alignment_count() -> None:
    seen = {
        range_hash(b"", KEY),
        range_hash(bytes(1), KEY),
        range_hash(bytes(16), KEY),
        range_hash(bytes(17), KEY),
        range_hash(bytes(16), KEY + 1),
        range_hash(bytes(16), KEY, offset=1),
    }
    assert len(seen) == 6


def test_nothing_hashes_to_the_mix_of_its_size_and_key() -> None:
    # The finaliser of zero is zero, twice: an empty range under key 0.
    assert range_hash(b"", 0) == 0


def test_one_word_by_hand() -> None:
    # The finaliser of 1 is a published constant of MurmurHash3's author: fmix64(1).
    assert range_hash(b"", 1) == fmix64(fmix64(1))
    assert fmix64(1) == 0xB456BCFC34C2CB2C


def test_words_are_mixed_with_their_places_counted_from_one_and_added_up() -> None:
    golden, mask = 0x9E3779B97F4A7C15, (1 << 64) - 1
    words = fmix64(0x2A ^ fmix64(golden)) + fmix64(0x07 ^ fmix64(2 * golden & mask))
    content = b"\x2a" + bytes(7) + b"\x07"
    assert range_hash(content, 0) == (fmix64(fmix64(9)) + words) & mask


def fmix64(word: int) -> int:
    mask = (1 << 64) - 1
    word ^= word >> 33
    word = word * 0xFF51AFD7ED558CCD & mask
    word ^= word >> 33
    word = word * 0xC4CEB9FE1A85EC53 & mask
    return word ^ word >> 33


@pytest.mark.parametrize("offset", [0, 1, 15])
def test_sixty_four_bits_come_out(offset: int) -> None:
    assert 0 <= range_hash(CONTENT, (1 << 64) - 1, offset=offset) < 1 << 64
