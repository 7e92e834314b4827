"""Cells of a model or an entry as tables, one for each finding and provenance."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from django.utils.safestring import SafeString

from leaderboard.ranking import Provenance
from leaderboard.selectors import PlacedRow
from leaderboard.standing import BoardKind
from leaderboard.views.arrangement import Head, ListArrangement, OtherWords
from leaderboard.views.cell_columns import CELL_COLUMNS, cell_heads, plain_cell_heads
from leaderboard.views.cell_rows import CellLook, cell_rows


@dataclass(frozen=True, slots=True)
class CellTable:
    """``rows`` are the cells as HTML; ``look`` says which notes they have, ``columns`` names those that are shown."""

    kind: BoardKind
    provenance: Provenance
    cells: tuple[PlacedRow, ...]
    look: CellLook
    columns: tuple[str, ...]
    heads: tuple[Head, ...]

    @property
    def rows(self) -> SafeString:
        return cell_rows(self.cells, self.look, self.columns)


def cell_tables(
    cells: Iterable[PlacedRow], known: Mapping[str, str], look: CellLook = CellLook.PLAIN
) -> tuple[CellTable, ...]:
    """In the order of targets, places and turn limits; ``known`` are the problems in the order of the catalogue."""
    order = {name: number for number, name in enumerate(known)}
    ordered = sorted(cells, key=lambda one: _place(one, order))
    # Plain cells are of one entry, which needs no column.
    shown = CELL_COLUMNS.all_keys
    columns = tuple(one for one in shown if look is not CellLook.PLAIN or one != "entry")
    return tuple(
        CellTable(
            kind, provenance, there, look, columns, plain_cell_heads(kind, provenance, columns)
        )
        for provenance in Provenance
        for kind in BoardKind
        if (there := tuple(one for one in ordered if _table(one) == (provenance, kind)))
    )


def as_arranged(
    cells: Iterable[PlacedRow], arrangement: ListArrangement, other: OtherWords
) -> tuple[CellTable, ...]:
    """Of a piece of a long list, in its order: each run of one provenance and finding."""
    return tuple(
        CellTable(
            kind,
            provenance,
            tuple(there),
            CellLook.MANY,
            arrangement.shown,
            cell_heads(kind, provenance, arrangement, other),
        )
        for (provenance, kind), there in groupby(cells, _table)
    )


def _table(one: PlacedRow) -> tuple[Provenance, BoardKind]:
    return one.row.provenance, one.board.kind


def _place(one: PlacedRow, order: Mapping[str, int]) -> tuple[object, ...]:
    board = one.board
    at = order.get(board.problem, len(order))
    return (board.target, board.device, not board.suite, at, one.row.subject)
