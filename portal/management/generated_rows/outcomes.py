"""How the run of one turn ended, drawn from what its model can do and how many turns it had before."""

import random
from dataclasses import dataclass
from datetime import timedelta

from evaluation.core.verdict import Correct, FamilyExecuted, MatrixPath, RunState, Verdict
from portal.management.generated_rows.plan import PlannedEntry

_FAILURES = (
    Verdict.WRONG_RESULT.value,
    Verdict.BUILD_FAILED.value,
    Verdict.RUNTIME_ERROR.value,
    Verdict.MEMORY_FAULT.value,
    Verdict.TIMEOUT.value,
    Verdict.POLICY_REJECTED.value,
    Verdict.NOT_RECORDABLE.value,
)
_FAILURE_WEIGHTS = (0.4, 0.3, 0.1, 0.08, 0.05, 0.04, 0.03)
_VENDOR_NS = 1_000_000
_NO_SPEED = (None,) * 5

RunColumns = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The columns of a run that differ, in the order of COLUMNS; ``ratio`` is None where nothing was timed."""

    columns: RunColumns
    ratio: float | None


COLUMNS = (
    *("state", "verdict", "correct", "family", "matrix_path"),
    *("ratio", "ratio_low", "ratio_high", "candidate_ns", "vendor_ns"),
    *("speed_reason", "device", "created_at", "finished_at"),
)


def outcome(lot: random.Random, entry: PlannedEntry, turn: int, device: str) -> Outcome:
    """Some runs of entries that are not judged whole wait still; one in a thousand was given up."""
    unknown = ("", Correct.UNKNOWN.value, FamilyExecuted.UNKNOWN.value, MatrixPath.UNKNOWN.value)
    ended = entry.at + timedelta(seconds=lot.randrange(30 * 24 * 3600))
    if lot.random() > entry.judged:
        waiting = (RunState.WAITING.value, *unknown, *_NO_SPEED, "", "", entry.at, None)
        return Outcome(waiting, None)
    if lot.random() < 0.001:
        given_up = (RunState.ABANDONED.value, *unknown, *_NO_SPEED, "", device, entry.at, ended)
        return Outcome(given_up, None)
    model = entry.model
    if lot.random() > model.skill * (0.5 + 0.5 * (turn + 1) / entry.turns):
        verdict = lot.choices(_FAILURES, _FAILURE_WEIGHTS)[0]
        why = "it was not timed: its verdict came before"
        failed = (RunState.FINISHED.value, verdict, Correct.NO.value, *unknown[2:], *_NO_SPEED)
        return Outcome((*failed, why, device, entry.at, ended), None)
    ratio = min(3.0, max(0.002, lot.lognormvariate(0, 0.5) * model.speed * (0.6 + 0.05 * turn)))
    half = lot.uniform(0.002, 0.02)
    speed = (
        ratio,
        ratio * (1 - half),
        ratio * (1 + half),
        int(_VENDOR_NS / ratio),
        _VENDOR_NS,
    )
    by_family = lot.random() < model.instruction
    found = (
        FamilyExecuted.YES.value if by_family else FamilyExecuted.ABSENT.value,
        MatrixPath.YES.value if by_family and lot.random() < 0.9 else MatrixPath.NO.value,
    )
    accepted = (RunState.FINISHED.value, Verdict.ACCEPTED.value, Correct.YES.value, *found)
    return Outcome((*accepted, *speed, "", device, entry.at, ended), ratio)
