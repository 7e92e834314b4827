"""What came of one message of a worker."""

from dataclasses import dataclass
from enum import StrEnum


class Word(StrEnum):
    """STALE to REFUSED changed nothing but, at most, a note of the worker."""

    STALE = "stale"  # of an attempt that ended, or that another worker has
    AGAIN = "again"
    CONFLICT = "conflict"  # something else was said before, and counts
    UNKNOWN = "unknown"  # no such attempt, or not its key
    VERSION = "version"  # another schema or judge
    REFUSED = "refused"  # cannot be read
    NOTED = "noted"
    ENDED = "ended"  # the attempt is over, its run is not


@dataclass(frozen=True, slots=True)
class Heard:
    """``queues`` may have room or work since; ``boards`` have something to look at."""

    word: Word
    queues: tuple[str, ...] = ()
    boards: bool = False
