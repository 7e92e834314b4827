"""A COPY and a statement leave the same rows."""

import judged_rows as rows
import pytest
from django.db import connection
from judged_rows import AT

from leaderboard.models import Board, Standing
from leaderboard.projection import rebuild
from leaderboard.projection.inserting import COLUMNS, Placed, by_copy, by_statement
from leaderboard.standing import Row

# Every column is told apart, and the texts have what a COPY writes in its own way.
FULL = Row(
    subject="a\tb\\N\n:\\.",
    turn_limit=1,
    provenance="verified",
    entry_id=None,
    model_id=None,
    publication="",
    reported_device="H\"100'",
    devices="h100-sxm,h200",
    value=0.1 + 0.2,
    low=1e-300,
    high=0.5,
    unranked_why="",
    hits=2,
    counted=3,
    declared=5,
    open=1,
    rates='[{"name":"é\\u0007"}]',
    ratios="[0.30000000000000004]",
    beside='{"a":1}',
    median_ratio=1 / 3,
    best_run="r",
    best_kernel="k",
    best_trajectory="t",
    best_turn=7,
    candidate_ns=2**40,
    vendor_ns=2**41,
    advances="[]",
)


def some(board: Board) -> list[Placed]:
    entry = rows.entry(["p"])
    whole = {name: getattr(FULL, name) for name in COLUMNS}
    whole |= {"entry_id": entry.pk, "model_id": entry.model_id}
    empty = {
        "subject": "",
        "value": None,
        "low": None,
        "high": None,
        "unranked_why": "nothing_counted",
        "hits": None,
        "median_ratio": None,
        "best_turn": None,
        "candidate_ns": None,
        "vendor_ns": None,
    }
    return [(board.pk, Row(**whole)), (board.pk, Row(**whole | empty))]


def stored() -> list[tuple[object, ...]]:
    columns = ("board_id", *COLUMNS, "position", "rank_low", "rank_high")
    return list(Standing.objects.order_by("subject").values_list(*columns))


def a_board() -> Board:
    rows.judged(["p"])
    rebuild(at=AT)
    Standing.objects.all().delete()
    return Board.objects.filter(kind="correctness").get()


@pytest.mark.django_db
def test_a_statement_stores_what_a_row_says() -> None:
    board = a_board()
    placed = some(board)
    by_statement(placed)
    empty, full = stored()
    names = (*COLUMNS, "position", "rank_low", "rank_high")
    first = dict(zip(names, full[1:], strict=True))
    assert {name: first[name] for name in COLUMNS} == {
        name: getattr(placed[0][1], name) for name in COLUMNS
    }
    assert full[-3:] == (1, 1, 1)
    assert empty[-3:] == (1, None, None)


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no COPY")
def test_a_copy_stores_the_same() -> None:
    placed = some(a_board())
    by_statement(placed)
    one_way = stored()
    Standing.objects.all().delete()
    by_copy(placed)
    assert stored() == one_way
