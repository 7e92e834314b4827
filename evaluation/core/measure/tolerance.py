"""The comparison of one output in plain Python: what the trusted compare kernel has to find.

An element is wrong only if |x - y| > max(atol, rtol * |y|), with every operation in single precision on the values as
they are stored. evaluation/native/gpu/compare.cuh is the kernel.
"""

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.measure import cells
from evaluation.core.measure.seen import Element, OutputSeen


@dataclass(frozen=True, slots=True)
class Limits:
    """As the kernel gets them: rounded to single precision."""

    atol: float
    rtol: float

    def outside(self, got: float, expected: float, *, times: float = 1.0) -> bool:
        """Whether two finite values are further apart than ``times`` (a power of two) the tolerance."""
        return single_distance(got, expected) > times * self.at(expected)

    def at(self, expected: float) -> float:
        """The largest difference that passes beside ``expected``."""
        return max(single(self.atol), single(single(self.rtol) * abs(expected)))


@dataclass(frozen=True, slots=True)
class ComparedOutput:
    """What a comparison found. Expected or oracle values that are not finite are our own fault, never a pass."""

    seen: OutputSeen
    expected_nonfinite: int
    oracle_nonfinite: int


def compare(
    got: Sequence[float],
    expected: Sequence[float],
    oracle: Sequence[float] | None,
    *,
    name: str,
    shape: tuple[int, ...],
    limits: Limits,
) -> ComparedOutput:
    """Compare element by element; all three are single-precision values in memory order."""
    sums = [0.0, 0.0]
    counts = {"nonfinite": 0, "outside": 0, "outside_both": 0, "outside_fourfold": 0}
    ours = {"expected": 0, "oracle": 0}
    map_rows, map_columns = cells.cells(shape)
    map_counts = [0] * (map_rows * map_columns)
    first: int | None = None
    worst: int | None = None
    worst_distance = 0.0
    for place, (mine, theirs) in enumerate(zip(got, expected, strict=True)):
        exact = None if oracle is None else oracle[place]
        bad_expected = not math.isfinite(theirs)
        bad_oracle = exact is not None and not math.isfinite(exact)
        ours["expected"] += bad_expected
        ours["oracle"] += bad_oracle
        if not math.isfinite(mine):
            counts["nonfinite"] += 1
            first = place if first is None else first
            continue
        if bad_expected or bad_oracle:
            continue
        distance = single_distance(mine, theirs)
        if distance > worst_distance:
            worst, worst_distance = place, distance
        if exact is not None:
            sums[0] += (mine - exact) ** 2
            sums[1] += (theirs - exact) ** 2
        if limits.outside(mine, theirs):
            first = place if first is None else first
            counts["outside"] += 1
            counts["outside_both"] += exact is None or limits.outside(mine, exact)
            counts["outside_fourfold"] += limits.outside(mine, theirs, times=4.0)
            map_counts[cells.cell_of(place, shape)] += 1
    is_mapped = counts["outside"] > 0
    seen = OutputSeen(
        name=name,
        elements=len(got),
        **counts,
        first=_element(first, got, expected, shape),
        worst=_element(worst, got, expected, shape),
        square_error=None if oracle is None else sums[0],
        vendor_square_error=None if oracle is None else sums[1],
        map_rows=map_rows if is_mapped else 0,
        map_columns=map_columns if is_mapped else 0,
        map_counts=tuple(map_counts) if is_mapped else (),
    )
    return ComparedOutput(seen, ours["expected"], ours["oracle"])


def element(index: tuple[int, ...], expected: float, got: float) -> Element:
    """An element for people: a value that is not finite is told by its word."""
    if math.isfinite(got):
        return Element(index, expected, got)
    if math.isnan(got):
        return Element(index, expected, None, "nan")
    return Element(index, expected, None, "inf" if got > 0 else "-inf")


def single(value: float) -> float:
    """``value`` rounded to single precision; beyond its range, an infinity."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def single_distance(one: float, other: float) -> float:
    """|one - other| in single precision."""
    return abs(single(one - other))


def _element(
    place: int | None, got: Sequence[float], expected: Sequence[float], shape: tuple[int, ...]
) -> Element | None:
    if place is None:
        return None
    return element(cells.index_of(place, shape), expected[place], got[place])
