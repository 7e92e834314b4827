"""The best cell at each place of a board, of all entries of a model: as many as there are boards, not entries."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from leaderboard.models import Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.cells import (
    MOST_CELLS,
    CellFilter,
    CellsOf,
    PlacedRow,
    placed,
    with_most_turns,
)
from leaderboard.selectors.newest_boards import newest_boards
from leaderboard.standing import BoardKind


@dataclass(frozen=True, slots=True)
class CellCount:
    """How many cells of one provenance a model has for a target."""

    provenance: Provenance
    target: str
    cells: int


def cell_counts(slug: str) -> tuple[CellCount, ...]:
    """What a model has anything of, verified ones first; one query."""
    found = (
        CellsOf(model=slug)
        .rows()
        .order_by("board__target")
        .values_list("provenance", "board__target")
        .annotate(cells=Count("pk"))
    )
    told = (CellCount(Provenance(provenance), *rest) for provenance, *rest in found)
    return tuple(sorted(told, key=lambda one: tuple(Provenance).index(one.provenance)))


def best_cells(slug: str, asked: CellFilter, *, turn_limit: int) -> tuple[PlacedRow, ...]:
    """The best cell of the newest boards, for each device that was measured or named; two queries.

    Each entry stands with the largest turn limit up to ``turn_limit`` that it has. At most MOST_CELLS cells.
    """
    rows = asked.of(CellsOf(model=slug).rows()).filter(turn_limit__lte=turn_limit)
    rows = rows.filter(board__in=newest_boards(rows))
    found = best_of(with_most_turns(rows, turn_limit), "devices", "reported_device")
    order = ("board__target", "board__device", "board__slug", "devices", "reported_device")
    return placed(found.order_by(*order)[:MOST_CELLS])


def best_of(rows: QuerySet[Standing], *apart: str) -> QuerySet[Standing]:
    """The row with the largest value of each board, for each of ``apart``; ``several`` counts those it was one of."""
    place = [F("board"), *(F(one) for one in apart)]
    order = (F("value").desc(nulls_last=True), F("position").asc(), F("subject").asc())
    return rows.annotate(
        row_there=Window(RowNumber(), partition_by=place, order_by=order),
        several=Window(Count("pk"), partition_by=place),
    ).filter(row_there=1)


def over_turns(whose: CellsOf, cells: Iterable[PlacedRow]) -> tuple[PlacedRow, ...]:
    """The verified rates among these cells at every turn limit, for curves; one query, and none without a rate.

    Of a row they have what a curve shows: value, interval and counts are those of its turn limit, the rest is not.
    """
    rated = {
        (one.board.slug, one.row.subject): one
        for one in cells
        if one.board.kind is not BoardKind.SPEED and one.row.provenance is Provenance.VERIFIED
    }
    if not rated:
        return ()
    found = (
        whose.rows()
        .filter(
            provenance=Provenance.VERIFIED,
            board__slug__in={board for board, _ in rated},
            subject__in={subject for _, subject in rated},
        )
        .order_by("turn_limit", "board__slug", "subject")
        .values_list("board__slug", "subject", *_OF_A_LIMIT)
    )
    return tuple(
        replace(cell, row=replace(cell.row, **dict(zip(_OF_A_LIMIT, values, strict=True))))
        for board, subject, *values in found
        if (cell := rated.get((board, subject))) is not None
    )


_OF_A_LIMIT = ("turn_limit", "value", "low", "high", "hits", "counted")
