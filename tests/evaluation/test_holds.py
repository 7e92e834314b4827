"""Holds act once, and a person's word is final until a person changes it."""

import evaluation_rows as rows
import pytest

from evaluation.core.errors import InvalidInput
from evaluation.core.run_words import HoldSource, HoldState
from evaluation.core.verdict import Target
from evaluation.models import Hold, Kernel
from evaluation.services import clear_hold, lift_strike, place_hold, strike

pytestmark = pytest.mark.django_db

GEMM = "gemm_n4096_k4096"


def place(
    kernel: Kernel,
    why: str = "It reads the clock.",
    source: HoldSource = HoldSource.SIGNAL,
    problem: str = GEMM,
    target: Target = Target.HOPPER,
) -> Hold | None:
    return place_hold(kernel, problem, target, why=why, source=source, at=rows.AT)


def placed(kernel: Kernel) -> Hold:
    hold = place(kernel)
    assert hold is not None
    return hold


def test_a_kernel_is_held_once_at_a_problem_for_a_target() -> None:
    kernel = rows.kernel()
    assert place(kernel) is not None
    assert place(kernel, why="It sleeps.") is None
    assert place(kernel, problem="gemm_n128_k2048") is not None
    assert place(kernel, target=Target.BLACKWELL) is not None
    assert Hold.objects.open().count() == 3


def test_a_signal_does_not_hold_again_what_a_person_cleared() -> None:
    kernel = rows.kernel()
    assert clear_hold(placed(kernel), by="staff", note="Only a timer of its own.", at=rows.AT)
    assert place(kernel) is None
    assert place(kernel, why="It sleeps.") is not None


def test_a_person_may_hold_again_for_the_same_reason() -> None:
    kernel = rows.kernel()
    clear_hold(placed(kernel), by="staff", note="Fine.", at=rows.AT)
    assert place(kernel, source=HoldSource.STAFF) is not None


def test_a_hold_is_decided_once() -> None:
    hold = placed(rows.kernel())
    assert strike(hold, by="staff", note="It is a replay.", at=rows.AT)
    assert not strike(hold, by="other", note="Again.", at=rows.AT)
    assert not clear_hold(hold, by="other", note="No.", at=rows.AT)
    hold.refresh_from_db()
    assert (hold.state, hold.decided_by, hold.note) == ("struck", "staff", "It is a replay.")


def test_a_struck_kernel_is_not_held_besides() -> None:
    kernel = rows.kernel()
    strike(placed(kernel), by="staff", note="It is a replay.", at=rows.AT)
    assert place(kernel, source=HoldSource.STAFF) is None


def test_a_lifted_strike_keeps_its_note() -> None:
    hold = placed(rows.kernel())
    assert not lift_strike(hold, by="staff", note="Early.", at=rows.AT)
    strike(hold, by="staff", note="It is a replay.", at=rows.AT)
    assert lift_strike(hold, by="boss", note="It was not.", at=rows.AT)
    hold.refresh_from_db()
    assert (hold.state, hold.decided_by) == (HoldState.CLEARED, "boss")
    assert hold.note == "It was not.\nBefore: It is a replay."


def test_a_hold_says_why_and_a_decision_has_a_name() -> None:
    kernel = rows.kernel()
    with pytest.raises(InvalidInput, match="say why"):
        place(kernel, why="  ")
    hold = placed(kernel)
    with pytest.raises(InvalidInput, match="by name"):
        clear_hold(hold, by="", note="Fine.", at=rows.AT)
    with pytest.raises(InvalidInput, match="say why"):
        clear_hold(hold, by="staff", note="", at=rows.AT)
