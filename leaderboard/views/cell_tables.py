"""Cells of a model or an entry as tables, one for each finding and provenance."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from django.utils.safestring import SafeString

from leaderboard.ranking import Provenance
from leaderboard.selectors import PlacedRow
from leaderboard.standing import BoardKind
from leaderboard.views.cell_rows import CellLook, cell_rows


@dataclass(frozen=True, slots=True)
class CellTable:
    """``rows`` are the cells as HTML; ``look`` says which columns and notes they have."""

    kind: BoardKind
    provenance: Provenance
    cells: tuple[PlacedRow, ...]
    look: CellLook

    @property
    def rows(self) -> SafeString:
        return cell_rows(self.cells, self.look)


def cell_tables(
    cells: Iterable[PlacedRow], known: Mapping[str, str], look: CellLook = CellLook.PLAIN
) -> tuple[CellTable, ...]:
    """In the order of targets, places and turn limits; ``known`` are the problems in the order of the catalogue."""
    order = {name: number for number, name in enumerate(known)}
    ordered = sorted(cells, key=lambda one: _place(one, order))
    return tuple(
        CellTable(kind, provenance, there, look)
        for provenance in Provenance
        for kind in BoardKind
        if (there := tuple(one for one in ordered if _table(one) == (provenance, kind)))
    )


def in_their_order(cells: Iterable[PlacedRow], look: CellLook) -> tuple[CellTable, ...]:
    """Of a piece of a long list: each run of one provenance and finding."""
    return tuple(
        CellTable(kind, provenance, tuple(there), look)
        for (provenance, kind), there in groupby(cells, _table)
    )


def _table(one: PlacedRow) -> tuple[Provenance, BoardKind]:
    return one.row.provenance, one.board.kind


def _place(one: PlacedRow, order: Mapping[str, int]) -> tuple[object, ...]:
    board = one.board
    at = order.get(board.problem, len(order))
    return (board.target, board.device, not board.suite, at, one.row.subject)
