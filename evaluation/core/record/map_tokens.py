"""The 128 bytes that stand for a tensor map in a recording (docs/recording.md, Tokens; rule L9)."""

from dataclasses import dataclass

from evaluation.core.strict_json import U64

TOKEN_BYTES = 128
TOKEN_ALIGNMENT = 64

_NONCE_BYTES = 16
_HEAD_BYTES = 24  # nonce and id
_TAIL_WORDS = 13
_GOLDEN = 0x9E3779B97F4A7C15
_EXPLAINED_MAPS = 1024


@dataclass(frozen=True, slots=True)
class HeldMap:
    """A whole token of tensor map ``number`` at byte ``at``."""

    at: int
    number: int


@dataclass(frozen=True, slots=True)
class BrokenToken:
    at: int
    why: str


def token(nonce: bytes, number: int) -> bytes:
    """Give the bytes that the shim writes for tensor map ``number`` of the process of ``nonce``."""
    low = int.from_bytes(nonce[:8], "little")
    high = int.from_bytes(nonce[8:], "little")
    seed = _mix(low ^ _mix(high ^ _mix(number)))
    tail = (_mix((seed + (index + 1) * _GOLDEN) & U64) for index in range(_TAIL_WORDS))
    return (
        nonce + number.to_bytes(8, "little") + b"".join(word.to_bytes(8, "little") for word in tail)
    )


def find_tokens(
    content: bytes, nonce: bytes, *, known: int, origin: int = 0
) -> tuple[HeldMap, ...] | BrokenToken:
    """Find every token; ``known`` maps have been encoded so far. Part of a token is refused.

    ``origin`` is where byte 0 lies in what alignment is counted in: a parameter block begins at 0x210 of its constant
    bank on sm_90, so an aligned map stands at byte 0x30 or 0x70 of the block.
    """
    held = []
    at = content.find(nonce)
    while at >= 0:
        number = int.from_bytes(content[at + _NONCE_BYTES : at + _HEAD_BYTES], "little")
        if (origin + at) % TOKEN_ALIGNMENT:
            return BrokenToken(at, f"a tensor map that is not aligned to {TOKEN_ALIGNMENT} bytes")
        if at + TOKEN_BYTES > len(content):
            return BrokenToken(at, "part of a tensor map")
        if number >= known:
            return BrokenToken(at, "a tensor map that was never encoded")
        if content[at : at + TOKEN_BYTES] != token(nonce, number):
            return BrokenToken(at, "a tensor map with changed bytes")
        held.append(HeldMap(at, number))
        at = content.find(nonce, at + TOKEN_BYTES)
    return tuple(held)


def without_tokens(content: bytes, held: tuple[HeldMap, ...]) -> bytes:
    """Zero the bytes of the tokens."""
    cleared = bytearray(content)
    for one in held:
        cleared[one.at : one.at + TOKEN_BYTES] = bytes(TOKEN_BYTES)
    return bytes(cleared)


def is_part_of_token(content: bytes, at: int, nonce: bytes, *, known: int) -> bool:
    """Say whether bytes near ``at`` come from some token, for a sentence to the author."""
    pieces = [content[start : start + 8] for start in (at, at + 8, at + 16)]
    pieces = [piece for piece in pieces if len(piece) == 8 and any(piece)]
    for number in range(min(known, _EXPLAINED_MAPS)):
        whole = token(nonce, number)
        if any(piece in whole[:_NONCE_BYTES] or piece in whole[_HEAD_BYTES:] for piece in pieces):
            return True
    return False


def _mix(word: int) -> int:
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & U64
    word = ((word ^ word >> 27) * 0x94D049BB133111EB) & U64
    return word ^ word >> 31
