"""Random choices as a function of given random bits, so that the core stays pure and a test can repeat them."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import TypeVar

SEED_BYTES = 16  # fewest: what a candidate must not be able to guess

Choice = TypeVar("Choice")


class Draws:
    """A stream of choices from ``seed`` for one ``purpose``; other purposes draw independently of it.

    The stream is SHA-256 of seed, purpose and a counter; choices below a number are made by rejection, so they are
    even.
    """

    def __init__(self, seed: bytes, purpose: str) -> None:
        if len(seed) < SEED_BYTES:
            raise ValueError(f"a seed has at least {SEED_BYTES} random bytes, not {len(seed)}")
        self._words = _words(hashlib.sha256(seed + purpose.encode()).digest())

    def below(self, number: int) -> int:
        """Choose evenly from 0 up to but not including ``number``, which is at most 2**32."""
        even = 2**32 - 2**32 % number
        return next(word for word in self._words if word < even) % number

    def flag(self) -> bool:
        return self.below(2) == 1

    def some(self, among: Sequence[Choice], count: int) -> tuple[Choice, ...]:
        """Choose ``count`` of ``among`` without repeating one, in a random order."""
        left = list(among)
        return tuple(left.pop(self.below(len(left))) for _ in range(count))


def _words(key: bytes) -> Iterator[int]:
    count = 0
    while True:
        block = hashlib.sha256(key + count.to_bytes(8, "little")).digest()
        for at in range(0, len(block), 4):
            yield int.from_bytes(block[at : at + 4], "little")
        count += 1
