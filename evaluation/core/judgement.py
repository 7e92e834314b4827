"""What a judge says about one kernel as far as it got: for programs as JSON, for people as lines."""

from dataclasses import dataclass

from evaluation.core.messages import JUDGE
from evaluation.core.records import StageReport
from evaluation.core.verdict import Correct, FamilyExecuted, Lane, Stage, Target, Verdict

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Missing:
    """A stage that did not run and why; the finding that hangs on it is unknown."""

    stage: Stage
    why: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """``verdict`` is None while stages are missing. The three findings are apart and never blended.

    ``speed_ratio`` is a fraction of the vendor library's speed; None where there is no measured one.
    """

    source: str
    source_sha256: str
    problem: str
    problem_version: int
    target: Target
    device: str
    reports: tuple[StageReport, ...]
    missing: tuple[Missing, ...]
    verdict: Verdict | None
    correct: Correct
    instruction: FamilyExecuted
    speed_ratio: float | None
    exit_code: int
    lane: Lane = Lane.RECORDED
    schema: int = SCHEMA
    judge: str = JUDGE


def correct_of(verdict: Verdict | None) -> Correct:
    """Unknown while nothing ended the run; every verdict but accepted counts as not correct."""
    if verdict is None:
        return Correct.UNKNOWN
    return Correct.YES if verdict is Verdict.ACCEPTED else Correct.NO
