import pytest

from evaluation.core import wire
from evaluation.core.errors import InvalidInput
from evaluation.core.judgement import Judgement, Missing, correct_of
from evaluation.core.records import StageReport
from evaluation.core.verdict import Correct, FamilyExecuted, Lane, Stage, Target, Verdict

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
    instruction=FamilyExecuted.UNKNOWN,
    speed_ratio=None,
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
    assert (JUDGEMENT.lane, JUDGEMENT.schema, JUDGEMENT.judge) == (Lane.RECORDED, 1, "1")


def test_a_judgement_comes_back_from_json_as_it_was() -> None:
    assert wire.decode(Judgement, wire.encode(JUDGEMENT), where="judgement") == JUDGEMENT


def test_a_judgement_with_a_key_of_tomorrow_is_refused_by_name() -> None:
    content = wire.encode(JUDGEMENT).replace(b'"exit_code"', b'"score":1,"exit_code"')
    with pytest.raises(InvalidInput, match="judgement: score: is not a key of this record"):
        wire.decode(Judgement, content, where="judgement")
