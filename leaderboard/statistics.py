"""Averages and intervals. Every interval is at 95 % and exact arithmetic decides it: nothing is drawn by lot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.959963984540054  # quantile 0.975 of the normal distribution


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval of numbers, ``low`` not above ``high``."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise ValueError(f"no interval: {self.low} to {self.high}")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Tally:
    """Hits among the counted turns of one trajectory, or of a trajectory as one; nothing counted is no trajectory."""

    hits: int
    counted: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.counted:
            raise ValueError(f"{self.hits} hits of {self.counted}")


def median(values: Sequence[float]) -> float:
    """Take the middle value, or the mean of the two in the middle. At least one value."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def mean(values: Sequence[float]) -> float:
    """At least one value."""
    return math.fsum(values) / len(values)


def geometric_mean(values: Sequence[float]) -> float:
    """Take it over positive values, at least one."""
    return math.exp(mean([math.log(one) for one in values]))


def wilson(share: float, trials: float) -> Interval:
    """Give E. B. Wilson's score interval (JASA 22, 1927) of a share; ``trials`` is positive and may be a fraction."""
    squared = Z * Z / trials
    middle = (share + squared / 2) / (1 + squared)
    half = math.sqrt(share * (1 - share) * squared + squared * squared / 4) / (1 + squared)
    # At 1 the high end is the share itself, which rounding may miss to either side; at 0 the low end is exact.
    return Interval(min(share, middle - half), max(share, min(1.0, middle + half)))


def effective_trajectories(tallies: Sequence[Tally]) -> float:
    """Say how many trajectories of equal length weigh as much (L. Kish, "Survey Sampling", 1965).

    At least one tally has something counted.
    """
    counted = [one.counted for one in tallies]
    return sum(counted) ** 2 / sum(one * one for one in counted)


def wider_at_each_end(first: Interval, second: Interval) -> Interval:
    """Take the lower of the low ends and the higher of the high ends.

    Taking the wider interval as a whole could lower the end of a row that got one more turn right.
    """
    return Interval(min(first.low, second.low), max(first.high, second.high))


def mean_interval(values: Sequence[float], intervals: Sequence[Interval]) -> Interval:
    """Give the interval of the mean of independent values, each inside its own interval; at least one.

    The distances from value to end add in squares at each side (G. Y. Zou, A. Donner, "Construction of confidence
    limits about effect measures", Statistics in Medicine 27, 2008).
    """
    pairs = list(zip(values, intervals, strict=True))
    middle = mean(values)
    below = math.hypot(*(value - one.low for value, one in pairs)) / len(pairs)
    above = math.hypot(*(one.high - value for value, one in pairs)) / len(pairs)
    return Interval(middle - below, middle + above)


def geometric_mean_interval(values: Sequence[float], intervals: Sequence[Interval]) -> Interval:
    """Do the same to the geometric mean, in logarithms; every value and end is positive."""
    logs = [math.log(one) for one in values]
    ends = [Interval(math.log(one.low), math.log(one.high)) for one in intervals]
    found = mean_interval(logs, ends)
    middle = geometric_mean(values)
    # Rounding must not leave the value outside.
    return Interval(min(middle, math.exp(found.low)), max(middle, math.exp(found.high)))
