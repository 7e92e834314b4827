"""The findings as far as a run came: what no stage said is unknown, and nothing of one finding tells another."""

from dataclasses import replace

import pytest

from evaluation.core.findings import findings_of
from evaluation.core.judgement import Instruction, Speed
from evaluation.core.records import Fact, Outcome, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import (
    Correct,
    FamilyExecuted,
    Integrity,
    MatrixPath,
    Severity,
    Stage,
    Verdict,
)

SCANNED = StageReport(Stage.SCAN, "HGMMA", facts=(Fact("family_static", "unknown"),))
CHECKED = StageReport(Stage.CHECK, "right")
PROBED = StageReport(
    Stage.PROBE,
    "executed",
    facts=(
        Fact("family", "yes"),
        Fact("matrix_path", "yes"),
        Fact("coverage", "0.970"),
        Fact("executed_share", "1.020"),
    ),
)
TIMED = StageReport(
    Stage.TIME,
    "correct",
    Verdict.ACCEPTED,
    facts=(
        Fact("ratio", "0.7621"),
        Fact("ratio_low", "0.7550"),
        Fact("ratio_high", "0.7700"),
        Fact("candidate_time", 1_020_000, "ns"),
        Fact("vendor_time", 777_000, "ns"),
    ),
)


def test_a_whole_run_has_all_of_them() -> None:
    found = findings_of(Outcome((SCANNED, CHECKED, PROBED, TIMED)))
    assert found.correct is Correct.YES
    assert found.instruction == Instruction(FamilyExecuted.YES, MatrixPath.YES, 0.97, 1.02)
    assert found.speed == Speed(0.7621, 0.7550, 0.77, 1_020_000, 777_000)
    assert (found.speed_reason, found.integrity) == ("", Integrity.CLEAR)


def test_nothing_is_known_of_a_run_without_a_report() -> None:
    found = findings_of(Outcome(()))
    assert (found.correct, found.speed) == (Correct.UNKNOWN, None)
    assert found.instruction == Instruction(FamilyExecuted.UNKNOWN)
    assert found.speed_reason == "not measured"


@pytest.mark.parametrize("word", ["absent", "unknown"])
def test_without_a_probe_the_scan_s_word_stands(word: str) -> None:
    scanned = replace(SCANNED, facts=(Fact("family_static", word),))
    assert findings_of(Outcome((scanned,))).instruction == Instruction(FamilyExecuted(word))


def test_a_probe_without_counters_gives_no_numbers() -> None:
    facts = (Fact("family", "unknown"), Fact("matrix_path", "unknown"))
    found = findings_of(Outcome((SCANNED, CHECKED, replace(PROBED, facts=facts), TIMED)))
    assert found.instruction == Instruction(FamilyExecuted.UNKNOWN, MatrixPath.UNKNOWN)


def test_a_kernel_without_a_speed_is_correct_all_the_same() -> None:
    timed = replace(TIMED, facts=(Fact("no_speed", "too noisy"),))
    found = findings_of(Outcome((SCANNED, CHECKED, PROBED, timed)))
    assert (found.correct, found.speed, found.speed_reason) == (Correct.YES, None, "too noisy")


def test_a_hold_of_any_stage_holds_the_kernel_and_changes_no_finding() -> None:
    hold = Signal("decoy", 1, Severity.HOLD, Stage.PROBE, "Other instructions did the work.")
    free = findings_of(Outcome((SCANNED, CHECKED, PROBED, TIMED)))
    held = findings_of(Outcome((SCANNED, CHECKED, replace(PROBED, signals=(hold,)), TIMED)))
    assert held == replace(free, integrity=Integrity.HELD)
