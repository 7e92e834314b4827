"""The order of a measurement: which pair comes when, on which buffers, and which are counted, from given random bits.

The referee follows a schedule that it fixed before the first pair. Nothing of it reaches a launcher but one call at a
time.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto, unique

from evaluation.core.measure.seen import Side
from evaluation.core.timing.budget import CANARIES, VENDOR_HELD_CALLS, Counts, Known, counts
from evaluation.core.timing.draws import Draws


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """One candidate call and one vendor call on the inputs of buffer set ``set``.

    ``place`` counts the pairs of a launcher from 0, warm-up apart. ``counted``: hardware counters are on in the
    candidate's call; its time does not rank. ``last_of_reading``: with it a reading is complete. ``canary``: a canary
    runs before this pair. ``graded``: the oracle is asked about it, for the precision grade (rule C6).
    """

    place: int
    candidate_first: bool
    set: int
    end_aligned: bool
    counted: bool = False
    last_of_reading: bool = False
    canary: bool = False
    graded: bool = False


@unique
class _Kind(Enum):
    RANKED = auto()
    COUNTED = auto()
    COUNTED_LAST = auto()


@dataclass(frozen=True, slots=True)
class PlannedSlope:
    """``calls`` and then twice as many calls of one side back to back, on ``short_sets`` and ``long_sets``.

    ``held``: each row is enqueued before its first call begins, so the host's time is in neither.
    """

    side: Side
    calls: int
    short_sets: tuple[int, ...]
    long_sets: tuple[int, ...]
    held: bool


@dataclass(frozen=True, slots=True)
class LauncherSchedule:
    """What one launcher process does, in this order; ``budget.warm_up_goes_on`` may end the warm-up early."""

    warm_up: tuple[PlannedPair, ...]
    pairs: tuple[PlannedPair, ...]
    slopes: tuple[PlannedSlope, ...]


@dataclass(frozen=True, slots=True)
class Schedule:
    """``launchers`` is empty where the time limit leaves no room; then there is no speed.

    ``asked_pairs`` ranked pairs are asked of the first launcher, at most two fewer of the others. ``readings`` of the
    counters are to be had from the counted pairs of the first launcher: ``passes`` of them in a row make one, and at
    least one ranked pair stands between two readings.
    """

    launchers: tuple[LauncherSchedule, ...]
    asked_pairs: int
    readings: int


def schedule(known: Known, seed: bytes) -> Schedule:
    """Lay down a measurement. ``seed`` is random, at least 16 bytes, new for every kernel and never told."""
    numbers = counts(known)
    launchers = tuple(_launcher(known, numbers, place, seed) for place in range(len(numbers.pairs)))
    return Schedule(
        _with_a_graded_pair(launchers, Draws(seed, "graded")),
        max(numbers.pairs, default=0),
        numbers.readings,
    )


def _with_a_graded_pair(
    launchers: tuple[LauncherSchedule, ...], draws: Draws
) -> tuple[LauncherSchedule, ...]:
    """Choose one ranked pair of all: the checked calls are the first, which a kernel can know."""
    ranked = [
        (launcher, pair.place)
        for launcher, part in enumerate(launchers)
        for pair in part.pairs
        if not pair.counted
    ]
    chosen = draws.some(ranked, min(1, len(ranked)))
    return tuple(
        replace(
            part,
            pairs=tuple(replace(one, graded=(launcher, one.place) in chosen) for one in part.pairs),
        )
        for launcher, part in enumerate(launchers)
    )


def _launcher(known: Known, numbers: Counts, place: int, seed: bytes) -> LauncherSchedule:
    draws = Draws(seed, f"launcher {place}")
    readings = numbers.readings if place == 0 else 0
    kinds = _kinds(draws, numbers.pairs[place], readings, known.passes)
    return LauncherSchedule(
        warm_up=_pairs(draws, (_Kind.RANKED,) * numbers.warm_up[place], known.sets),
        pairs=_pairs(draws, kinds, known.sets, canaries=CANARIES // len(numbers.pairs)),
        slopes=_slopes(draws, known, numbers, first=place == 0),
    )


def _kinds(draws: Draws, ranked: int, readings: int, passes: int) -> tuple[_Kind, ...]:
    """Put each reading, whole, before a ranked pair drawn by lot or behind the last one: never two side by side."""
    reading = (*(_Kind.COUNTED,) * (passes - 1), _Kind.COUNTED_LAST)
    kinds = [_Kind.RANKED] * ranked
    # From the end, so that the places before stay what they were.
    for place in sorted(draws.some(range(ranked + 1), readings), reverse=True):
        kinds[place:place] = reading
    return tuple(kinds)


def _pairs(
    draws: Draws, kinds: tuple[_Kind, ...], sets: int, *, canaries: int = 0
) -> tuple[PlannedPair, ...]:
    ranked = [place for place, kind in enumerate(kinds) if kind is _Kind.RANKED]
    # Counted pairs have an order of their own, so that the ranked ones stay balanced.
    orders = {True: _orders(draws, len(ranked)), False: _orders(draws, len(kinds) - len(ranked))}
    watched = frozenset(draws.some(ranked, canaries))
    buffers = _rotation(draws, len(kinds), sets)
    end_first = draws.flag()
    return tuple(
        PlannedPair(
            place=place,
            candidate_first=orders[kind is _Kind.RANKED].pop(),
            set=buffers[place],
            end_aligned=(place % 2 == 0) == end_first,
            counted=kind is not _Kind.RANKED,
            last_of_reading=kind is _Kind.COUNTED_LAST,
            canary=place in watched,
        )
        for place, kind in enumerate(kinds)
    )


def _orders(draws: Draws, pairs: int) -> list[bool]:
    """Give ``candidate_first`` of each pair: blocks of two, each ABBA or BAAB by a toss."""
    tosses = [draws.flag() for _ in range(-(-pairs // 2))]
    return [first for toss in tosses for first in (toss, not toss)][:pairs]


def _rotation(draws: Draws, calls: int, sets: int) -> tuple[int, ...]:
    """Choose a set for each call at random, never the one of the call before (rule S3)."""
    chosen: list[int] = []
    for _ in range(calls):
        before = chosen[-1:]
        others = [one for one in range(sets) if one not in before]
        chosen.append(others[draws.below(len(others))])
    return tuple(chosen)


def _slopes(
    draws: Draws, known: Known, numbers: Counts, *, first: bool
) -> tuple[PlannedSlope, ...]:
    if not numbers.slope_calls:
        return ()
    candidate = _slope(draws, Side.CANDIDATE, numbers.slope_calls, known.sets, known.held_calls)
    if not first:
        return (candidate,)
    # The vendor's own slope shows whether clocks fell in back-to-back calls: then no candidate is to blame.
    vendor = _slope(draws, Side.VENDOR, numbers.vendor_slope_calls, known.sets, VENDOR_HELD_CALLS)
    return (candidate, vendor)


def _slope(draws: Draws, side: Side, calls: int, sets: int, held: int) -> PlannedSlope:
    short, long = _round(draws, calls, sets), _round(draws, 2 * calls, sets)
    return PlannedSlope(side, calls, short, long, held=2 * calls <= held)


def _round(draws: Draws, calls: int, sets: int) -> tuple[int, ...]:
    """Go round all sets in one random order, so that every call has its own where there are enough."""
    order = draws.some(range(sets), sets)
    return tuple(order[call % sets] for call in range(calls))
