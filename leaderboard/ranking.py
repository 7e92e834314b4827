"""The order of a board and the ranks of its rows, which are ranges: what overlaps is not told apart.

A row's best rank is one more than the rows that are surely better, its worst rank the number of ranked rows that are
not surely worse. Surely better is a row whose lower end lies above this one's upper end.

This is the definition. Boards are placed by the database in one statement (projection/placing.py), which a test holds
against it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from leaderboard.estimates import Estimate, Unranked


class Provenance(StrEnum):
    """Where a value comes from: our judge, an upload's own word, or a publication that staff imported."""

    VERIFIED = "verified"
    REPORTED = "reported"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class Contender:
    """What stands on a board under ``key``, which is unique there.

    Between equals the smaller ``entry`` comes first and then the key: entries are numbered as they are handed in, so
    that a copy of what somebody showed never stands before it. 0 is of none.

    ``unranked`` is a reason that has nothing to do with the value, and comes before the estimate's own.
    """

    key: str
    estimate: Estimate
    provenance: Provenance = Provenance.VERIFIED
    unranked: Unranked | None = None
    entry: int = 0

    @property
    def why_unranked(self) -> Unranked | None:
        if self.provenance is Provenance.REPORTED:
            return Unranked.NOT_VERIFIED
        return self.unranked or self.estimate.unranked


@dataclass(frozen=True, slots=True)
class Rank:
    """``place`` is the row's place in the order, never outside ``best`` to ``worst``; all are 1-based."""

    place: int
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """``rank`` is None exactly where ``unranked`` says why."""

    key: str
    rank: Rank | None
    unranked: Unranked | None = None


def rank(contenders: Iterable[Contender]) -> tuple[Ranked, ...]:
    """Order a board: ranked rows by value, equals by interval, entry and key, after them the unranked ones likewise.

    The order of the argument does not matter. Raise ValueError for a key that comes twice and for values of different
    provenance, which are never ranked together.
    """
    every = sorted(contenders, key=_order)
    if len({one.key for one in every}) < len(every):
        raise ValueError("a key stands twice on one board")
    if len({one.provenance for one in every}) > 1:
        raise ValueError("values of different provenance are never ranked together")
    ranked = [one for one in every if one.why_unranked is None]
    unranked = [one for one in every if one.why_unranked is not None]
    ranks = zip(ranked, _ranks([_ends(one) for one in ranked]), strict=True)
    return (
        *(Ranked(one.key, its) for one, its in ranks),
        *(Ranked(one.key, None, one.why_unranked) for one in unranked),
    )


def _ranks(ends: Sequence[tuple[float, float]]) -> list[Rank]:
    lows = sorted(low for low, _ in ends)
    highs = sorted(high for _, high in ends)
    total = len(ends)
    return [
        Rank(
            place=place,
            best=1 + total - bisect_right(lows, high),
            worst=total - bisect_left(highs, low),
        )
        for place, (low, high) in enumerate(ends, start=1)
    ]


def _order(one: Contender) -> tuple[float, float, float, int, str]:
    """Higher first; rows without a value come last."""
    low, high = _ends(one)
    value = one.estimate.value
    return (float("inf") if value is None else -value, -low, -high, one.entry, one.key)


def _ends(one: Contender) -> tuple[float, float]:
    interval = one.estimate.interval
    return (interval.low, interval.high) if interval is not None else (0.0, 0.0)
