"""Reads the turns of entries with what is known of them, and keeps from others what they may not see."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from django.db.models import QuerySet

from evaluation.core.run_words import TurnState
from evaluation.core.turn_state import settled_state, unjudged_state
from evaluation.core.verdict import RunState
from evaluation.models import Hold, Run, Turn
from evaluation.selectors.row_findings import findings_of_run, integrity_of_hold
from evaluation.selectors.turn_row import DeviceSpeed, Reported, TurnRow

# A kernel at a problem for a target, and the version of the problem.
_Place: TypeAlias = tuple[int, str, str]
_Judged: TypeAlias = tuple[int, str, str, int]
# A turn by the columns below: rows of five tables a turn would take most of a page's time.
_Turn: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Known:
    """Everything that the turns rest on; runs newest first."""

    runs: dict[_Judged, tuple[Run, ...]]
    holds: dict[_Place, Hold]


def turn_rows(turns: QuerySet[Turn], *, insider: bool) -> dict[int, tuple[TurnRow, ...]]:
    """Rows by the trajectory's key, in order; three queries, however many turns there are."""
    known = _known(turns)
    rows: dict[int, list[TurnRow]] = {}
    for turn in turns.order_by("trajectory_id", "number").values(*_OF_A_TURN):
        row = _row(turn, known, insider=insider)
        rows.setdefault(turn["trajectory_id"], []).append(row if insider else _for_others(row))
    return {trajectory: tuple(found) for trajectory, found in rows.items()}


_OF_A_TURN = (
    *("number", "missing", "missing_said", "event", "at", "kernel_id", "trajectory_id"),
    *("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost_usd"),
    *("kernel__sha256", "reply__sha256"),
    *("trajectory__problem", "trajectory__problem_version", "trajectory__target"),
    "trajectory__entry__owner",
    *("reported__status", "reported__correct", "reported__speedup", "reported__latency_us"),
    *("reported__reference_us", "reported__device", "reported__workloads"),
)
_OF_A_RUN = (
    *("uid", "kernel_id", "problem", "problem_version", "target", "device", "judge", "owner"),
    *("applied", "shared", "state", "waits_for", "verdict", "correct", "family", "matrix_path"),
    *("coverage", "executed_share", "ratio", "ratio_low", "ratio_high", "candidate_ns"),
    *("vendor_ns", "speed_reason", "integrity", "created_at", "finished_at"),
)


def _known(turns: QuerySet[Turn]) -> _Known:
    kernels = turns.order_by().values("kernel_id")
    runs: dict[_Judged, list[Run]] = {}
    of_kernels = Run.objects.filter(kernel_id__in=kernels).only(*_OF_A_RUN)
    for run in of_kernels.order_by("-created_at", "-pk"):
        key = (run.kernel_id, run.problem, run.target, run.problem_version)
        runs.setdefault(key, []).append(run)
    holds = Hold.objects.acting().filter(kernel_id__in=kernels)
    return _Known(
        {key: tuple(found) for key, found in runs.items()},
        {(one.kernel_id, one.problem, one.target): one for one in holds},
    )


def _row(turn: _Turn, known: _Known, *, insider: bool) -> TurnRow:
    hold, runs = _of_turn(turn, known)
    counting = sorted(_counting(runs), key=lambda run: (run.finished_at, run.pk), reverse=True)
    state = _state(turn, hold, runs)
    pending = [run for run in runs if run.finished_at is None]
    shown = next(iter([*counting, *pending, *runs]), None)
    findings = findings_of_run(counting[0]) if counting else None
    return TurnRow(
        number=turn["number"],
        state=state,
        kernel=turn["kernel__sha256"] or "",
        missing=turn["missing"],
        missing_said=turn["missing_said"],
        verdict=counting[0].verdict if counting else "",
        findings=replace(findings, integrity=integrity_of_hold(hold)) if findings else None,
        speeds=_speeds(counting),
        reported=_reported(turn),
        run=str(shown.uid) if shown else "",
        run_state=shown.state if shown else "",
        waits_for=shown.waits_for if shown and insider else "",
        judge=shown.judge if shown else "",
        event=turn["event"],
        reply=turn["reply__sha256"] or "",
        prompt_tokens=turn["prompt_tokens"],
        completion_tokens=turn["completion_tokens"],
        reasoning_tokens=turn["reasoning_tokens"],
        cost_usd=turn["cost_usd"],
        at=turn["at"],
    )


def _of_turn(turn: _Turn, known: _Known) -> tuple[Hold | None, tuple[Run, ...]]:
    if turn["kernel_id"] is None or turn["missing"]:
        return None, ()
    place = (turn["kernel_id"], turn["trajectory__problem"], turn["trajectory__target"])
    runs = known.runs.get((*place, turn["trajectory__problem_version"]), ())
    owner = turn["trajectory__entry__owner"]
    return known.holds.get(place), tuple(run for run in runs if run.shared or run.owner == owner)


def _counting(runs: Iterable[Run]) -> list[Run]:
    return [run for run in runs if run.state == RunState.FINISHED and run.applied]


def _state(turn: _Turn, hold: Hold | None, runs: tuple[Run, ...]) -> TurnState:
    settled = settled_state(turn["missing"], hold.state if hold else "")
    if settled is not None:
        return settled
    if _counting(runs):
        return TurnState.JUDGED
    return unjudged_state(
        pending=any(run.finished_at is None for run in runs),
        given_up=any(run.state == RunState.ABANDONED for run in runs),
    )


def _speeds(counting: list[Run]) -> tuple[DeviceSpeed, ...]:
    newest: dict[str, Run] = {}
    for run in counting:
        newest.setdefault(run.device, run)
    found = ((device, run, findings_of_run(run)) for device, run in sorted(newest.items()))
    return tuple(
        DeviceSpeed(device, str(run.uid), one.speed, one.speed_reason) for device, run, one in found
    )


def _reported(turn: _Turn) -> Reported | None:
    if turn["reported__status"] is None:
        return None
    return Reported(
        turn["reported__status"],
        turn["reported__correct"],
        turn["reported__speedup"],
        turn["reported__latency_us"],
        turn["reported__reference_us"],
        turn["reported__device"],
        turn["reported__workloads"],
    )


def _for_others(row: TurnRow) -> TurnRow:
    if row.has_ended:  # a scrubbed kernel has no page for others: it is never judged
        return replace(row, kernel="" if row.missing else row.kernel)
    return replace(
        row,
        state=TurnState.OPEN,
        kernel="",
        verdict="",
        findings=None,
        speeds=(),
        run="",
        run_state="",
        waits_for="",
        judge="",
        reply="",
    )
