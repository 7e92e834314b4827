"""The three findings and the integrity of a kernel, read off the reports of the stages that ran. Nothing is blended."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.judgement import Instruction, Speed, correct_of, integrity_of
from evaluation.core.records import Outcome, StageReport
from evaluation.core.scan.scan_report import FAMILY_FACT
from evaluation.core.timing.speed import speed_of
from evaluation.core.verdict import Correct, FamilyExecuted, Integrity, MatrixPath, Stage


@dataclass(frozen=True, slots=True)
class Findings:
    """``speed_reason`` says why there is no speed, and is empty where there is one."""

    correct: Correct
    instruction: Instruction
    speed: Speed | None
    speed_reason: str
    integrity: Integrity


def findings_of(outcome: Outcome) -> Findings:
    """What is established so far; what no stage has said is unknown."""
    speed, reason = speed_of(outcome.reports)
    return Findings(
        correct=correct_of(outcome.verdict),
        instruction=_instruction(outcome.reports),
        speed=speed,
        speed_reason=reason,
        integrity=integrity_of(outcome.signals),
    )


def _instruction(reports: Sequence[StageReport]) -> Instruction:
    probed = _facts(reports, Stage.PROBE)
    if not probed:
        word = _facts(reports, Stage.SCAN).get(FAMILY_FACT, FamilyExecuted.UNKNOWN)
        return Instruction(FamilyExecuted(str(word)))
    return Instruction(
        family=FamilyExecuted(str(probed.get("family", FamilyExecuted.UNKNOWN))),
        matrix_path=MatrixPath(str(probed.get("matrix_path", MatrixPath.UNKNOWN))),
        coverage=_decimal(probed, "coverage"),
        executed_share=_decimal(probed, "executed_share"),
    )


def _facts(reports: Sequence[StageReport], stage: Stage) -> dict[str, str | int]:
    return {fact.name: fact.value for one in reports if one.stage is stage for fact in one.facts}


def _decimal(facts: dict[str, str | int], name: str) -> float | None:
    return float(facts[name]) if name in facts else None
