"""The findings of a run as its columns; what no honest judge can have found is refused before the database has to."""

import math
from collections.abc import Mapping

from evaluation.core.errors import InvalidInput
from evaluation.core.findings import findings_of
from evaluation.core.judgement import Instruction, Speed
from evaluation.core.records import Outcome
from evaluation.models.constraints import LARGEST_NUMBER
from evaluation.services.stored_text import stored

_WHERE = "findings"
_LARGEST_RATIO = 1e6
_LARGEST_NS = 2**63 - 1


def findings_columns(outcome: Outcome) -> Mapping[str, object]:
    """The columns of a run that ended with this outcome of both halves. Raise InvalidInput where they cannot be."""
    try:
        found = findings_of(outcome)
    except (ArithmeticError, KeyError, TypeError, ValueError) as misfit:
        # The facts of a report are words of a worker; which one does not fit is in its stored report.
        rule = f"cannot be read off the facts of its reports: {type(misfit).__name__}"
        raise InvalidInput(where=_WHERE, key="facts", rule=rule) from misfit
    return {
        "verdict": outcome.verdict,
        "correct": found.correct,
        "integrity": found.integrity,
        "speed_reason": "" if found.speed else stored(found.speed_reason or "not measured", 500),
        **_instruction(found.instruction),
        **(_speed(found.speed) if found.speed else {}),
    }


def _instruction(found: Instruction) -> dict[str, object]:
    _number("coverage", found.coverage, most=1)
    _number("executed_share", found.executed_share, most=LARGEST_NUMBER)
    return {
        "family": found.family,
        "matrix_path": found.matrix_path,
        "coverage": found.coverage,
        "executed_share": found.executed_share,
    }


def _speed(found: Speed) -> dict[str, object]:
    for name in ("low", "ratio", "high"):
        _number(name, getattr(found, name), most=_LARGEST_RATIO)
    if not 0 < found.low <= found.ratio <= found.high:
        rule = "does not lie in its interval above 0"
        raise InvalidInput(where=_WHERE, key="ratio", rule=rule)
    for name in ("candidate_ns", "vendor_ns"):
        if not 0 < getattr(found, name) <= _LARGEST_NS:
            raise InvalidInput(where=_WHERE, key=name, rule="is no time above 0")
    return {
        "ratio": found.ratio,
        "ratio_low": found.low,
        "ratio_high": found.high,
        "candidate_ns": found.candidate_ns,
        "vendor_ns": found.vendor_ns,
    }


def _number(name: str, value: float | None, *, most: float) -> None:
    if value is not None and not (math.isfinite(value) and 0 <= value <= most):
        rule = f"is not a finite number from 0 to {most:g}"
        raise InvalidInput(where=_WHERE, key=name, rule=rule)
