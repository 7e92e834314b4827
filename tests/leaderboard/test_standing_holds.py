"""Nothing on a board tells a held turn from one without a verdict."""

from itertools import product

import judged_rows as rows
import pytest
from judged_rows import AT

from evaluation.models import Run, Turn
from leaderboard.models import Board
from leaderboard.projection import rebuild, refresh_kernels

pytestmark = pytest.mark.django_db


def finish_and_hold(turn: Turn) -> None:
    """The run that the turn waited for ends well, on a device where nothing else ran, and a hold keeps it off."""
    assert turn.kernel is not None
    Run.objects.filter(kernel=turn.kernel).update(**rows.accepted(ratio=3.0, device="h100-sxm"))
    rows.hold(turn)


def shown() -> object:
    """All rows and records letter by letter, and the revisions that pages are cached by."""
    return rows.everything(), list(Board.objects.order_by("slug").values_list("slug", "revision"))


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["po--", "p---", "----", "----", "----"], id="one-of-many"),
        pytest.param(["oooo"] * 5, id="every-turn"),
        pytest.param(["oam-", "s---", "n---", "p---", "--po"], id="beside-all-others"),
        pytest.param(["o"], id="one"),
    ],
)
def test_held_turns_with_a_verdict_stand_as_open_ones_letter_by_letter(
    words: list[str],
) -> None:
    rows.judged(words)
    rebuild(at=AT)
    before = shown()
    for turn in Turn.objects.filter(kernel__runs__state="waiting"):
        finish_and_hold(turn)
    done = rebuild(at=AT)
    assert (done.boards, shown()) == (0, before)


def test_a_held_single_kernel_is_on_no_board_as_one_that_waits() -> None:
    rows.judged(["o"], single_kernel=True)
    rebuild(at=AT)
    assert shown() == (([], []), [])
    finish_and_hold(Turn.objects.get())
    rebuild(at=AT)
    assert shown() == (([], []), [])


def test_a_hold_on_a_turn_without_a_verdict_changes_nothing_not_even_a_revision() -> None:
    rows.judged(["po--", *["----"] * 4])
    rebuild(at=AT)
    before = shown()
    turn = Turn.objects.get(trajectory__number=0, number=1)
    rows.hold(turn)
    assert turn.kernel is not None
    done = refresh_kernels([turn.kernel.pk], at=AT)
    assert (done.boards, shown()) == (0, before)


def test_a_verdict_on_a_held_turn_changes_nothing_either() -> None:
    rows.judged(["po--", *["----"] * 4])
    turn = Turn.objects.get(trajectory__number=0, number=1)
    rows.hold(turn)
    rebuild(at=AT)
    before = shown()
    for letter, device in product("p-", ("h200", "h100-sxm")):
        run = rows.run(turn, letter, device=device)
        assert refresh_kernels([run.kernel_id], at=AT).boards == 0
    assert shown() == before


def test_a_held_best_turn_takes_its_record_and_its_ratio_with_it() -> None:
    rows.judged(["p"], single_kernel=True, ratio=0.5)
    entry = rows.judged(["p"], single_kernel=True, ratio=0.75)
    rebuild(at=AT)
    turn = Turn.objects.get(trajectory__entry=entry)
    rows.hold(turn)
    rebuild(at=AT)
    standings, records = rows.everything()
    assert str(entry.uid) not in repr(standings)
    assert [record[6] for record in records] == [0.5]
