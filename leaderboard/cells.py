"""What one cell of a board counts: rates over turns and over trajectories, the best ratio and the median one.

The rules, in one place. A turn that was never taken is not correct, unless our fault ended its trajectory. A struck
turn stays in the denominator and is not correct. A held turn and one without a verdict stay in the denominator and in
no numerator, and are one number, ``open``. Abandoned turns, those without a source and those that our fault kept from
being taken leave the denominator and are counted beside it. Nothing is carried forward from turn to turn.

A trajectory is solved by turn T when any of its first T turns is correct, whatever the others are. Not solved, it is
open while one of them is open; it leaves when our fault hides one of them, or when none of them is left to count.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from operator import attrgetter

from evaluation.core.run_words import TurnState
from evaluation.core.verdict import FamilyExecuted, MatrixPath
from leaderboard.statistics import Interval, Tally, median
from leaderboard.turns import Layout, Trajectory, TurnFacts, lay_out


class Unit(StrEnum):
    TURN = "turn"
    TRAJECTORY = "trajectory"


@dataclass(frozen=True, slots=True)
class Rate:
    """Hits among what counts, kept apart by prompt and trajectory, because an interval is taken over trajectories.

    ``declared`` is how many turns or trajectories the layout has; ``open`` of those that count have no verdict to show.
    ``sourceless`` of those that left did so because nobody sent their source.
    """

    unit: Unit
    tallies: tuple[tuple[Tally, ...], ...]
    declared: int
    open: int
    sourceless: int = 0

    @property
    def hits(self) -> int:
        return sum(one.hits for one in chain.from_iterable(self.tallies))

    @property
    def counted(self) -> int:
        """The denominator."""
        return sum(one.counted for one in chain.from_iterable(self.tallies))

    @property
    def left(self) -> int:
        """How many are in no denominator."""
        return self.declared - self.counted

    @property
    def judged(self) -> int:
        return self.counted - self.open

    @property
    def provisional(self) -> bool:
        return self.open > 0

    @property
    def share(self) -> float | None:
        """Give the rate; None where nothing is left to count."""
        return self.hits / self.counted if self.counted else None


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


@dataclass(frozen=True, slots=True)
class Cell:
    """Everything about the first ``turn_limit`` turns. ``family`` is the paper's rule, ``path`` the matrix path."""

    turn_limit: int
    correct: Rate
    family_correct: Rate
    path_correct: Rate
    solved: Rate
    family_solved: Rate
    path_solved: Rate
    fast: tuple[Fast, ...]
    best: Best | None
    median_ratio: float | None
    ratios: int
    beside: Beside


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
    grid = tuple(tuple(map(_seen, prompt)) for prompt in lay_out(facts, layout))
    return tuple(_cell(grid, limit, fast) for limit in turn_limits)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A trajectory with what is asked of its turns again and again: one answer a turn in each column."""

    turns: Trajectory
    correct: tuple[bool, ...]
    by_family: tuple[bool, ...]
    by_path: tuple[bool, ...]
    open: tuple[bool, ...]
    leaves: tuple[bool, ...]
    lost: tuple[bool, ...]
    sourceless: tuple[bool, ...]


_Grid = tuple[tuple[_Seen, ...], ...]
_Hits = Callable[
    [_Seen], Sequence[bool]
]  # one answer a turn; no for every turn that is not correct


def _seen(turns: Trajectory) -> _Seen:
    correct = tuple([one.is_correct for one in turns])
    pairs = tuple(zip(turns, correct, strict=True))
    return _Seen(
        turns=turns,
        correct=correct,
        by_family=tuple([yes and one.family is FamilyExecuted.YES for one, yes in pairs]),
        by_path=tuple([yes and one.matrix_path is MatrixPath.YES for one, yes in pairs]),
        open=tuple([one.is_open for one in turns]),
        leaves=tuple([one.leaves for one in turns]),
        lost=tuple([one.lost_by_us for one in turns]),
        sourceless=tuple([one.taken and one.state is TurnState.SOURCE_MISSING for one in turns]),
    )


def _cell(grid: _Grid, limit: int, fast: Sequence[float]) -> Cell:
    correct = [
        turn
        for one in chain.from_iterable(grid)
        for turn, yes in zip(one.turns[:limit], one.correct, strict=False)
        if yes
    ]
    ratios = [one.ratio for one in correct if one.ratio is not None]
    return Cell(
        turn_limit=limit,
        correct=_over_turns(grid, limit, _correct),
        family_correct=_over_turns(grid, limit, _by_family),
        path_correct=_over_turns(grid, limit, _by_path),
        solved=_over_trajectories(grid, limit, _correct),
        family_solved=_over_trajectories(grid, limit, _by_family),
        path_solved=_over_trajectories(grid, limit, _by_path),
        fast=tuple(Fast(p, _over_turns(grid, limit, _faster_than(p))) for p in fast),
        best=_best(correct),
        median_ratio=median(ratios) if ratios else None,
        ratios=len(ratios),
        beside=_beside(grid, limit, correct),
    )


def _over_turns(grid: _Grid, limit: int, hits: _Hits) -> Rate:
    return Rate(
        unit=Unit.TURN,
        tallies=tuple(
            tuple(
                [Tally(sum(hits(one)[:limit]), limit - sum(one.leaves[:limit])) for one in prompt]
            )
            for prompt in grid
        ),
        declared=limit * sum(map(len, grid)),
        open=sum([sum(one.open[:limit]) for one in chain.from_iterable(grid)]),
        sourceless=sum([sum(one.sourceless[:limit]) for one in chain.from_iterable(grid)]),
    )


def _over_trajectories(grid: _Grid, limit: int, hits: _Hits) -> Rate:
    return Rate(
        unit=Unit.TRAJECTORY,
        tallies=tuple(
            tuple([_trajectory_tally(one, limit, hits) for one in prompt]) for prompt in grid
        ),
        declared=sum(map(len, grid)),
        open=sum([_is_open(one, limit, hits) for one in chain.from_iterable(grid)]),
        sourceless=sum([_left_sourceless(one, limit, hits) for one in chain.from_iterable(grid)]),
    )


def _trajectory_tally(one: _Seen, limit: int, hits: _Hits) -> Tally:
    if any(hits(one)[:limit]):
        return Tally(1, 1)
    if any(one.open[:limit]):
        return Tally(0, 1)
    hidden = any(one.lost[:limit]) or all(one.leaves[:limit])
    return Tally(0, 0 if hidden else 1)


def _is_open(one: _Seen, limit: int, hits: _Hits) -> bool:
    return any(one.open[:limit]) and not any(hits(one)[:limit])


def _left_sourceless(one: _Seen, limit: int, hits: _Hits) -> bool:
    return any(one.sourceless[:limit]) and not _trajectory_tally(one, limit, hits).counted


_correct = attrgetter("correct")
_by_family = attrgetter("by_family")
_by_path = attrgetter("by_path")


def _faster_than(p: float) -> _Hits:
    return lambda one: [
        yes and turn.ratio is not None and turn.ratio > p
        for turn, yes in zip(one.turns, one.correct, strict=True)
    ]


def _best(correct: Iterable[TurnFacts]) -> Best | None:
    found: Best | None = None
    for one in correct:
        if one.ratio is not None and (found is None or one.ratio > found.ratio):
            found = Best(one.ratio, one.interval, one.prompt, one.trajectory, one.turn)
    return found


def _beside(grid: _Grid, limit: int, correct: Sequence[TurnFacts]) -> Beside:
    turns = [turn for one in chain.from_iterable(grid) for turn in one.turns[:limit]]
    taken = [one.state for one in turns if one.taken]
    ended_by_us = sum([one.ended_by_us for one in turns if not one.taken])
    return Beside(
        abandoned=taken.count(TurnState.ABANDONED),
        source_missing=taken.count(TurnState.SOURCE_MISSING),
        ended_by_us=ended_by_us,
        never_taken=len(turns) - len(taken) - ended_by_us,
        struck=taken.count(TurnState.STRUCK),
        family_unknown=sum([one.family is FamilyExecuted.UNKNOWN for one in correct]),
        path_unknown=sum([one.matrix_path is MatrixPath.UNKNOWN for one in correct]),
        ratio_unknown=sum([one.ratio is None for one in correct]),
    )
