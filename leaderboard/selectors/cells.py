"""Every cell of one model or of one entry, over all boards."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.estimates import Unranked
from leaderboard.models import Standing
from leaderboard.selectors.board_index import BoardHead, head
from leaderboard.selectors.board_row import BoardRow, board_row
from leaderboard.standing import BoardKind

MOST_CELLS = 5000


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row with the board it stands on."""

    board: BoardHead
    row: BoardRow


def model_cells(slug: str) -> tuple[PlacedRow, ...]:
    """The cells of a listed model, of every provenance, in a fixed order; one query."""
    rows = Standing.objects.filter(model__slug=slug)
    return _cells(rows.exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED))


def entry_cells(uid: UUID) -> tuple[PlacedRow, ...]:
    """The cells of a public entry, also before its model is accepted; none of another one; one query."""
    return _cells(Standing.objects.filter(entry__uid=uid))


def _cells(rows: QuerySet[Standing]) -> tuple[PlacedRow, ...]:
    found = rows.select_related("board", "entry", "model").order_by(
        "board__kind", "board__target", "board__slug", "provenance", "subject", "turn_limit"
    )
    return tuple(
        PlacedRow(head(one.board), board_row(one, BoardKind(one.board.kind)))
        for one in found[:MOST_CELLS]
    )
