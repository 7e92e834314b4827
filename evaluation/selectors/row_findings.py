"""The three findings as a run's columns keep them, and the integrity as holds have it."""

from evaluation.core.findings import Findings
from evaluation.core.judgement import Instruction, Speed
from evaluation.core.run_words import HoldState
from evaluation.core.verdict import Correct, FamilyExecuted, Integrity, MatrixPath
from evaluation.models import Hold, Run


def findings_of_run(run: Run) -> Findings:
    """What this run found; integrity as its own signals had it."""
    return Findings(
        correct=Correct(run.correct),
        instruction=Instruction(
            FamilyExecuted(run.family),
            MatrixPath(run.matrix_path),
            run.coverage,
            run.executed_share,
        ),
        speed=_speed(run),
        speed_reason=run.speed_reason,
        integrity=Integrity(run.integrity),
    )


def integrity_of_hold(hold: Hold | None) -> Integrity:
    """What people have decided since counts, not what the run's signals asked for."""
    if hold is None or hold.state == HoldState.CLEARED:
        return Integrity.CLEAR
    return Integrity.STRUCK if hold.state == HoldState.STRUCK else Integrity.HELD


def _speed(run: Run) -> Speed | None:
    if (
        run.ratio is None
        or run.ratio_low is None
        or run.ratio_high is None
        or run.candidate_ns is None
        or run.vendor_ns is None
    ):
        return None
    return Speed(run.ratio, run.ratio_low, run.ratio_high, run.candidate_ns, run.vendor_ns)
