"""What pages read of the boards."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

import judged_rows as rows
import pytest
from judged_rows import AT, GEMM, LATER
from pytest_django import DjangoAssertNumQueries

from evaluation.core.verdict import Target
from evaluation.models import Entry
from leaderboard.models import Board, Standing
from leaderboard.projection import Changes, rebuild, refresh
from leaderboard.ranking import Provenance
from leaderboard.selectors import (
    BoardQuery,
    FastShare,
    NoBoard,
    board_page,
    entry_cells,
    record_rows,
)
from leaderboard.selectors.best_cells import over_turns
from leaderboard.selectors.board_page import MOST_ROWS
from leaderboard.selectors.cells import CellFilter, CellsOf, cell_page
from leaderboard.selectors.listed_boards import listed_boards
from leaderboard.selectors.revisions import (
    revision_of_all,
    revision_of_place,
    revision_of_problem,
)
from leaderboard.standing import BoardKind

pytestmark = pytest.mark.django_db

FIVE = ["pf--", "p---", "----", "-p--", "f---"]


def query(kind: BoardKind = BoardKind.CORRECTNESS, **columns: Any) -> BoardQuery:
    if kind is BoardKind.SPEED:
        columns.setdefault("device", "h200")
    whole: dict[str, Any] = {"target": Target.HOPPER, "problem": GEMM, "turn_limit": 4}
    return BoardQuery(kind=kind, **whole | columns)


def test_rows_come_in_the_order_of_the_board_with_their_ranks() -> None:
    low = rows.judged(["p---", *["----"] * 4])
    high = rows.judged(["pppp"] * 5)
    rebuild(at=AT)
    page = board_page(query())
    assert [(one.entry_uid, one.value, one.rank_low, one.rank_high) for one in page.rows] == [
        (str(high.uid), 1.0, 1, 1),
        (str(low.uid), 0.05, 2, 2),
    ]
    assert (page.turn_limits, page.total) == ((1, 4), 2)
    assert page.rows[0].rates[0].name == "correct"


def test_a_page_costs_few_queries_whatever_is_on_it(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(5):
        rows.judged(FIVE)
    rebuild(at=AT)
    with django_assert_max_num_queries(6):
        board_page(query(BoardKind.SPEED))


def test_a_row_of_speed_gives_fast_p_for_every_p_strictly() -> None:
    entry = rows.entry(["p"] * 5)
    rows.add_turns(entry, ["p"] * 5, ratio=0.5)
    refresh([entry.pk], at=AT)
    (row,) = board_page(query(BoardKind.SPEED, turn_limit=1)).rows
    assert row.fast(0.5) == FastShare(0.5, 0, 5)
    assert row.fast(0.49) == FastShare(0.49, 5, 5)
    assert (row.best and row.best.turn, row.devices) == (0, ("h200",))
    (correct,) = board_page(query(turn_limit=1)).rows
    assert correct.fast(0.5) is None


def test_what_an_upload_reports_is_shown_beside_our_ratio_and_on_a_list_of_its_own() -> None:
    entry = rows.entry(["p"] * 5)
    turns = rows.add_turns(entry, ["p"] * 5, place={"reported_device": "H100"}, ratio=0.5)
    rows.reported(turns[0], correct=True, speedup=0.75)
    rebuild(at=AT)
    (row,) = board_page(query(BoardKind.SPEED, turn_limit=1)).rows
    assert (row.value, row.reported_ratio, row.reported_device) == (0.5, 0.75, "H100")
    told = query(BoardKind.SPEED, device="h100", turn_limit=1, provenance=Provenance.REPORTED)
    (row,) = board_page(told).rows
    assert (row.value, row.rank_low, row.best and row.best.run) == (0.75, None, "")


def test_an_entry_of_a_proposed_model_is_on_its_own_page_alone() -> None:
    entry = rows.judged(FIVE, proposed_model="Mine")
    rebuild(at=AT)
    assert board_page(query()).rows == ()
    assert listed_boards() == ()
    cells = entry_cells(UUID(str(entry.uid)))
    assert sorted((one.board.kind.value, one.row.turn_limit) for one in cells) == [
        (kind, 4) for kind in ("correctness", "instruction", "speed")
    ]
    assert {one.row.unranked_why for one in cells} == {"model_not_accepted"}
    assert {one.row.model_name for one in cells} == {"Mine"}


def test_rates_are_read_again_at_every_turn_limit_for_curves(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    entry = rows.judged(FIVE)
    rebuild(at=AT)
    whose = CellsOf(entry=entry.uid)
    cells = entry_cells(UUID(str(entry.uid)))
    with django_assert_num_queries(1):
        found = over_turns(whose, cells)
    assert [
        (one.board.kind.value, one.row.turn_limit, one.row.hits, one.row.counted) for one in found
    ] == [
        *(("correctness", 1, 3, 5), ("instruction", 1, 3, 5)),
        *(("correctness", 4, 5, 20), ("instruction", 4, 5, 20)),
    ]
    with django_assert_num_queries(0):
        assert over_turns(whose, [one for one in cells if one.board.kind is BoardKind.SPEED]) == ()


def test_a_private_entry_has_no_cells() -> None:
    entry = rows.judged(FIVE, visibility="private")
    rebuild(at=AT)
    assert entry_cells(UUID(str(entry.uid))) == ()


def test_where_nothing_stands_a_query_says_so() -> None:
    with pytest.raises(NoBoard, match="no verified value stands on such a correctness board yet"):
        board_page(query())


def test_the_newest_judge_series_is_shown_unless_another_is_asked_for() -> None:
    rows.judged(FIVE, judge="9")
    rows.judged(["----"] * 5, judge="10")
    rebuild(at=AT)
    page = board_page(query())
    assert (page.head.judge, [one.judge for one in page.heads]) == ("10", ["10", "9"])
    assert board_page(query(judge="9")).rows[0].value == 0.25


def test_a_track_is_a_filter_and_changes_no_rank() -> None:
    rows.judged(["pppp"] * 5, model=rows.model(track="human"))
    rows.judged(["----"] * 5, model=rows.model(track="agent"))
    rebuild(at=AT)
    page = board_page(query(track="agent"))
    (row,) = page.rows
    assert (row.track, row.rank_low) == ("agent", 2)
    assert (page.total, board_page(query()).total) == (1, 2)


def revisions() -> tuple[int, int, int]:
    return (
        revision_of_place(Target.HOPPER, GEMM, ""),
        revision_of_problem(GEMM),
        revision_of_all(),
    )


def test_a_revision_changes_with_the_boards_that_it_is_about_alone() -> None:
    entry = rows.judged(FIVE)
    refresh([entry.pk], at=AT)
    before = revisions()
    refresh([entry.pk], at=AT)
    assert revisions() == before
    refresh([rows.judged(["----"] * 5, "mha_bwd_d128").pk], at=AT)
    assert revisions()[:2] == before[:2]
    assert revisions()[2] != before[2]
    refresh([rows.judged(["----"] * 5).pk], at=AT)
    assert not set(revisions()) & set(before)


def test_a_revision_changes_when_boards_are_gone_and_the_newest_one_is_still_there() -> None:
    alone = rows.judged(FIVE, language="triton")
    refresh([alone.pk], at=AT)
    refresh([rows.judged(FIVE).pk], at=AT)
    before = revisions()
    Entry.objects.filter(pk=alone.pk).update(visibility="private")
    refresh([alone.pk], at=AT)
    assert not set(revisions()) & set(before)


def refresh_all(*, at: datetime) -> Changes:
    return refresh(Entry.objects.values_list("pk", flat=True), at=at)


@pytest.mark.parametrize("others", [0, 1], ids=["first of all", "beside another"])
@pytest.mark.parametrize("leave", [refresh_all, rebuild], ids=["refreshed", "rebuilt"])
def test_a_revision_is_never_had_twice_though_all_is_as_before(
    others: int, leave: Callable[..., Changes]
) -> None:
    for _ in range(others):
        refresh([rows.judged(FIVE).pk], at=AT)
    alone = rows.judged(FIVE, language="triton")
    found = [revisions()]
    for word in ("public", "private") * 2:
        Entry.objects.filter(pk=alone.pk).update(visibility=word)
        leave(at=AT)
        found.append(revisions())
    for grown in zip(*found, strict=True):
        assert list(grown) == sorted(set(grown))


def test_a_rebuild_that_finds_a_board_without_rows_takes_it_away_and_revisions_grow() -> None:
    entry = rows.judged(FIVE)
    refresh([entry.pk], at=AT)
    before = revisions()
    Standing.objects.all().delete()
    Entry.objects.update(visibility="private")
    rebuild(at=AT)
    assert not Board.objects.exists()
    assert all(now > then for now, then in zip(revisions(), before, strict=True))


def test_a_revision_stays_where_nothing_changed() -> None:
    refresh([rows.judged(FIVE).pk], at=AT)
    before = revisions()
    assert refresh_all(at=LATER) + rebuild(at=LATER) == Changes(2)
    assert revisions() == before


def test_the_index_counts_subjects_once_whatever_their_turn_limits() -> None:
    rows.judged(FIVE)
    rows.judged(["p---"] * 4)
    rows.judged(["p"], single_kernel=True)
    rebuild(at=AT)
    found = {one.board.kind.value: (one.ranked, one.rows) for one in listed_boards()}
    assert found == {"correctness": (1, 2), "instruction": (1, 2), "speed": (3, 3)}


def test_a_model_shows_all_its_cells() -> None:
    model = rows.model(slug="opus")
    rows.judged(FIVE, model=model)
    rows.judged(FIVE, model=model, visibility="private", owner="0b0b")
    rebuild(at=AT)
    assert cell_page(CellsOf(model="opus"), CellFilter()).total == 6


def test_records_are_listed_newest_first_by_board() -> None:
    rows.judged(["p"], single_kernel=True, ratio=0.5, model=rows.model(slug="first"))
    rows.judged(
        ["p"], single_kernel=True, ratio=0.75, created_at=LATER, model=rows.model(slug="second")
    )
    rebuild(at=LATER)
    found = record_rows("speed-h200-gemm-n7168-k5120-v1-cuda-judge-1")
    assert [(one.model_slug, one.ratio, one.before) for one in found] == [
        ("second", 0.75, 0.5),
        ("first", 0.5, None),
    ]
    assert record_rows(most=1) == found[:1]
    assert record_rows("another") == ()


def test_a_withdrawn_entry_stands_nowhere() -> None:
    model = rows.model(slug="opus")
    entry = rows.judged(FIVE, model=model)
    Entry.objects.filter(pk=entry.pk).update(withdrawn_at=AT, withdrawn_reason="A mistake.")
    rebuild(at=AT)
    assert cell_page(CellsOf(model="opus"), CellFilter()).cells == ()


def test_a_long_board_comes_in_pages_that_hold_every_row_once(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    entries = [rows.judged(["p"], single_kernel=True) for _ in range(MOST_ROWS + 2)]
    rebuild(at=AT)
    asked = query(BoardKind.SPEED)
    with django_assert_max_num_queries(5):  # and one of the page, for its revision
        first = board_page(asked)
    second = board_page(asked, start=MOST_ROWS)
    assert (len(first.rows), first.total) == (MOST_ROWS, MOST_ROWS + 2)
    assert (len(second.rows), second.total) == (2, MOST_ROWS + 2)
    found = [one.entry_uid for page in (first, second) for one in page.rows]
    # All ratios are equal, and so it counts who handed in first.
    assert found == [str(one.uid) for one in entries]
