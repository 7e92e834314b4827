"""What each turn of a subject counts as: for its target, on one device, and by the upload's own word."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evaluation.core.entry_words import Missing
from evaluation.core.run_words import HoldState, TurnState
from evaluation.core.turn_state import settled_state, unjudged_state
from leaderboard.projection.past import RunFact, Subject, TrajectoryPast, TurnPast
from leaderboard.statistics import Interval
from leaderboard.turns import TurnFacts

Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Judged:
    """A turn under one judge series. ``newest`` says what is right, on whichever device it ran; each device how fast.

    ``newest`` and ``by_device`` are empty where a hold or strike acts.
    """

    trajectory: TrajectoryPast
    past: TurnPast
    state: TurnState
    runs: tuple[RunFact, ...]
    newest: RunFact | None
    by_device: dict[str, RunFact]

    @property
    def place(self) -> Place:
        return (_prompt(self.trajectory), self.trajectory.number, self.past.number)


def judges_of(subject: Subject, current: str) -> tuple[str, ...]:
    """The judge series that have been asked about the subject; the current one where none was.

    Runs that have not ended count too, or a turn without a verdict would differ from a held one.
    """
    found = {run.judge for one in subject.trajectories for turn in one.turns for run in turn.runs}
    return tuple(sorted(found)) or (current,)


def judged(subject: Subject, judge: str) -> tuple[Judged, ...]:
    return tuple(
        _judged(trajectory, turn, judge)
        for trajectory in subject.trajectories
        for turn in trajectory.turns
    )


def devices_of(turns: Iterable[Judged]) -> tuple[str, ...]:
    """Where we measured. A held turn names no device: one without a verdict could not."""
    return tuple(sorted({device for one in turns for device in one.by_device}))


def on_target(subject: Subject, turns: Sequence[Judged]) -> list[TurnFacts]:
    return [*_without_turns(subject), *(_fact(one, one.state, None) for one in turns)]


def on_device(subject: Subject, turns: Sequence[Judged], device: str) -> list[TurnFacts]:
    """What is not correct anywhere is settled here too; what is correct elsewhere has to be timed here."""
    return [
        *_without_turns(subject),
        *(_fact(one, _state_on(one, device), one.by_device.get(device)) for one in turns),
    ]


def as_reported(subject: Subject) -> list[TurnFacts]:
    """By the upload's own word. A strike takes that away; an open hold leaves it, or else it could be seen."""
    return [
        *_without_turns(subject),
        *(
            _as_reported(trajectory, turn)
            for trajectory in subject.trajectories
            for turn in trajectory.turns
        ),
    ]


def _judged(trajectory: TrajectoryPast, turn: TurnPast, judge: str) -> Judged:
    state = settled_state(turn.missing, turn.hold)
    if state is not None:
        return Judged(trajectory, turn, state, (), None, {})
    runs = tuple(run for run in turn.runs if run.judge == judge)
    counting = [run for run in runs if run.counts]
    if not counting:
        return Judged(trajectory, turn, _unjudged(runs), runs, None, {})
    by_device: dict[str, RunFact] = {}
    for run in counting:
        by_device.setdefault(run.device, run)
    return Judged(trajectory, turn, TurnState.JUDGED, runs, counting[0], by_device)


def _unjudged(runs: Sequence[RunFact]) -> TurnState:
    return unjudged_state(
        pending=any(run.ended_at is None for run in runs),
        given_up=any(run.abandoned for run in runs),
    )


def _state_on(one: Judged, device: str) -> TurnState:
    if one.newest is None or not one.newest.correct or device in one.by_device:
        return one.state
    return _unjudged([run for run in one.runs if device in (run.device, run.device_wanted)])


def _fact(one: Judged, state: TurnState, timed: RunFact | None) -> TurnFacts:
    prompt, trajectory, turn = one.place
    ours = one.trajectory.ended_by_us
    if one.newest is None or not one.newest.correct:
        return TurnFacts(
            prompt=prompt, trajectory=trajectory, turn=turn, ended_by_us=ours, state=state
        )
    return TurnFacts(
        prompt=prompt,
        trajectory=trajectory,
        turn=turn,
        ended_by_us=ours,
        state=state,
        correct=True,
        family=one.newest.family,
        matrix_path=one.newest.matrix_path,
        ratio=timed.ratio if timed else None,
        interval=_interval(timed),
    )


def _interval(run: RunFact | None) -> Interval | None:
    if run is None or run.low is None or run.high is None:
        return None
    return Interval(run.low, run.high)


def _as_reported(trajectory: TrajectoryPast, turn: TurnPast) -> TurnFacts:
    said = turn.reported
    correct = said.correct if said else None
    state = TurnState.JUDGED
    if turn.hold == HoldState.STRUCK:
        state = TurnState.STRUCK
    elif correct is None and turn.missing in ("", Missing.SOURCE_MISSING):
        state = TurnState.OPEN
    return TurnFacts(
        prompt=_prompt(trajectory),
        trajectory=trajectory.number,
        turn=turn.number,
        ended_by_us=trajectory.ended_by_us,
        state=state,
        correct=bool(correct),
        ratio=said.speedup if said and correct else None,
    )


def _without_turns(subject: Subject) -> Iterator[TurnFacts]:
    """A trajectory that took no turn has a place all the same, and an end that may be our fault."""
    for one in subject.trajectories:
        if not one.turns:
            yield TurnFacts(
                prompt=_prompt(one),
                trajectory=one.number,
                turn=0,
                taken=False,
                ended_by_us=one.ended_by_us,
            )


def _prompt(trajectory: TrajectoryPast) -> str:
    return f"{trajectory.prompt:06}"
