"""Counts the cells of a subject: one a judge series, device and turn limit, beside them those by its own word."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leaderboard.cells import Cell, count_each
from leaderboard.projection.past import RunFact, Scope, Subject
from leaderboard.projection.turn_states import (
    Judged,
    Place,
    as_reported,
    devices_of,
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
    """One cell. ``device`` is empty where the cell is of the target; ``ratios`` are those of its correct turns.

    ``advances`` are given at the largest turn limit alone.
    """

    subject: Subject
    judge: str
    device: str
    devices: tuple[str, ...]
    turn_limit: int
    cell: Cell
    ratios: tuple[float, ...] = ()
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
            facts = on_target(subject, turns)
            for limit, cell in _cells(subject, facts):
                yield Counted(subject, judge, "", devices, limit, cell)
        for device in devices:
            yield from _counted_on(subject, judge, device, turns)


def counted_as_reported(subject: Subject) -> Iterator[Counted]:
    """The cells by the upload's own word; none where it says nothing."""
    said = (turn.reported for one in subject.trajectories for turn in one.turns)
    if not any(one and (one.correct is not None or one.speedup is not None) for one in said):
        return
    facts = as_reported(subject)
    places = {
        (f"{one.prompt:06}", one.number, turn.number): BestTurn(
            one.uid, turn.number, turn.kernel, None
        )
        for one in subject.trajectories
        for turn in one.turns
    }
    for limit, cell in _cells(subject, facts):
        best = places.get(_best_place(cell)) if cell.best else None
        ratios = _ratios(facts, limit)
        device = subject.reported_device
        yield Counted(subject, "", device, (), limit, cell, ratios, best)


def _counted_on(
    subject: Subject, judge: str, device: str, turns: Sequence[Judged]
) -> Iterator[Counted]:
    facts = on_device(subject, turns, device)
    by_place = {one.place: one for one in turns}
    last = turn_limits(subject)[-1]
    for limit, cell in _cells(subject, facts):
        best = _best_turn(by_place[_best_place(cell)], device) if cell.best else None
        advances = _advances(subject, turns, device) if limit == last else ()
        ratios = _ratios(facts, limit)
        yield Counted(subject, judge, device, (device,), limit, cell, ratios, best, advances)


def _cells(subject: Subject, facts: Sequence[TurnFacts]) -> Iterator[tuple[int, Cell]]:
    layout = subject.entry.layout
    limits = turn_limits(subject)
    within = sorted({min(limit, layout.turns) for limit in limits})
    cells = dict(zip(within, count_each(facts, layout, within), strict=True))
    for limit in limits:
        yield limit, cells[min(limit, layout.turns)]


def _ratios(facts: Sequence[TurnFacts], limit: int) -> tuple[float, ...]:
    return tuple(
        one.ratio for one in facts if one.turn < limit and one.is_correct and one.ratio is not None
    )


def _best_place(cell: Cell) -> Place:
    assert cell.best is not None
    return (cell.best.prompt, cell.best.trajectory, cell.best.turn)


def _best_turn(one: Judged, device: str) -> BestTurn:
    return BestTurn(one.trajectory.uid, one.past.number, one.past.kernel, one.by_device.get(device))


def _advances(subject: Subject, turns: Sequence[Judged], device: str) -> tuple[Advance, ...]:
    """The runs that beat all that came before them in this subject, as they could be seen."""
    found = sorted(_timed(subject, turns, device), key=lambda one: (one.at, -one.ratio, one.run))
    best = 0.0
    kept: list[Advance] = []
    for one in found:
        if one.ratio > best:
            kept.append(one)
            best = one.ratio
    return tuple(kept)


def _timed(subject: Subject, turns: Sequence[Judged], device: str) -> Iterator[Advance]:
    for one in turns:
        run = one.by_device.get(device)
        if run is None or one.newest is None or not one.newest.correct:
            continue
        if run.ratio is None or run.low is None or run.high is None or run.ended_at is None:
            continue
        at = max(run.ended_at, subject.entry.shown_since)
        yield Advance(at, run.ratio, run.low, run.high, run.uid, one.past.kernel)
