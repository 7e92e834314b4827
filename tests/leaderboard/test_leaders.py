"""Who leads a board, for the first page."""

import judged_rows as rows
import pytest
from judged_rows import AT, GEMM

from leaderboard.projection import rebuild
from leaderboard.ranking import Provenance
from leaderboard.selectors.leaders import leaders
from leaderboard.standing import BoardKind, series_age

pytestmark = pytest.mark.django_db


def leading(kind: BoardKind) -> list[tuple[str, float | None]]:
    (found,) = leaders(Provenance.VERIFIED, turn_limit=8)
    there = [one for one in found if one.board.kind is kind and one.board.problem == GEMM]
    return [(str(one.row.entry_uid), one.row.value) for one in there]


def test_who_has_nothing_right_leads_nothing_and_who_is_not_ranked_may() -> None:
    """The ranked entry has five trajectories of failed turns, the other one trajectory, of which half is right."""
    rows.judged(["-" * 2] * 5)
    half = rows.judged(["p-"])
    rebuild(at=AT)
    assert leading(BoardKind.CORRECTNESS) == [(str(half.uid), 0.5)]


def test_a_board_where_nothing_is_right_has_no_leader() -> None:
    rows.judged(["-" * 2] * 5)
    rebuild(at=AT)
    assert leading(BoardKind.CORRECTNESS) == []


def test_series_ten_is_newer_than_nine_and_a_problem_s_version_comes_first() -> None:
    newest_first = [series_age(2, "1"), series_age(1, "10"), series_age(1, "9")]
    assert sorted(newest_first) == newest_first[::-1]
