"""The judge's hash of a range of memory in plain Python (evaluation/native/gpu/hash.cuh).

It is keyed, so that nobody without the key can change bytes and keep the hash, and every word's place counts.
"""

import struct

_LONG = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15
_BLOCK_BYTES = 16


def range_hash(content: bytes, key: int, *, offset: int = 0) -> int:
    """64 bits for bytes that begin ``offset`` bytes (0 to 15) behind an address of 16-byte alignment."""
    size = len(content)
    behind = -(offset + size) % _BLOCK_BYTES if size else 0
    before = offset if size else 0
    padded = bytes(before) + content + bytes(behind)
    total = _mix(_mix(size ^ key) + offset & _LONG)
    for place, (word,) in enumerate(struct.iter_unpack("<Q", padded), start=1):
        total += _mix(word ^ _mix(place * _GOLDEN + key & _LONG))
    return total & _LONG


def _mix(word: int) -> int:
    """The 64-bit finaliser of MurmurHash3: a bijection in which every bit of the input reaches all of the output."""
    word = (word ^ word >> 33) * 0xFF51AFD7ED558CCD & _LONG
    word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53 & _LONG
    return word ^ word >> 33
