import pytest

from evaluation.core import wire
from evaluation.core.errors import InvalidInput
from evaluation.core.judgement import (
    Instruction,
    Judgement,
    Missing,
    Speed,
    correct_of,
    integrity_of,
)
from evaluation.core.records import StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import (
    Correct,
    FamilyExecuted,
    Integrity,
    Lane,
    MatrixPath,
    Severity,
    Stage,
    Target,
    Verdict,
)

REPORT = StageReport(Stage.POLICY, "the source holds no code", Verdict.NO_KERNEL)
JUDGEMENT = Judgement(
    source="kernel.cu",
    source_sha256="ab" * 32,
    problem="gemm_n7168_k5120",
    problem_version=1,
    target=Target.HOPPER,
    device="h200",
    reports=(REPORT,),
    missing=(Missing(Stage.CHECK, "needs a GPU worker"),),
    verdict=Verdict.NO_KERNEL,
    correct=Correct.NO,
    instruction=Instruction(FamilyExecuted.YES, MatrixPath.YES, 0.97, 1.0),
    speed=Speed(0.762, 0.755, 0.770, 1_020_000, 777_000),
    speed_reason="",
    integrity=Integrity.CLEAR,
    exit_code=23,
)


def test_nothing_is_known_of_correctness_before_a_verdict() -> None:
    assert correct_of(None) is Correct.UNKNOWN


def test_an_accepted_kernel_is_correct() -> None:
    assert correct_of(Verdict.ACCEPTED) is Correct.YES


@pytest.mark.parametrize("verdict", [one for one in Verdict if one is not Verdict.ACCEPTED])
def test_every_other_verdict_counts_as_not_correct(verdict: Verdict) -> None:
    assert correct_of(verdict) is Correct.NO


def test_a_judgement_says_which_lane_schema_and_judge_it_is_of() -> None:
    assert (JUDGEMENT.lane, JUDGEMENT.schema, JUDGEMENT.judge) == (Lane.RECORDED, 2, "1")


def test_a_judgement_comes_back_from_json_as_it_was() -> None:
    assert wire.decode(Judgement, wire.encode(JUDGEMENT), where="judgement") == JUDGEMENT


def test_a_judgement_with_a_key_of_tomorrow_is_refused_by_name() -> None:
    content = wire.encode(JUDGEMENT).replace(b'"exit_code"', b'"score":1,"exit_code"')
    with pytest.raises(InvalidInput, match="judgement: score: is not a key of this record"):
        wire.decode(Judgement, content, where="judgement")


def test_one_hold_among_notes_holds_a_kernel_and_notes_alone_do_not() -> None:
    note = Signal("a_note", 1, Severity.NOTE, Stage.SCAN, "Look.")
    hold = Signal("a_hold", 1, Severity.HOLD, Stage.PROBE, "Look twice.")
    assert integrity_of((note, hold, note)) is Integrity.HELD
    assert integrity_of((note, note)) is Integrity.CLEAR
    assert integrity_of(()) is Integrity.CLEAR


def test_an_instruction_finding_without_counters_says_unknown() -> None:
    found = Instruction(FamilyExecuted.ABSENT)
    assert (found.matrix_path, found.coverage, found.executed_share) == (
        MatrixPath.UNKNOWN,
        None,
        None,
    )
