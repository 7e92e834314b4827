"""Rates over the first turns of trajectories: over turns, and over trajectories as wholes.

A trajectory is solved by turn T when any of its first T turns is correct, whatever the others are. Not solved, it is
open while one of them is open; it leaves when our fault hides one of them, or when none of them is left to count.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain

from leaderboard.marks import LEAVING, LOST, OPEN, SOURCE_MISSING, how_many
from leaderboard.statistics import Tally


class Unit(StrEnum):
    TURN = "turn"
    TRAJECTORY = "trajectory"


@dataclass(frozen=True, slots=True)
class Rate:
    """Hits among what counts, kept apart by prompt and trajectory, because an interval is taken over trajectories.

    ``declared`` is how many turns or trajectories the layout has; ``counted`` of them are the denominator, and ``open``
    of those have no verdict to show. ``sourceless`` of those that left did so because nobody sent their source.
    """

    unit: Unit
    tallies: tuple[tuple[Tally, ...], ...]
    declared: int
    open: int
    sourceless: int = 0
    hits: int = field(init=False)
    counted: int = field(init=False)

    def __post_init__(self) -> None:
        every = list(chain.from_iterable(self.tallies))
        object.__setattr__(self, "hits", sum([one.hits for one in every]))
        object.__setattr__(self, "counted", sum([one.counted for one in every]))

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


Marked = Sequence[Sequence[bytes]]  # the marks of equally many turns of each trajectory, by prompt
Hits = Sequence[Sequence[int]]  # how many turns of each trajectory are hits


def over_turns(marked: Marked, hits: Hits) -> Rate:
    return Rate(
        unit=Unit.TURN,
        tallies=tuple(
            tuple([Tally(hit, len(one) - how_many(one, LEAVING)) for one, hit in prompt])
            for prompt in _pairs(marked, hits)
        ),
        declared=sum(map(len, chain.from_iterable(marked))),
        open=sum([one.count(OPEN) for one in chain.from_iterable(marked)]),
        sourceless=sum([one.count(SOURCE_MISSING) for one in chain.from_iterable(marked)]),
    )


def over_trajectories(marked: Marked, hits: Hits) -> Rate:
    pairs = list(_pairs(marked, hits))
    unsolved = [one for one, hit in chain.from_iterable(pairs) if not hit]
    return Rate(
        unit=Unit.TRAJECTORY,
        tallies=tuple(tuple([_of_trajectory(*pair) for pair in prompt]) for prompt in pairs),
        declared=sum(map(len, marked)),
        open=sum([OPEN in one for one in unsolved]),
        sourceless=sum([SOURCE_MISSING in one and _leaves(one) for one in unsolved]),
    )


def _pairs(marked: Marked, hits: Hits) -> Iterator[list[tuple[bytes, int]]]:
    for prompt, its in zip(marked, hits, strict=True):
        yield list(zip(prompt, its, strict=True))


def _of_trajectory(marked: bytes, hits: int) -> Tally:
    return Tally(1, 1) if hits else Tally(0, 0 if _leaves(marked) else 1)


def _leaves(unsolved: bytes) -> bool:
    """Whether a trajectory without a hit is in no denominator."""
    if OPEN in unsolved:
        return False
    return bool(how_many(unsolved, LOST)) or how_many(unsolved, LEAVING) == len(unsolved)
