"""The judge's random numbers in plain Python: what evaluation/native/gpu/generate.cuh has to make.

Philox4x32-10 is from Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11.
"""

import math
import struct
from collections.abc import Iterator
from enum import IntEnum, unique

_WORD = 0xFFFFFFFF
_ROUNDS = 10
_FIRST_FACTOR, _SECOND_FACTOR = 0xD2511F53, 0xCD9E8D57
_LOW_STEP, _HIGH_STEP = 0x9E3779B9, 0xBB67AE85
_BLOCK_BYTES = 16

Words = tuple[int, int, int, int]


@unique
class Use(IntEnum):
    """What a block of random words is for; the last word of its counter."""

    NORMALS = 0
    BITS = 1
    LINES = 2


def philox(counter: Words, key: int) -> Words:
    """Four random words of 32 bits for a counter of four words and a key of 64 bits."""
    x, y, z, w = counter
    low, high = key & _WORD, key >> 32
    for _ in range(_ROUNDS):
        first, second = _FIRST_FACTOR * x, _SECOND_FACTOR * z
        x, y, z, w = (
            second >> 32 ^ y ^ low,
            second & _WORD,
            first >> 32 ^ w ^ high,
            first & _WORD,
        )
        low, high = low + _LOW_STEP & _WORD, high + _HIGH_STEP & _WORD
    return x, y, z, w


def normals(key: int, which: int, elements: int) -> tuple[float, ...]:
    """Independent values of the normal distribution, mean 0 and standard deviation 1, in double precision."""
    blocks = -(-elements // 4)
    values = (value for block in range(blocks) for value in _normal_block(key, which, block))
    return tuple(value for value, _ in zip(values, range(elements), strict=False))


def random_bytes(key: int, size: int, *, offset: int = 0) -> bytes:
    """Random bytes of a range that begins ``offset`` bytes (0 to 15) behind an address of 16-byte alignment."""
    blocks = -(-(offset + size) // _BLOCK_BYTES)
    words = (_block(key, 0, block, Use.BITS) for block in range(blocks))
    content = b"".join(struct.pack("<4I", *four) for four in words)
    return content[offset : offset + size]


def bfloat16_bits(value: float) -> int:
    """The bits of the bfloat16 nearest to a finite single-precision value, ties to even."""
    bits = int.from_bytes(struct.pack("<f", value), "little")
    return bits + 0x7FFF + (bits >> 16 & 1) >> 16


def _block(key: int, which: int, block: int, use: Use) -> Words:
    return philox((block & _WORD, block >> 32, which, int(use)), key)


def _normal_block(key: int, which: int, block: int) -> Iterator[float]:
    words = _block(key, which, block, Use.NORMALS)
    for radius_word, angle_word in (words[:2], words[2:]):
        uniform = radius_word * 2.0**-32 + 2.0**-33
        radius = math.sqrt(-2.0 * math.log(uniform))
        # The angle word counts as a signed integer: half turns from -1 to 1.
        angle = math.pi * (angle_word - (angle_word >> 31 << 32)) * 2.0**-31
        yield radius * math.cos(angle)
        yield radius * math.sin(angle)
