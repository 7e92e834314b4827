"""What one cell of a board counts: rates over turns and over trajectories, the best ratio and the median one.

What a turn counts as is said in leaderboard.marks, what a rate counts in leaderboard.rates.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import itemgetter

from leaderboard import marks
from leaderboard.marks import how_many
from leaderboard.rates import Hits, Marked, Rate, over_trajectories, over_turns
from leaderboard.statistics import Interval, median
from leaderboard.turns import Layout, TurnFacts, lay_out


@dataclass(frozen=True, slots=True)
class Fast:
    """Fast_p: the share of turns that are correct and strictly faster than ``p`` times the vendor."""

    p: float
    rate: Rate


@dataclass(frozen=True, slots=True)
class Best:
    """The turn with the best ratio, the first of equals."""

    ratio: float
    interval: Interval | None
    prompt: str
    trajectory: int
    turn: int


@dataclass(frozen=True, slots=True)
class Beside:
    """Turns shown beside the rates, each by its reason. Held turns are not here: they are among the open ones.

    The last three are correct turns of which the family, the matrix path or the ratio is not known.
    """

    abandoned: int
    source_missing: int
    ended_by_us: int
    never_taken: int
    struck: int
    family_unknown: int
    path_unknown: int
    ratio_unknown: int


@dataclass(frozen=True)
class Cell:
    """Everything about the first ``turn_limit`` turns; a rate is counted when it is asked for.

    ``family`` is the paper's rule, ``path`` the matrix path. ``ratios`` are those of correct turns that have one,
    in the order of the turns.
    """

    turn_limit: int
    marked: Marked
    best: Best | None
    ratios: tuple[float, ...]
    fast: tuple[Fast, ...]

    @cached_property
    def correct(self) -> Rate:
        return over_turns(self.marked, self._hits(marks.CORRECT))

    @cached_property
    def family_correct(self) -> Rate:
        return over_turns(self.marked, self._hits(marks.BY_FAMILY))

    @cached_property
    def path_correct(self) -> Rate:
        return over_turns(self.marked, self._hits(marks.BY_PATH))

    @cached_property
    def solved(self) -> Rate:
        return over_trajectories(self.marked, self._hits(marks.CORRECT))

    @cached_property
    def family_solved(self) -> Rate:
        return over_trajectories(self.marked, self._hits(marks.BY_FAMILY))

    @cached_property
    def path_solved(self) -> Rate:
        return over_trajectories(self.marked, self._hits(marks.BY_PATH))

    @property
    def median_ratio(self) -> float | None:
        return median(self.ratios) if self.ratios else None

    @property
    def beside(self) -> Beside:
        every = b"".join(chain.from_iterable(self.marked))
        return Beside(
            abandoned=every.count(marks.ABANDONED),
            source_missing=every.count(marks.SOURCE_MISSING),
            ended_by_us=every.count(marks.ENDED_BY_US),
            never_taken=every.count(marks.NEVER_TAKEN),
            struck=every.count(marks.STRUCK),
            family_unknown=how_many(every, marks.FAMILY_UNKNOWN),
            path_unknown=how_many(every, marks.PATH_UNKNOWN),
            ratio_unknown=how_many(every, marks.CORRECT) - len(self.ratios),
        )

    def _hits(self, letters: bytes) -> Hits:
        return [[how_many(one, letters) for one in prompt] for prompt in self.marked]


def count(
    facts: Iterable[TurnFacts], layout: Layout, turn_limit: int, fast: Sequence[float] = ()
) -> Cell:
    """Count a cell, Fast_p for each p of ``fast``. Raise ValueError for facts or a limit outside the layout."""
    return count_each(facts, layout, (turn_limit,), fast)[0]


def count_each(
    facts: Iterable[TurnFacts],
    layout: Layout,
    turn_limits: Sequence[int],
    fast: Sequence[float] = (),
) -> tuple[Cell, ...]:
    """Count a cell for each turn limit, as ``count`` does; what a turn is gets asked once for all of them."""
    for limit in turn_limits:
        if not 1 <= limit <= layout.turns:
            raise ValueError(f"turn limit {limit} is not among the {layout.turns} declared turns")
    seen = [[_Seen.of(one) for one in prompt] for prompt in lay_out(facts, layout)]
    return tuple([_cell(seen, limit, fast) for limit in turn_limits])


@dataclass(frozen=True, slots=True)
class _Seen:
    """A trajectory: its marks, and its correct turns that have a ratio, each with it."""

    marks: bytes
    timed: tuple[tuple[float, TurnFacts], ...]

    @classmethod
    def of(cls, turns: Sequence[TurnFacts]) -> "_Seen":
        timed = [(one.ratio, one) for one in turns if one.ratio is not None and one.is_correct]
        return cls(marks.marks(turns), tuple(timed))


def _cell(seen: Sequence[Sequence[_Seen]], limit: int, fast: Sequence[float]) -> Cell:
    marked = [[one.marks[:limit] for one in prompt] for prompt in seen]
    timed = [
        pair for one in chain.from_iterable(seen) for pair in one.timed if pair[1].turn < limit
    ]
    return Cell(
        turn_limit=limit,
        marked=marked,
        best=_best(timed),
        ratios=tuple([ratio for ratio, _ in timed]),
        fast=tuple([Fast(p, over_turns(marked, _faster(seen, limit, p))) for p in fast]),
    )


def _faster(seen: Sequence[Sequence[_Seen]], limit: int, p: float) -> Hits:
    return [
        [sum([ratio > p and turn.turn < limit for ratio, turn in one.timed]) for one in prompt]
        for prompt in seen
    ]


def _best(timed: Sequence[tuple[float, TurnFacts]]) -> Best | None:
    if not timed:
        return None
    ratio, one = max(timed, key=itemgetter(0))  # the first of equals
    return Best(ratio, one.interval, one.prompt, one.trajectory, one.turn)
