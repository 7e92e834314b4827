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

from evaluation.core.verdict import FamilyExecuted, MatrixPath
from leaderboard.statistics import Interval, Tally, median
from leaderboard.turns import Grid, Layout, Trajectory, TurnFacts, TurnState, lay_out

Hit = Callable[[TurnFacts], bool]


class Unit(StrEnum):
    TURN = "turn"
    TRAJECTORY = "trajectory"


@dataclass(frozen=True, slots=True)
class Rate:
    """Hits among what counts, kept apart by prompt and trajectory, because an interval is taken over trajectories.

    ``declared`` is how many turns or trajectories the layout has; ``open`` of those that count have no verdict to show.
    """

    unit: Unit
    tallies: tuple[tuple[Tally, ...], ...]
    declared: int
    open: int

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
    if not 1 <= turn_limit <= layout.turns:
        raise ValueError(f"turn limit {turn_limit} is not among the {layout.turns} declared turns")
    grid = first_turns(lay_out(facts, layout), turn_limit)
    ratios = [one.ratio for one in _turns(grid) if one.is_correct and one.ratio is not None]
    return Cell(
        turn_limit=turn_limit,
        correct=over_turns(grid, _correct),
        family_correct=over_turns(grid, _by_family),
        path_correct=over_turns(grid, _by_path),
        solved=over_trajectories(grid, _correct),
        family_solved=over_trajectories(grid, _by_family),
        path_solved=over_trajectories(grid, _by_path),
        fast=tuple(Fast(p, over_turns(grid, _faster_than(p))) for p in fast),
        best=_best(grid),
        median_ratio=median(ratios) if ratios else None,
        ratios=len(ratios),
        beside=_beside(grid),
    )


def first_turns(grid: Grid, turn_limit: int) -> Grid:
    return tuple(tuple(one[:turn_limit] for one in prompt) for prompt in grid)


def over_turns(grid: Grid, hit: Hit) -> Rate:
    """Count turns. ``hit`` is asked for any turn and must say no to one that is not correct."""
    return Rate(
        unit=Unit.TURN,
        tallies=tuple(tuple(_turn_tally(one, hit) for one in prompt) for prompt in grid),
        declared=sum(1 for _ in _turns(grid)),
        open=sum(one.is_open for one in _turns(grid)),
    )


def over_trajectories(grid: Grid, hit: Hit) -> Rate:
    """Count trajectories with any hit; ``hit`` as for turns."""
    return Rate(
        unit=Unit.TRAJECTORY,
        tallies=tuple(tuple(_trajectory_tally(one, hit) for one in prompt) for prompt in grid),
        declared=sum(len(prompt) for prompt in grid),
        open=sum(_is_open(one, hit) for prompt in grid for one in prompt),
    )


def _turn_tally(trajectory: Trajectory, hit: Hit) -> Tally:
    return Tally(
        hits=sum(hit(one) for one in trajectory),
        counted=sum(not one.leaves for one in trajectory),
    )


def _trajectory_tally(trajectory: Trajectory, hit: Hit) -> Tally:
    if any(hit(one) for one in trajectory):
        return Tally(1, 1)
    if _is_open(trajectory, hit):
        return Tally(0, 1)
    hidden = any(one.lost_by_us for one in trajectory) or all(one.leaves for one in trajectory)
    return Tally(0, 0 if hidden else 1)


def _is_open(trajectory: Trajectory, hit: Hit) -> bool:
    return not any(hit(one) for one in trajectory) and any(one.is_open for one in trajectory)


def _correct(turn: TurnFacts) -> bool:
    return turn.is_correct


def _by_family(turn: TurnFacts) -> bool:
    return turn.is_correct and turn.family is FamilyExecuted.YES


def _by_path(turn: TurnFacts) -> bool:
    return turn.is_correct and turn.matrix_path is MatrixPath.YES


def _faster_than(p: float) -> Hit:
    return lambda turn: turn.is_correct and turn.ratio is not None and turn.ratio > p


def _best(grid: Grid) -> Best | None:
    found: Best | None = None
    for one in _turns(grid):
        if one.is_correct and one.ratio is not None and (found is None or one.ratio > found.ratio):
            found = Best(one.ratio, one.interval, one.prompt, one.trajectory, one.turn)
    return found


def _beside(grid: Grid) -> Beside:
    turns = tuple(_turns(grid))
    taken = [one.state for one in turns if one.taken]
    correct = [one for one in turns if one.is_correct]
    return Beside(
        abandoned=taken.count(TurnState.ABANDONED),
        source_missing=taken.count(TurnState.SOURCE_MISSING),
        ended_by_us=sum(one.ended_by_us for one in turns if not one.taken),
        never_taken=sum(not one.ended_by_us for one in turns if not one.taken),
        struck=taken.count(TurnState.STRUCK),
        family_unknown=sum(one.family is FamilyExecuted.UNKNOWN for one in correct),
        path_unknown=sum(one.matrix_path is MatrixPath.UNKNOWN for one in correct),
        ratio_unknown=sum(one.ratio is None for one in correct),
    )


def _turns(grid: Grid) -> Iterable[TurnFacts]:
    return (turn for prompt in grid for one in prompt for turn in one)
