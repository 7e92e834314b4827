"""What each turn of a subject counts as: for its target, on one device, and by the upload's own word."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from evaluation.core.entry_words import Missing
from evaluation.core.run_words import HoldState, TurnState
from evaluation.core.turn_state import settled_state, unjudged_state
from leaderboard.projection.past import RunFact, Subject, TrajectoryPast, TurnPast
from leaderboard.statistics import Interval
from leaderboard.turns import TurnFacts


class Judged(NamedTuple):
    """A turn under one judge series: ``fact`` is what it counts as for its target.

    The newest of ``counting`` says what is right, on whichever device it ran; each device's newest how fast.
    ``counting`` is empty where a hold or strike acts.
    """

    trajectory: TrajectoryPast
    past: TurnPast
    fact: TurnFacts
    runs: tuple[RunFact, ...] = ()
    counting: tuple[RunFact, ...] = ()

    def newest_on(self, device: str) -> RunFact | None:
        return next((run for run in self.counting if run.device == device), None)


def judges_of(subject: Subject, current: str) -> tuple[str, ...]:
    """The judge series that have been asked about the subject; the current one where none was.

    Runs that have not ended count too, or a turn without a verdict would differ from a held one.
    """
    found = {run.judge for one in subject.trajectories for turn in one.turns for run in turn.runs}
    return tuple(sorted(found)) or (current,)


def judged(subject: Subject, judge: str) -> tuple[Judged, ...]:
    return tuple(
        _judged(trajectory, prompt, turn, judge)
        for trajectory, prompt in _with_prompts(subject)
        for turn in trajectory.turns
    )


def devices_of(turns: Iterable[Judged]) -> tuple[str, ...]:
    """For which devices there are verdicts. A held turn names none: one without a verdict could not."""
    return tuple(sorted({run.device for one in turns for run in one.counting}))


def first_measured(turns: Iterable[Judged]) -> dict[str, int]:
    """Where we measured, and the first turn, counted from 0, of which we did."""
    found: dict[str, int] = {}
    for one in turns:
        for run in one.counting:
            if run.measured:
                found[run.device] = min(found.get(run.device, one.fact.turn), one.fact.turn)
    return found


def on_target(subject: Subject, turns: Sequence[Judged]) -> list[TurnFacts]:
    return [*_without_turns(subject), *(one.fact for one in turns)]


def on_device(subject: Subject, turns: Sequence[Judged], device: str) -> list[TurnFacts]:
    """What is not correct anywhere is settled here too; what is correct elsewhere has to be timed here."""
    return [
        *_without_turns(subject),
        *(_on_device(one, device) if one.fact.correct else one.fact for one in turns),
    ]


def as_reported(subject: Subject) -> list[TurnFacts]:
    """By the upload's own word. A strike takes that away; an open hold leaves it, or else it could be seen."""
    return [
        *_without_turns(subject),
        *(
            _as_reported(trajectory, prompt, turn)
            for trajectory, prompt in _with_prompts(subject)
            for turn in trajectory.turns
        ),
    ]


def _judged(trajectory: TrajectoryPast, prompt: str, turn: TurnPast, judge: str) -> Judged:
    state = settled_state(turn.missing, turn.hold)
    if state is not None:
        return Judged(trajectory, turn, _fact(trajectory, prompt, turn, state))
    runs = tuple([run for run in turn.runs if run.judge == judge])
    counting = tuple([run for run in runs if run.counts])
    if not counting:
        return Judged(trajectory, turn, _fact(trajectory, prompt, turn, _unjudged(runs)), runs)
    fact = _fact(trajectory, prompt, turn, TurnState.JUDGED, counting[0])
    return Judged(trajectory, turn, fact, runs, counting)


def _unjudged(runs: Sequence[RunFact]) -> TurnState:
    return unjudged_state(
        pending=any(run.ended_at is None for run in runs),
        given_up=any(run.abandoned for run in runs),
    )


def _on_device(one: Judged, device: str) -> TurnFacts:
    """Of a turn that is correct."""
    timed, state = one.newest_on(device), TurnState.JUDGED
    if timed is None:
        state = _unjudged([run for run in one.runs if device in (run.device, run.device_wanted)])
    return _fact(one.trajectory, one.fact.prompt, one.past, state, one.counting[0], timed)


def _fact(  # noqa: PLR0917 (a million are made, and by position in half the time)
    trajectory: TrajectoryPast,
    prompt: str,
    turn: TurnPast,
    state: TurnState,
    newest: RunFact | None = None,
    timed: RunFact | None = None,
) -> TurnFacts:
    ours = trajectory.ended_by_us
    if newest is None or not newest.correct:
        return TurnFacts(
            prompt=prompt,
            trajectory=trajectory.number,
            turn=turn.number,
            ended_by_us=ours,
            state=state,
        )
    return TurnFacts(
        prompt=prompt,
        trajectory=trajectory.number,
        turn=turn.number,
        ended_by_us=ours,
        state=state,
        correct=True,
        family=newest.family,
        matrix_path=newest.matrix_path,
        ratio=timed.ratio if timed else None,
        interval=_interval(timed),
    )


def _interval(run: RunFact | None) -> Interval | None:
    if run is None or run.low is None or run.high is None:
        return None
    return Interval(run.low, run.high)


def _as_reported(trajectory: TrajectoryPast, prompt: str, turn: TurnPast) -> TurnFacts:
    said = turn.reported
    correct = said.correct if said else None
    state = TurnState.JUDGED
    if turn.hold == HoldState.STRUCK:
        state = TurnState.STRUCK
    elif correct is None and turn.missing in ("", Missing.SOURCE_MISSING):
        state = TurnState.OPEN
    return TurnFacts(
        prompt=prompt,
        trajectory=trajectory.number,
        turn=turn.number,
        ended_by_us=trajectory.ended_by_us,
        state=state,
        correct=bool(correct),
        ratio=said.speedup if said and correct else None,
    )


def _without_turns(subject: Subject) -> Iterator[TurnFacts]:
    """A trajectory that took no turn has a place all the same, and an end that may be our fault."""
    for one, prompt in _with_prompts(subject):
        if not one.turns:
            yield TurnFacts(
                prompt=prompt,
                trajectory=one.number,
                turn=0,
                taken=False,
                ended_by_us=one.ended_by_us,
            )


def _with_prompts(subject: Subject) -> Iterator[tuple[TrajectoryPast, str]]:
    """Each trajectory with the name of its prompt; by their names prompts are in the order of their numbers."""
    for one in subject.trajectories:
        yield one, f"{one.prompt:06}"
