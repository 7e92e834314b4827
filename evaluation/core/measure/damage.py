"""The report on a kernel that took GPUs or workers down: a verdict without another launch (rule T6)."""

from evaluation.core.measure.ledger import LOSSES_ALLOWED, Loss
from evaluation.core.quoting import counted
from evaluation.core.records import Fact, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage, Verdict


def judge_losses(losses: tuple[Loss, ...], elsewhere: int) -> StageReport | None:
    """End the run of a kernel with more than one loss, or None where it may run.

    ``losses`` are those that this machine saw; ``elsewhere`` counts what the portal knows of, those here included.
    """
    most = max(len(losses), elsewhere)
    if most <= LOSSES_ALLOWED:
        return None
    by_time = bool(losses) and all(one.by_time for one in losses)
    verdict = Verdict.TIMEOUT if by_time else Verdict.RUNTIME_ERROR
    message = f"{counted(most, 'GPU or worker was', many='GPUs or workers were')} lost while this kernel ran"
    signal = Signal(
        "damages_the_device",
        1,
        Severity.HOLD,
        Stage.CHECK,
        "A GPU or its worker was lost more than once while this kernel ran; it is not run again "
        "until a person has looked at it.",
        tuple(one.what for one in losses),
    )
    remark = Remark(
        "T6",
        message,
        "run the kernel under compute-sanitizer on a machine of your own, and tell us what you found",
    )
    return StageReport(
        Stage.CHECK,
        message,
        verdict,
        remarks=(remark,),
        signals=(signal,),
        facts=(Fact("losses", most),),
    )
