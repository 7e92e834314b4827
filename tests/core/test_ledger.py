"""What is remembered of a GPU, and the end of a kernel that takes GPUs down."""

import pytest

from evaluation.core import wire
from evaluation.core.measure.damage import judge_losses
from evaluation.core.measure.ledger import LOSSES_KEPT, Ledger, Loss, Running, begun, ended, lost
from evaluation.core.messages import Attempt
from evaluation.core.verdict import Severity, Stage, Verdict

ATTEMPT = Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 2, "k" * 32)
RUNNING = Running("ab" * 32, ATTEMPT)
OTHER = Running("cd" * 32, ATTEMPT)
XID = Loss("ab" * 32, "Xid 79 during the kernel", by_time=False)
HUNG = Loss("ab" * 32, "never ended", by_time=True)


def test_a_kernel_that_ended_well_leaves_nothing_behind() -> None:
    assert ended(begun(Ledger(), RUNNING)) == Ledger()


def test_a_loss_is_put_down_to_the_kernel_at_hand() -> None:
    ledger = lost(begun(Ledger(), RUNNING), "Xid 79 during the kernel", by_time=False)
    assert ledger == Ledger(losses=(XID,))
    assert ledger.losses_of("ab" * 32) == (XID,)
    assert ledger.losses_of("cd" * 32) == ()


def test_a_loss_without_a_kernel_at_hand_is_nobody_s() -> None:
    ledger = Ledger(losses=(XID,))
    assert lost(ledger, "the host was switched off", by_time=False) == ledger


def test_only_the_newest_losses_are_kept() -> None:
    ledger = Ledger(losses=(XID,) * LOSSES_KEPT)
    newest = lost(begun(ledger, OTHER), "gone", by_time=False)
    assert len(newest.losses) == LOSSES_KEPT
    assert newest.losses[-1].kernel == OTHER.kernel


def test_a_gpu_rests_while_it_is_sick_or_has_drifted() -> None:
    assert Ledger().resting == ""
    assert Ledger(drifted="slow").resting == "slow"
    assert Ledger(sick="Xid 79", drifted="slow").resting == "Xid 79"


def test_a_ledger_survives_the_wire_and_its_print_hides_the_key() -> None:
    ledger = Ledger(RUNNING, (XID, HUNG), "sick", "drifted")
    assert wire.decode(Ledger, wire.encode(ledger), where="ledger") == ledger
    assert "kkkk" not in repr(ledger)


@pytest.mark.parametrize(("losses", "elsewhere"), [((), 0), ((XID,), 0), ((), 1), ((XID,), 1)])
def test_a_kernel_that_was_lost_once_is_tried_once_more(
    losses: tuple[Loss, ...], elsewhere: int
) -> None:
    assert judge_losses(losses, elsewhere) is None


@pytest.mark.parametrize(
    ("losses", "elsewhere", "verdict"),
    [
        ((XID, XID), 0, Verdict.RUNTIME_ERROR),
        ((XID, HUNG), 2, Verdict.RUNTIME_ERROR),
        ((HUNG, HUNG), 0, Verdict.TIMEOUT),
        ((HUNG,), 2, Verdict.TIMEOUT),
        ((), 2, Verdict.RUNTIME_ERROR),
    ],
)
def test_a_second_loss_ends_the_run_with_a_verdict_and_holds_the_kernel(
    losses: tuple[Loss, ...], elsewhere: int, verdict: Verdict
) -> None:
    report = judge_losses(losses, elsewhere)
    assert report is not None
    assert (report.stage, report.verdict) == (Stage.CHECK, verdict)
    assert report.headline == "2 GPUs or workers were lost while this kernel ran"
    (signal,) = report.signals
    assert (signal.kind, signal.severity) == ("damages_the_device", Severity.HOLD)
    assert signal.evidence == tuple(one.what for one in losses)
