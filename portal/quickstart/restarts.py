"""When a service that ended is started again, and when it is given up. Pure: seconds in, seconds out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Restarts:
    """An end within ``quick_seconds`` of the start is quick; after ``limit`` in a row there is no next start."""

    quick_seconds: float = 60.0
    limit: int = 5
    first_seconds: float = 0.5
    longest_seconds: float = 30.0

    def counted(self, quick: int, *, lived_seconds: float) -> int:
        """How many quick ends in a row there were, with one more end after ``lived_seconds``."""
        return quick + 1 if lived_seconds < self.quick_seconds else 0

    def delay_seconds(self, quick: int) -> float | None:
        """How long to wait before the next start after so many quick ends in a row; None: give up."""
        if quick >= self.limit:
            return None
        return min(self.first_seconds * 2.0 ** max(quick - 1, 0), self.longest_seconds)
