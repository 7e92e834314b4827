"""The cells of several models or entries at one turn limit and provenance, to be shown side by side."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.estimates import Unranked
from leaderboard.models import Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.board_index import head
from leaderboard.selectors.board_row import board_row
from leaderboard.selectors.cells import MOST_CELLS, PlacedRow
from leaderboard.standing import BoardKind


def cells_of_models(
    slugs: Sequence[str], *, turn_limit: int, provenance: Provenance
) -> tuple[PlacedRow, ...]:
    """By board, each in its order; one query."""
    found = Standing.objects.filter(model__slug__in=slugs)
    found = found.exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)
    return _cells(found, turn_limit, provenance)


def cells_of_entries(
    uids: Sequence[UUID], *, turn_limit: int, provenance: Provenance
) -> tuple[PlacedRow, ...]:
    """Of public entries, also before their models are accepted; by board, each in its order; one query."""
    return _cells(Standing.objects.filter(entry__uid__in=uids), turn_limit, provenance)


def _cells(
    rows: QuerySet[Standing], turn_limit: int, provenance: Provenance
) -> tuple[PlacedRow, ...]:
    there = rows.filter(turn_limit=turn_limit, provenance=provenance)
    found = there.select_related("board", "entry", "model").order_by("board__slug", "position")
    return tuple(
        PlacedRow(head(one.board), board_row(one, BoardKind(one.board.kind)))
        for one in found[:MOST_CELLS]
    )
