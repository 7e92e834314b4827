"""The precision grade: a kernel's error over the vendor's own, both against a wider oracle (rule C6)."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.core.catalogue.problem import Problem
from evaluation.core.measure.seen import CallSeen, OutputSeen
from evaluation.core.records import Fact


@dataclass(frozen=True, slots=True)
class Grade:
    """Root-mean-square errors of ``output`` over all calls with an oracle; infinite where only the vendor is exact."""

    output: str
    value: float

    @property
    def words(self) -> str:
        return f"{self.value:.3f}" if math.isfinite(self.value) else "unbounded"


def grades(calls: Iterable[CallSeen]) -> tuple[Grade, ...]:
    """Grade each output, in the order of the calls' outputs; those that no oracle was asked about are left out."""
    sums: dict[str, tuple[float, float]] = {}
    for output in (one for call in calls for one in call.outputs):
        errors = _errors(output)
        if errors is not None:
            mine, vendors = sums.get(output.name, (0.0, 0.0))
            sums[output.name] = (mine + errors[0], vendors + errors[1])
    return tuple(Grade(name, _grade(*both)) for name, both in sums.items())


def over_limit(found: tuple[Grade, ...], problem: Problem) -> tuple[str, ...]:
    """Give a line of evidence for each output whose grade is above the problem's limit."""
    limit = problem.bounds.precision_grade
    return tuple(
        f"{one.output}: {one.words} times the vendor's own error, the limit is {limit:g}"
        for one in found
        if one.value > limit
    )


def grade_facts(found: tuple[Grade, ...]) -> tuple[Fact, ...]:
    return tuple(Fact(f"precision_grade.{one.output}", one.words) for one in found)


def _errors(output: OutputSeen) -> tuple[float, float] | None:
    if output.square_error is None or output.vendor_square_error is None:
        return None
    return output.square_error, output.vendor_square_error


def _grade(mine: float, vendors: float) -> float:
    if mine == 0.0:
        return 0.0
    return math.sqrt(mine / vendors) if vendors > 0.0 else math.inf
