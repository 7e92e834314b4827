"""The pairs that rank, and their medians: what all rules of timing look at."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from evaluation.core.measure.seen import MeasureSeen, PairSeen, Side, SlopeSeen
from evaluation.core.timing.statistics import median, median_ns


@dataclass(frozen=True, slots=True)
class Ranked:
    """``pairs`` without hardware counters, at least one; their median times in integer nanoseconds."""

    pairs: tuple[PairSeen, ...]
    candidate_ns: int
    vendor_ns: int
    candidate_outside_ns: int

    @property
    def ratio(self) -> Fraction | None:
        """The median of vendor over candidate time, pair by pair; None where a candidate's call took no time."""
        if any(one.candidate.event_ns <= 0 for one in self.pairs):
            return None
        return median([Fraction(one.vendor.event_ns, one.candidate.event_ns) for one in self.pairs])

    @property
    def launchers(self) -> int:
        return len({one.launcher for one in self.pairs})


def ranked(seen: MeasureSeen) -> Ranked | None:
    """Take the pairs that rank; None where there is none."""
    pairs = tuple(one for one in seen.pairs if not one.counted)
    if not pairs:
        return None
    return Ranked(
        pairs=pairs,
        candidate_ns=median_ns([one.candidate.event_ns for one in pairs]),
        vendor_ns=median_ns([one.vendor.event_ns for one in pairs]),
        candidate_outside_ns=median_ns([one.candidate.outside_ns for one in pairs]),
    )


def slopes_of(slopes: Iterable[SlopeSeen], side: Side) -> tuple[SlopeSeen, ...]:
    return tuple(one for one in slopes if one.side is side)
