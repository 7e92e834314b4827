"""The first cell of several models or entries on each board, at one turn limit and provenance, side by side."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from leaderboard.estimates import Unranked
from leaderboard.models import Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.cells import PlacedRow, placed
from leaderboard.selectors.newest_boards import newest_boards


def cells_of_models(
    slugs: Sequence[str], *, turn_limit: int, provenance: Provenance
) -> tuple[PlacedRow, ...]:
    """Of the entries of each model the first on the board; by board, each in its order; two queries."""
    found = Standing.objects.filter(model__slug__in=slugs)
    found = found.exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)
    return _first_of(found.filter(turn_limit=turn_limit, provenance=provenance), "model")


def cells_of_entries(
    uids: Sequence[UUID], *, turn_limit: int, provenance: Provenance
) -> tuple[PlacedRow, ...]:
    """Of public entries, also before their models are accepted; by board, each in its order; two queries."""
    found = Standing.objects.filter(entry__uid__in=uids)
    return _first_of(found.filter(turn_limit=turn_limit, provenance=provenance), "entry")


def _first_of(rows: QuerySet[Standing], whose: str) -> tuple[PlacedRow, ...]:
    """As many rows as there are boards and subjects, of the newest version and judge series that one of them has."""
    place = [F("board"), F(whose)]
    first = (
        rows.filter(board__in=newest_boards(rows))
        .annotate(
            row_there=Window(RowNumber(), partition_by=place, order_by=(F("position"),)),
            several=Window(Count("pk"), partition_by=place),
        )
        .filter(row_there=1)
    )
    return placed(first.order_by("board__slug", "position"))
