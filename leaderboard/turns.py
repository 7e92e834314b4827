"""The turns of one model on one problem as one board sees them, laid out as the entry declared them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from evaluation.core.run_words import TurnState
from evaluation.core.verdict import FamilyExecuted, MatrixPath
from leaderboard.statistics import Interval

MOST_TURNS = (
    100_000  # of one layout: every declared turn is visited, and the layout is an uploader's word
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How many prompts, trajectories of a prompt and turns of a trajectory were declared; at least one of each."""

    prompts: int
    trajectories: int
    turns: int

    def __post_init__(self) -> None:
        if min(self.prompts, self.trajectories, self.turns) < 1:
            raise ValueError(f"a layout needs at least one of each, not {self}")
        if self.prompts * self.trajectories * self.turns > MOST_TURNS:
            raise ValueError(f"a layout has at most {MOST_TURNS} turns, not as many as {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """One turn, 0-based. On a speed board ``state`` and ``ratio`` are those of its device, on others of the target.

    ``correct``, ``family``, ``matrix_path`` and ``ratio`` count only where the turn was taken and is JUDGED.
    ``ended_by_us`` says of the whole trajectory that our fault ended it; ``state`` of a turn not taken says nothing.
    ``ratio`` is the vendor's time over the kernel's, ``interval`` its interval.
    """

    prompt: str
    trajectory: int
    turn: int
    taken: bool = True
    ended_by_us: bool = False
    state: TurnState = TurnState.JUDGED
    correct: bool = False
    family: FamilyExecuted = FamilyExecuted.UNKNOWN
    matrix_path: MatrixPath = MatrixPath.UNKNOWN
    ratio: float | None = None
    interval: Interval | None = None

    def __post_init__(self) -> None:
        if self.ratio is not None and not (math.isfinite(self.ratio) and self.ratio > 0):
            raise ValueError(f"a ratio is a positive number, not {self.ratio}")
        if self.interval is not None and (self.ratio is None or self.ratio not in self.interval):
            raise ValueError(f"the interval {self.interval} does not hold the ratio {self.ratio}")

    @property
    def is_correct(self) -> bool:
        return self.taken and self.state is TurnState.JUDGED and self.correct


Trajectory = tuple[TurnFacts, ...]  # every declared turn in order
Grid = tuple[tuple[Trajectory, ...], ...]  # every declared trajectory of every declared prompt


def lay_out(facts: Iterable[TurnFacts], layout: Layout) -> Grid:
    """Put each turn in its place; a place without a fact is a turn never taken.

    Raise ValueError for a turn that stands twice or lies outside the layout.
    """
    ordered = sorted(facts, key=lambda one: (one.prompt, one.trajectory, one.turn))
    prompts = [list(some) for _, some in groupby(ordered, key=lambda one: one.prompt)]
    if len(prompts) > layout.prompts:
        raise ValueError(f"{len(prompts)} prompts have turns, {layout.prompts} were declared")
    unseen = ((),) * (layout.prompts - len(prompts))
    return tuple(_prompt(some, layout) for some in (*prompts, *unseen))


def _prompt(facts: Sequence[TurnFacts], layout: Layout) -> tuple[Trajectory, ...]:
    seen = [list(some) for _, some in groupby(facts, key=lambda one: one.trajectory)]
    if len(seen) > layout.trajectories:
        raise ValueError(
            f"{len(seen)} trajectories of prompt {facts[0].prompt!r} have turns, "
            f"{layout.trajectories} were declared"
        )
    unseen = ((),) * (layout.trajectories - len(seen))
    return tuple(_trajectory(some, layout.turns) for some in (*seen, *unseen))


def _trajectory(facts: Sequence[TurnFacts], turns: int) -> Trajectory:
    by_turn = {one.turn: one for one in facts}
    if len(by_turn) < len(facts):
        raise ValueError(f"a turn of {_name(facts[0])} stands twice")
    outside = [turn for turn in by_turn if not 0 <= turn < turns]
    if outside:
        raise ValueError(f"turn {outside[0]} of {_name(facts[0])} is none of the {turns} declared")
    ours = any(one.ended_by_us for one in facts)
    prompt, trajectory = (facts[0].prompt, facts[0].trajectory) if facts else ("", -1)
    return tuple(
        by_turn[turn]
        if turn in by_turn and by_turn[turn].taken
        else TurnFacts(
            prompt=prompt, trajectory=trajectory, turn=turn, taken=False, ended_by_us=ours
        )
        for turn in range(turns)
    )


def _name(fact: TurnFacts) -> str:
    return f"trajectory {fact.trajectory} of prompt {fact.prompt!r}"
