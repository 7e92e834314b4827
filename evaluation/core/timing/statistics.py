"""The ratio of a kernel to the vendor library and its interval, from pairs inside launcher processes.

The ratio is the median of vendor time over candidate time, pair by pair. Three things widen its interval, and the
widest counts at each end:

- between processes: Student's t at 95 % over the logarithms of each process's median, since calls inside one process
  share its luck (T. Kalibera, R. Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013);
- between pairs: the order statistics around the median that hold it with 95 % whatever the distribution is
  (W. R. Thompson, "On Confidence Ranges for the Median", Annals of Mathematical Statistics 7, 1936);
- the device's published run-to-run spread for the problem, to each side.

A single process has no spread between processes; then the other two count.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from evaluation.core.measure.seen import PairSeen

_MISSED = Fraction(5, 100)
# Quantile 0.975 of Student's t for 1, 2, ... degrees of freedom; beyond the table its last value is on the safe side.
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Above 1 is faster than the vendor. ``medians`` are those of each launcher, in the order of launchers."""

    value: Fraction
    low: Fraction
    high: Fraction
    medians: tuple[Fraction, ...]
    pairs: int

    @property
    def width(self) -> Fraction:
        """The interval's width as a share of the ratio."""
        return (self.high - self.low) / self.value


def ratio_of(pairs: Sequence[PairSeen], spread: Fraction) -> Ratio:
    """Take the ratio over ranked pairs, at least one, all times positive. ``spread`` is a share, such as 5/1000."""
    ratios: dict[int, list[Fraction]] = {}
    for pair in pairs:
        one = Fraction(pair.vendor.event_ns, pair.candidate.event_ns)
        ratios.setdefault(pair.launcher, []).append(one)
    every = sorted(one for some in ratios.values() for one in some)
    value = median(every)
    medians = tuple(median(ratios[launcher]) for launcher in sorted(ratios))
    between = Fraction(math.exp(_half_width(medians)))
    below, above = median_range(every)
    return Ratio(
        value=value,
        low=min(value / between, below, value * (1 - spread)),
        high=max(value * between, above, value * (1 + spread)),
        medians=medians,
        pairs=len(every),
    )


def median(values: Sequence[Fraction]) -> Fraction:
    """Take the middle value, or the mean of the two in the middle."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def median_ns(times: Sequence[int]) -> int:
    """Take the median of integer nanoseconds, rounded down to one."""
    return math.floor(median([Fraction(one) for one in times]))


def median_range(ordered: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Give the k-th value from either end, k as large as 95 % allow; below six values the first and the last."""
    count = len(ordered)
    outside, rank = 0, 0
    while 2 * (outside + math.comb(count, rank)) <= _MISSED * 2**count:
        outside += math.comb(count, rank)
        rank += 1
    place = max(rank, 1) - 1
    return ordered[place], ordered[count - 1 - place]


def _half_width(medians: Sequence[Fraction]) -> float:
    count = len(medians)
    if count == 1:
        return 0.0
    logs = [math.log(one) for one in medians]
    mean = math.fsum(logs) / count
    variance = math.fsum((one - mean) ** 2 for one in logs) / (count - 1)
    return _STUDENT[min(count - 1, len(_STUDENT)) - 1] * math.sqrt(variance / count)
