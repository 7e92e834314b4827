"""Bins of times, made on the server: few, of a round width, and none lost."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

AIMED_BINS = 12  # over the middle nine tenths of the times
BINS_EACH_SIDE = 15  # of the median; what lies further out is counted in the outermost bins
_LEAST_WIDTH_NS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """``count`` times from ``low_ns`` up to, not including, ``high_ns``.

    An outermost bin may be open: it also has what lies beyond it.
    """

    low_ns: int
    high_ns: int
    count: int
    open_below: bool = False
    open_above: bool = False


def bins_of(times_ns: Sequence[int]) -> tuple[Bin, ...]:
    """Sort at least one time into bins without a gap, at most 2 * BINS_EACH_SIDE + 1 of them."""
    ordered = sorted(times_ns)
    width = _round_up((_at(ordered, 95) - _at(ordered, 5)) / AIMED_BINS)
    middle = _at(ordered, 50) // width
    first, last = ordered[0] // width, ordered[-1] // width
    low, high = max(first, middle - BINS_EACH_SIDE), min(last, middle + BINS_EACH_SIDE)
    counts = Counter(min(max(one // width, low), high) for one in ordered)
    return tuple(
        Bin(
            place * width,
            (place + 1) * width,
            counts[place],
            open_below=place == low and first < low,
            open_above=place == high and last > high,
        )
        for place in range(low, high + 1)
    )


def _at(ordered: Sequence[int], percent: int) -> int:
    """The time at or below which so many percent lie."""
    return ordered[(len(ordered) - 1) * percent // 100]


def _round_up(width_ns: float) -> int:
    """The next of 10, 20, 50, 100, 200, ... nanoseconds."""
    power = _LEAST_WIDTH_NS
    while True:
        for digit in (1, 2, 5):
            if digit * power >= width_ns:
                return digit * power
        power *= 10
