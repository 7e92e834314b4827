"""How far the turns of an imported submission are, stage by stage, a few trajectories at a time."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from evaluation.core.findings import Findings
from evaluation.core.run_words import TurnState
from evaluation.core.verdict import RunState, Stage
from evaluation.selectors import DeviceSpeed, TurnRow, Viewer, entry_page
from evaluation.selectors.queue_places import queue_places, reports_so_far
from evaluation.selectors.run_reports import ReportRow

TRAJECTORIES_A_PAGE = 24
_SOON, _LATER = 2, 10
_QUIET = timedelta(minutes=1)

_VERDICT_NEXT = {
    "accepted": "Nothing: it is correct.",
    "wrong_result": "Its page names the tensor, the first wrong index and the tolerance.",
    "memory_fault": "Its page names the faulting access.",
    "runtime_error": "Its page has the error and the call that gave it.",
    "timeout": "Make it end in time; its page has the limit.",
    "build_failed": "Its page has the compiler's lines.",
    "policy_rejected": "Its page names the line and the rule.",
    "not_recordable": "Its page names the call that cannot be recorded.",
    "no_kernel": "Nothing was launched; let run() launch a kernel.",
}
_ABANDONED = "We could not judge it, which says nothing about the kernel. Staff know."

_RUN_SAID: dict[str, str] = {
    RunState.WAITING: "waits for a worker",
    RunState.PREPARING: "being prepared",
    RunState.READY: "prepared, waits for a GPU",
    RunState.MEASURING: "being measured",
    RunState.ABANDONED: "could not be judged",
}


@dataclass(frozen=True, slots=True)
class LiveStage:
    stage: Stage
    headline: str
    verdict: str


@dataclass(frozen=True, slots=True)
class LiveTurn:
    """``place`` counts from 1 and is 0 where the turn is in no queue; ``next_step`` is for its owner.

    ``stages`` are those of a run that goes on, ``findings`` and ``speeds`` what came out of one that counts.
    """

    number: int
    state: TurnState
    kernel: str
    verdict: str
    missing_said: str
    run: str
    run_state: str
    place: int
    waits_for: str
    stages: tuple[LiveStage, ...]
    findings: Findings | None
    speeds: tuple[DeviceSpeed, ...]
    next_step: str

    @property
    def said_state(self) -> str:
        """The verdict; before one, how far its run is."""
        if self.missing_said:
            return "not judged"
        return self.verdict or _RUN_SAID.get(self.run_state, self.run_state) or self.state

    @property
    def is_pending(self) -> bool:
        return self.state is TurnState.OPEN and self.run_state not in {"", RunState.CANCELLED}


@dataclass(frozen=True, slots=True)
class LiveTrajectory:
    uid: str
    problem: str
    target: str
    prompt: int
    number: int
    turns: tuple[LiveTurn, ...]


@dataclass(frozen=True, slots=True)
class LiveEntry:
    """One page of trajectories, from ``first`` (counted from 0) on, of ``count``; ``next_first`` is 0 on the last."""

    trajectories: tuple[LiveTrajectory, ...]
    first: int
    count: int
    next_first: int

    @property
    def is_pending(self) -> bool:
        return any(turn.is_pending for one in self.trajectories for turn in one.turns)


def live_entry(viewer: Viewer, uid: UUID | str, *, first: int = 0) -> LiveEntry:
    """Raise NotVisible where there is no such entry for this viewer."""
    page = entry_page(viewer, UUID(str(uid)), first=first, most=TRAJECTORIES_A_PAGE, turns=None)
    runs = {turn.run for one in page.trajectories for turn in one.turns if turn.run}
    places, reports = queue_places(viewer, runs), reports_so_far(viewer, runs)
    return LiveEntry(
        trajectories=tuple(
            LiveTrajectory(
                one.uid,
                one.problem,
                str(one.target),
                one.prompt,
                one.number,
                tuple(_turn(turn, places, reports.get(turn.run, ())) for turn in one.turns),
            )
            for one in page.trajectories
        ),
        first=page.first,
        count=page.count,
        next_first=page.next_first,
    )


def poll_seconds(*, changed_at: datetime, at: datetime) -> int:
    """How long a page waits until it asks again: less while things happen."""
    return _SOON if at - changed_at < _QUIET else _LATER


def _turn(turn: TurnRow, places: dict[str, int], reports: tuple[ReportRow, ...]) -> LiveTurn:
    place = places.get(turn.run, 0)
    return LiveTurn(
        number=turn.number,
        state=turn.state,
        kernel=turn.kernel,
        verdict=turn.verdict,
        missing_said=turn.missing_said,
        run=turn.run,
        run_state=turn.run_state,
        place=place,
        waits_for=turn.waits_for,
        stages=tuple(
            LiveStage(one.report.stage, one.report.headline, str(one.report.verdict or ""))
            for one in reports
        ),
        findings=turn.findings,
        speeds=turn.speeds,
        next_step=_next_step(turn, place),
    )


def _next_step(turn: TurnRow, place: int) -> str:
    """The first of these that is so."""
    known = (
        (turn.missing, f"It is not judged: {turn.missing_said}"),
        (turn.state is TurnState.HELD, "A person looks at it. You will be told what they decide."),
        (turn.state is TurnState.STRUCK, "It was struck; its page says why."),
        (turn.state is TurnState.ABANDONED, _ABANDONED),
        (turn.verdict, _VERDICT_NEXT.get(turn.verdict, "Its page says more.")),
        (turn.waits_for, turn.waits_for),
        (place == 1, "It is the next one."),
        (place > 1, f"It waits: {place - 1} before it."),
        (turn.run_state == RunState.CANCELLED, "It was cancelled."),
        (turn.run_state, "It is being judged. There is nothing to do."),
    )
    return next((said for is_so, said in known if is_so), "It waits to be asked for.")
