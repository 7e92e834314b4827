"""What the referee has of its own for one problem: inputs, the vendor's call, comparison, clocks and rates.

The session drives this port and the launcher's; a fake of each lets every path of a session run without a GPU.
"""

from dataclasses import dataclass
from typing import Protocol

from evaluation.core.launching.port import SharedBuffer
from evaluation.core.measure.seen import (
    Canary,
    ClockSample,
    DeviceSeen,
    OutputSeen,
    Roofs,
    Timed,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call works: buffer set ``number``, whose buffers start or end at the unmapped range beside them."""

    number: int
    end_aligned: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """The outputs at a place against the vendor's, and what became of its inputs and its slack."""

    inputs_intact: bool
    slack_intact: bool
    outputs: tuple[OutputSeen, ...]


class Bench(Protocol):
    """Everything is done when a method returns. ToolFailure for every fault: no work here is a candidate's."""

    @property
    def device(self) -> DeviceSeen: ...

    @property
    def sets(self) -> tuple[tuple[SharedBuffer, ...], ...]:
        """The buffers of every tensor argument in the order of the ABI, by set."""
        ...

    def renew(self, place: Place) -> None:
        """Make inputs that no call has seen, fill outputs and slack with random bits, and note the hashes (rule C4)."""
        ...

    def vendor(self, place: Place) -> Timed:
        """Time one vendor call on the inputs at ``place``, cold, and keep its outputs privately as what is expected."""
        ...

    def oracle(self, place: Place) -> None:
        """Compute the outputs at ``place`` in FP32 as well; the next comparison there is against both."""
        ...

    def compare(self, place: Place) -> Compared:
        """Compare all outputs with those of the last vendor call, which was at ``place``."""
        ...

    def slope(self, places: tuple[Place, ...]) -> int:
        """Make vendor calls back to back, warm; nanoseconds by the referee's clock, their enqueueing not counted."""
        ...

    def canary(self, place: Place) -> Canary:
        """Flush the cache, read random lines of the inputs at ``place`` and count those that were in it (S3)."""
        ...

    def roofs(self) -> Roofs:
        """Measure what the device can do at best, at the clocks it has now (rule S6)."""
        ...

    def sample(self) -> ClockSample: ...

    def well(self) -> bool:
        """Run a small kernel of our own: False where it fails or does not end (after a fault of a candidate)."""
        ...
