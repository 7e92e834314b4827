"""A probe's report with per-address evidence beside the counters (rules I1, I2)."""

from collections.abc import Sequence
from dataclasses import replace

from evaluation.core.catalogue.problem import Problem
from evaluation.core.measure.seen import ProbeSeen
from evaluation.core.probe.probe import FAMILY_FACT, MATRIX_PATH_FACT
from evaluation.core.probe.sass_evidence import (
    Executed,
    evidence_lines,
    instrumented_differs,
    products_of,
)
from evaluation.core.probe.work import work_of
from evaluation.core.records import Fact, StageReport
from evaluation.core.verdict import FamilyExecuted, MatrixPath, Target

_SHARES = frozenset(("executed_share", "coverage"))


def with_evidence(
    report: StageReport,
    seen: ProbeSeen,
    found: Sequence[Executed],
    problem: Problem,
    target: Target,
) -> StageReport:
    """Add what each instruction made. Where it contradicts the counters, hold and make the finding unknown."""
    works = [work_of(one, target, problem.inputs[0].dtype) for one in seen.readings]
    signal = instrumented_differs(found, works, problem) if works else None
    facts = _unknown(report.facts) if signal else report.facts
    return replace(
        report,
        facts=(*facts, Fact("instrumented_products", int(products_of(found)))),
        signals=(*report.signals, signal) if signal else report.signals,
        log="\n".join(part for part in (report.log, *evidence_lines(found)) if part),
    )


def _unknown(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    words = {
        FAMILY_FACT: str(FamilyExecuted.UNKNOWN),
        MATRIX_PATH_FACT: str(MatrixPath.UNKNOWN),
        "family_reason": "the kernel behaves differently when instrumented",
    }
    return tuple(
        replace(one, value=words.get(one.name, one.value))
        for one in facts
        if one.name not in _SHARES
    )
