"""What boards have to look at is noted with what happened, and forgotten only when they have looked at just that."""

import evaluation_rows as rows
import pytest
from dispatch_doubles import AT, later

from evaluation.core.run_words import HoldSource
from evaluation.core.verdict import Target
from evaluation.models import Run
from evaluation.services import cancel, clear_hold, due_on_boards, looked_at, place_hold
from portal.standings import refresh_standings

pytestmark = pytest.mark.django_db

GEMM = "gemm_n4096_k4096"


def due() -> list[int]:
    return [one.run_id for one in due_on_boards(100)]


def test_a_run_that_was_cancelled_is_due_until_boards_have_looked() -> None:
    run = rows.run()
    assert due() == []
    cancel(run, at=AT)
    assert due() == [run.pk]
    assert refresh_standings(at=later(1)) == 1
    assert due() == []
    assert refresh_standings(at=later(2)) == 0


def test_a_hold_that_is_placed_and_cleared_makes_its_kernel_due_each_time() -> None:
    run = rows.finished_run()
    hold = place_hold(
        run.kernel, GEMM, Target.HOPPER, why="It reads.", source=HoldSource.STAFF, by="a", at=AT
    )
    assert hold is not None
    assert due() == [run.pk]
    refresh_standings(at=AT)
    assert clear_hold(hold, by="a", note="Fine.", at=later(5))
    assert due() == [run.pk]


def test_what_happens_while_boards_look_stays_due() -> None:
    run = rows.finished_run(boards_due_at=AT)
    seen = due_on_boards(100)
    Run.objects.filter(pk=run.pk).update(boards_due_at=later(1))
    looked_at(seen)
    assert due() == [run.pk]


def test_more_than_one_call_s_worth_is_looked_at_to_the_end() -> None:
    kernel = rows.kernel()
    for _ in range(203):
        rows.finished_run(kernel=kernel, boards_due_at=AT)
    assert refresh_standings(at=AT) == 203
    assert due() == []
