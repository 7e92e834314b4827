"""What new rows must keep to, told before anything is stored."""

import math
import re

from evaluation.core.entry_words import Visibility
from evaluation.core.errors import InvalidInput
from evaluation.models import Entry
from evaluation.models.constraints import LARGEST_NUMBER
from evaluation.services.new_rows import NewEntry, NewReported, NewTrajectory, NewTurn

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
MOST_OF_A_LAYOUT = 10_000  # prompts, trajectories of a prompt, turns of a trajectory
_MOST_TOKENS = 10**12


def check_entry(new: NewEntry) -> None:
    """Raise InvalidInput that names the first thing wrong with the entry."""
    where = "entry"
    if not _SHA256.match(new.digest):
        raise InvalidInput(where=where, key="digest", rule="is no SHA-256 in lower-case hex")
    if len(new.owner) > 64:
        raise InvalidInput(where=where, key="owner", rule="is longer than 64 characters")
    if not (new.model or new.proposed_model):
        raise InvalidInput(where=where, key="model", rule="is missing; name who wrote the kernels")
    layout = {"prompts": new.prompts, "trajectories": new.trajectories, "turns": new.turns}
    for key, count in layout.items():
        most = 1 if new.single_kernel else MOST_OF_A_LAYOUT
        if not 1 <= count <= most:
            raise InvalidInput(where=where, key=key, rule=f"is {count}; 1 to {most} are allowed")
    if (new.visibility is Visibility.EMBARGOED) is not (new.embargo_until is not None):
        rule = "is given exactly when the entry is embargoed"
        raise InvalidInput(where=where, key="embargo_until", rule=rule)


def check_trajectory(entry: Entry, new: NewTrajectory) -> None:
    """Raise InvalidInput that names the first thing wrong, also where the entry declares no such place."""
    where = f"trajectory {new.number} of prompt {new.prompt}"
    if not new.problem or new.problem_version < 1:
        raise InvalidInput(where=where, key="problem", rule="is missing")
    _place(where, "prompt", new.prompt, entry.prompts)
    _place(where, "number", new.number, entry.trajectories)
    seen: set[int] = set()
    for turn in new.turns:
        _place(where, f"turns[{turn.number}]", turn.number, entry.turns)
        if turn.number in seen:
            raise InvalidInput(where=where, key=f"turns[{turn.number}]", rule="is given twice")
        seen.add(turn.number)
        _check_turn(f"{where}, turn {turn.number}", turn)


def _place(where: str, key: str, number: int, count: int) -> None:
    if not 0 <= number < count:
        rule = f"has the place {number}, and the entry declares {count}, counted from 0"
        raise InvalidInput(where=where, key=key, rule=rule)


def _check_turn(where: str, turn: NewTurn) -> None:
    keeps = turn.missing is None or turn.missing.keeps_kernel
    if keeps is not (turn.kernel is not None):
        rule = "is given exactly where nothing says that it is missing"
        raise InvalidInput(where=where, key="kernel", rule=rule)
    if (turn.missing is None) is not (turn.missing_said == ""):
        rule = "says why, exactly where something is missing"
        raise InvalidInput(where=where, key="missing_said", rule=rule)
    for key in ("prompt_tokens", "completion_tokens", "reasoning_tokens"):
        _number(where, key, getattr(turn, key), most=_MOST_TOKENS)
    _number(where, "cost_usd", turn.cost_usd)
    if turn.reported is not None:
        _check_reported(where, turn.reported)


def _check_reported(where: str, reported: NewReported) -> None:
    for key in ("speedup", "latency_us", "reference_us"):
        _number(where, f"reported.{key}", getattr(reported, key))
    if not 0 <= reported.workloads <= 10_000:
        raise InvalidInput(where=where, key="reported.workloads", rule="is not 0 to 10000")


def _number(where: str, key: str, value: float | None, *, most: float = LARGEST_NUMBER) -> None:
    if value is not None and not (math.isfinite(value) and 0 <= value <= most):
        rule = f"is not a finite number from 0 to {most:g}"
        raise InvalidInput(where=where, key=key, rule=rule)
