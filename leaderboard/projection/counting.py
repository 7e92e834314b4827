"""Counts the cells of a subject: one a judge series, device and turn limit, beside them those by its own word."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter

from leaderboard.cells import Best, Cell, count_each
from leaderboard.projection.past import RunFact, Scope, Subject
from leaderboard.projection.turn_states import (
    Judged,
    as_reported,
    devices_of,
    first_measured,
    judged,
    judges_of,
    on_device,
    on_target,
)
from leaderboard.standing import STANDARD_LIMITS, Advance
from leaderboard.turns import TurnFacts


@dataclass(frozen=True, slots=True)
class BestTurn:
    """Where the best ratio was reached; without a run where only the upload says so."""

    trajectory: str
    turn: int
    kernel: str
    run: RunFact | None


@dataclass(frozen=True, slots=True)
class Counted:
    """One cell. ``device`` is empty where the cell is of the target; ``devices`` names those that turns of it ran on.

    ``advances`` are given at the largest turn limit alone.
    """

    subject: Subject
    judge: str
    device: str
    devices: tuple[str, ...]
    turn_limit: int
    cell: Cell
    best: BestTurn | None = None
    advances: tuple[Advance, ...] = ()


def turn_limits(subject: Subject) -> tuple[int, ...]:
    """A single kernel stands beside entries of any number of turns."""
    if subject.entry.single_kernel:
        return STANDARD_LIMITS
    declared = subject.entry.layout.turns
    return tuple(sorted({one for one in STANDARD_LIMITS if one <= declared} | {declared}))


def counted(subject: Subject, scope: Scope) -> Iterator[Counted]:
    """Every verified cell of the subject."""
    for judge in judges_of(subject, scope.judge):
        turns = judged(subject, judge)
        devices = devices_of(turns)
        if not subject.entry.single_kernel:
            facts, measured = on_target(subject, turns), first_measured(turns)
            for limit, cell in _cells(subject, facts):
                there = tuple(sorted(one for one, turn in measured.items() if turn < limit))
                yield Counted(subject, judge, "", there, limit, cell)
        for device in devices:
            yield from _counted_on(subject, judge, device, turns)


def counted_as_reported(subject: Subject) -> Iterator[Counted]:
    """The cells by the upload's own word; none where it says nothing."""
    said = (turn.reported for one in subject.trajectories for turn in one.turns)
    if not any(one and (one.correct is not None or one.speedup is not None) for one in said):
        return
    for limit, cell in _cells(subject, as_reported(subject)):
        best = _best_reported(subject, cell.best) if cell.best else None
        yield Counted(subject, "", subject.reported_device, (), limit, cell, best)


def _counted_on(
    subject: Subject, judge: str, device: str, turns: Sequence[Judged]
) -> Iterator[Counted]:
    facts = on_device(subject, turns, device)
    last = turn_limits(subject)[-1]
    for limit, cell in _cells(subject, facts):
        best = _best_turn(turns, cell.best, device) if cell.best else None
        advances = _advances(subject, turns, device) if limit == last else ()
        yield Counted(subject, judge, device, (device,), limit, cell, best, advances)


def _cells(subject: Subject, facts: Sequence[TurnFacts]) -> Iterator[tuple[int, Cell]]:
    layout = subject.entry.layout
    limits = turn_limits(subject)
    within = sorted({min(limit, layout.turns) for limit in limits})
    cells = dict(zip(within, count_each(facts, layout, within), strict=True))
    for limit in limits:
        yield limit, cells[min(limit, layout.turns)]


def _best_turn(turns: Iterable[Judged], best: Best, device: str) -> BestTurn:
    place = (best.turn, best.trajectory, best.prompt)
    one = next(
        one for one in turns if (one.fact.turn, one.fact.trajectory, one.fact.prompt) == place
    )
    return BestTurn(one.trajectory.uid, one.past.number, one.past.kernel, one.newest_on(device))


def _best_reported(subject: Subject, best: Best) -> BestTurn:
    place = (best.trajectory, int(best.prompt))
    trajectory = next(one for one in subject.trajectories if (one.number, one.prompt) == place)
    turn = next(one for one in trajectory.turns if one.number == best.turn)
    return BestTurn(trajectory.uid, turn.number, turn.kernel, None)


def _advances(subject: Subject, turns: Sequence[Judged], device: str) -> tuple[Advance, ...]:
    """The runs that beat all that came before them in this subject, as they could be seen."""
    best = 0.0
    kept: list[Advance] = []
    for at, _, uid, run, kernel in sorted(_timed(subject, turns, device), key=itemgetter(0, 1, 2)):
        ratio, low, high = run
        if ratio > best:
            kept.append(Advance(at, ratio, low, high, uid, kernel))
            best = ratio
    return tuple(kept)


_Timed = tuple[datetime, float, str, tuple[float, float, float], str]


def _timed(subject: Subject, turns: Sequence[Judged], device: str) -> Iterator[_Timed]:
    """When each could be seen, the ratio below zero, the run, the ratio with its interval, and the kernel."""
    shown_since = subject.entry.shown_since
    for one in turns:
        run = one.newest_on(device) if one.fact.correct else None
        if run is None or run.ratio is None or run.low is None or run.high is None:
            continue
        if run.ended_at is None:
            continue
        at, speed = max(run.ended_at, shown_since), (run.ratio, run.low, run.high)
        yield at, -run.ratio, run.uid, speed, one.past.kernel
