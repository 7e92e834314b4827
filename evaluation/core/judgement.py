"""What a judge says about one kernel as far as it got: for programs as JSON, for people as lines."""

from dataclasses import dataclass

from evaluation.core.messages import JUDGE
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

SCHEMA = 2


@dataclass(frozen=True, slots=True)
class Missing:
    """A stage that did not run and why; the finding that hangs on it is unknown."""

    stage: Stage
    why: str


@dataclass(frozen=True, slots=True)
class Instruction:
    """The second finding: the paper's rule, and beside it how much of the work the family did.

    ``coverage`` is the lower bound that ``matrix_path`` rests on, ``executed_share`` the family's work over the
    needed work; None where no counter was read.
    """

    family: FamilyExecuted
    matrix_path: MatrixPath = MatrixPath.UNKNOWN
    coverage: float | None = None
    executed_share: float | None = None


@dataclass(frozen=True, slots=True)
class Speed:
    """The third finding: the vendor library's time over the kernel's, 1 is as fast, with its interval."""

    ratio: float
    low: float
    high: float
    candidate_ns: int
    vendor_ns: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """``verdict`` is None while stages are missing. The three findings are apart and never blended.

    ``speed`` is None where there is no measured one, and then ``speed_reason`` says why.
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
    instruction: Instruction
    speed: Speed | None
    speed_reason: str
    integrity: Integrity
    exit_code: int
    lane: Lane = Lane.RECORDED
    schema: int = SCHEMA
    judge: str = JUDGE


def correct_of(verdict: Verdict | None) -> Correct:
    """Unknown while nothing ended the run; every verdict but accepted counts as not correct."""
    if verdict is None:
        return Correct.UNKNOWN
    return Correct.YES if verdict is Verdict.ACCEPTED else Correct.NO


def integrity_of(signals: tuple[Signal, ...]) -> Integrity:
    """One signal of severity hold holds the kernel; only a person strikes."""
    held = any(one.severity is Severity.HOLD for one in signals)
    return Integrity.HELD if held else Integrity.CLEAR
