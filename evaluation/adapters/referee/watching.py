"""Hashes of what a call may not change, before and after it: inputs, and the bytes around buffers (C3, C4)."""

from dataclasses import dataclass
from typing import Protocol

from evaluation.adapters.gpu.trusted import HASH_BYTES
from evaluation.adapters.referee.buffers import Tensor


class Hashing(Protocol):
    """What is needed of adapters/gpu/trusted.py here."""

    def hash(self, stream: int, address: int, size: int, result: int, *, key: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Watched:
    """Ranges in a fixed order, inputs first. Each has 8 bytes for its hash before, and 8 for the one after."""

    inputs: tuple[tuple[int, int], ...]
    slack: tuple[tuple[int, int], ...]
    key: int

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        return self.inputs + self.slack

    @property
    def size(self) -> int:
        """Bytes that ``hash_all`` writes."""
        return HASH_BYTES * len(self.ranges)

    def hash_all(self, trusted: Hashing, stream: int, results: int) -> None:
        """Enqueue the hash of every range, written one after the other from ``results`` on."""
        for at, (address, size) in enumerate(self.ranges):
            trusted.hash(stream, address, size, results + HASH_BYTES * at, key=self.key)

    def intact(self, before: bytes, after: bytes) -> tuple[bool, bool]:
        """Say whether the inputs are what they were, and whether the slack is."""
        end = HASH_BYTES * len(self.inputs)
        return before[:end] == after[:end], before[end:] == after[end:]


def watched(tensors: tuple[Tensor, ...], *, key: int) -> Watched:
    """Watch all inputs and all slack of a place; ``key`` keeps hashes unguessable."""
    return Watched(
        inputs=tuple(
            (one.address, one.argument.size_bytes) for one in tensors if not one.argument.is_output
        ),
        slack=tuple(part for one in tensors for part in one.slack),
        key=key,
    )
