"""Places the rows of one board: each turn limit and provenance is a contest of its own."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from leaderboard.estimates import Estimate, Unranked
from leaderboard.ranking import Contender, Provenance, rank
from leaderboard.statistics import Interval


@dataclass(frozen=True, slots=True)
class Standing:
    """What of a row decides where it stands."""

    subject: str
    turn_limit: int
    provenance: str
    value: float | None
    low: float | None
    high: float | None
    unranked_why: str

    @property
    def key(self) -> "Key":
        return (self.subject, self.turn_limit, self.provenance)


Key = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Position:
    """``position`` counts all rows of the contest from 1, the unranked ones last; ranks are None for those."""

    position: int
    rank_low: int | None
    rank_high: int | None


def positions(rows: Iterable[Standing]) -> dict[Key, Position]:
    """Place every row. The order of the argument does not matter."""
    contests: defaultdict[tuple[int, str], list[Standing]] = defaultdict(list)
    for one in rows:
        contests[one.turn_limit, one.provenance].append(one)
    return {
        (ranked.key, *contest): Position(
            position=position,
            rank_low=ranked.rank.best if ranked.rank else None,
            rank_high=ranked.rank.worst if ranked.rank else None,
        )
        for contest, several in contests.items()
        for position, ranked in enumerate(rank(_contender(one) for one in several), start=1)
    }


def _contender(one: Standing) -> Contender:
    interval = Interval(one.low, one.high) if one.low is not None and one.high is not None else None
    unranked = Unranked(one.unranked_why) if one.unranked_why else None
    estimate = Estimate(one.value, interval, unranked)
    return Contender(one.subject, estimate, Provenance(one.provenance))
