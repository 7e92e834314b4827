"""Every cell of one model or of one entry, over all boards."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from evaluation.core.entry_words import Visibility
from evaluation.models import Entry
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


@dataclass(frozen=True, slots=True)
class ModelUploads:
    """How many entries there are under a model; ``hidden`` are private, embargoed or withdrawn."""

    entries: int
    hidden: int
    owners: int


def model_cells(slug: str) -> tuple[PlacedRow, ...]:
    """The cells of a listed model, of every provenance, in a fixed order; one query."""
    rows = Standing.objects.filter(model__slug=slug)
    return _cells(rows.exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED))


def entry_cells(uid: UUID) -> tuple[PlacedRow, ...]:
    """The cells of a public entry, also before its model is accepted; none of another one; one query."""
    return _cells(Standing.objects.filter(entry__uid=uid))


def model_uploads(slug: str) -> ModelUploads:
    """Count what was handed in under a model, what nobody else may see with it, as numbers alone."""
    hidden = ~Q(visibility=Visibility.PUBLIC) | Q(withdrawn_at__isnull=False)
    counts = Entry.objects.filter(model__slug=slug).aggregate(
        entries=Count("pk"),
        hidden=Count("pk", filter=hidden),
        owners=Count("owner", distinct=True),
    )
    return ModelUploads(**counts)


def _cells(rows: QuerySet[Standing]) -> tuple[PlacedRow, ...]:
    found = rows.select_related("board", "entry", "model").order_by(
        "board__kind", "board__target", "board__slug", "provenance", "subject", "turn_limit"
    )
    return tuple(
        PlacedRow(head(one.board), board_row(one, BoardKind(one.board.kind)))
        for one in found[:MOST_CELLS]
    )
