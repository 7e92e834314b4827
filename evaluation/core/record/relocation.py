"""Bytes of two recordings to one template: pointers by how far they moved, tensor maps by token.

Rules L1, L4 and L9. Every base is a multiple of 256 and the bases of one range differ in every
byte above the lowest, so the first byte in which two copies of a pointer differ is its second one:
the place of a pointer follows from the first difference, at any alignment, in one pass.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass

from evaluation.core.record.map_tokens import (
    TOKEN_BYTES,
    BrokenToken,
    HeldMap,
    find_tokens,
    is_part_of_token,
    without_tokens,
)
from evaluation.core.record.regions import Regions, Spot, explain

POINTER_BYTES = 8
LIMIT_POINTERS = 65_536

_DIFFERENT = re.compile(rb"[^\0]")


@dataclass(frozen=True, slots=True)
class Pointer:
    at: int
    spot: Spot


@dataclass(frozen=True, slots=True)
class Relocated:
    """``content`` is zero where the pointers and maps are."""

    content: bytes
    pointers: tuple[Pointer, ...]
    maps: tuple[HeldMap, ...]


@dataclass(frozen=True, slots=True)
class Unexplained:
    """Bytes from ``at`` on differ between the recordings, and ``why`` they are no pointer."""

    at: int
    why: str


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known when bytes are read: ranges, nonces, the maps encoded so far, and where byte 0 lies."""

    regions: Regions
    first_nonce: bytes
    second_nonce: bytes
    known_maps: int
    origin: int = 0


def relocate(
    first: bytes, second: bytes, ground: Ground, *, keep: bytes | None = None
) -> Relocated | Unexplained:
    """Find pointers and tensor maps in two copies of the same bytes.

    ``keep`` has 0xff for bytes that count and 0 for bytes that are read as zero.
    """
    if len(first) != len(second):
        return Unexplained(0, "a different number of bytes from run to run")
    known, origin = ground.known_maps, ground.origin
    held = find_tokens(first, ground.first_nonce, known=known, origin=origin)
    there = find_tokens(second, ground.second_nonce, known=known, origin=origin)
    for found in (held, there):
        if isinstance(found, BrokenToken):
            return Unexplained(found.at, found.why)
    assert isinstance(held, tuple)
    if held != there:
        return Unexplained(0, "one tensor map in one process and another in another")
    first, second = without_tokens(first, held), without_tokens(second, held)
    if keep is not None:
        first, second = masked(first, keep), masked(second, keep)
    return _pointers(first, second, ground, held)


def masked(content: bytes, keep: bytes) -> bytes:
    """Zero every byte whose byte in ``keep`` is 0; both have the same length."""
    both = int.from_bytes(content, "little") & int.from_bytes(keep, "little")
    return both.to_bytes(len(content), "little")


def differences(first: bytes, second: bytes) -> bytes:
    """Give a byte string that is zero where two of the same length agree."""
    if first == second:
        return bytes(len(first))
    exclusive = int.from_bytes(first, "little") ^ int.from_bytes(second, "little")
    return exclusive.to_bytes(len(first), "little")


def _pointers(
    first: bytes, second: bytes, ground: Ground, held: tuple[HeldMap, ...]
) -> Relocated | Unexplained:
    if first == second:
        return Relocated(first, (), held)
    different = differences(first, second)
    cleared = bytearray(first)
    tokens = tuple(one.at for one in held)
    pointers: list[Pointer] = []
    end = 0  # of the pointer before
    while (match := _DIFFERENT.search(different, end)) is not None:
        at = match.start() - 1
        whole = at >= end and at + POINTER_BYTES <= len(first) and _is_clear(at, tokens)
        spot = ground.regions.find(_word(first, at), _word(second, at)) if whole else None
        if spot is None:
            return Unexplained(match.start(), _explain(first, second, match.start(), ground))
        if len(pointers) == LIMIT_POINTERS:
            return Unexplained(at, f"more than {LIMIT_POINTERS} pointers")
        pointers.append(Pointer(at, spot))
        end = at + POINTER_BYTES
        cleared[at:end] = bytes(POINTER_BYTES)
    return Relocated(bytes(cleared), tuple(pointers), held)


def _is_clear(at: int, tokens: tuple[int, ...]) -> bool:
    """Say whether a pointer at ``at`` shares no byte with a token; its upper bytes may be zero."""
    index = bisect_right(tokens, at + POINTER_BYTES - 1) - 1
    return index < 0 or tokens[index] + TOKEN_BYTES <= at


def _word(content: bytes, at: int, size: int = POINTER_BYTES) -> int:
    return int.from_bytes(content[at : at + size], "little")


def _explain(first: bytes, second: bytes, at: int, ground: Ground) -> str:
    if is_part_of_token(first, at, ground.first_nonce, known=ground.known_maps):
        return "part of a tensor map"
    places = (  # as a pointer begins, as an aligned long or int does, and where the difference is
        (max(at - 1, 0), POINTER_BYTES),
        (at & ~7, POINTER_BYTES),
        (at & ~3, POINTER_BYTES // 2),
        (at, POINTER_BYTES),
    )
    words = [(_word(first, start, size), _word(second, start, size)) for start, size in places]
    return explain(ground.regions, words)
