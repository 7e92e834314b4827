"""How much of one trajectory is held in memory at a time, whatever its document was made to do."""

import sys
from dataclasses import dataclass

from portal.uploads.reading.json_stream import Json
from portal.uploads.reading.refused import Refused

LIMIT_TURNS = 1000
LIMIT_HELD_BYTES = 48_000_000
"""Of the parts of one trajectory that matter; eight replies of 128,000 tokens take about 4 MB."""


@dataclass(slots=True)
class Budget:
    """Counts what is held of one member. Raise Refused where it becomes too much."""

    member: str
    held_bytes: int = 0
    turns: int = 0

    def hold(self, value: Json) -> None:
        self.held_bytes += size_of(value)
        if self.held_bytes > LIMIT_HELD_BYTES:
            megabytes = LIMIT_HELD_BYTES // 1_000_000
            sentence = f"the replies and kernels of this trajectory take more than {megabytes} MB"
            raise Refused(sentence, self.member)

    def turn(self) -> None:
        self.turns += 1
        if self.turns > LIMIT_TURNS:
            raise Refused(f"this trajectory has more than {LIMIT_TURNS} turns", self.member)


def size_of(value: Json) -> int:
    """Bytes that a value takes, of what it holds too."""
    size = sys.getsizeof(value)
    if isinstance(value, dict):
        return size + sum(size_of(key) + size_of(one) for key, one in value.items())
    if isinstance(value, list):
        return size + sum(size_of(one) for one in value)
    return size
