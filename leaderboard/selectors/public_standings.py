"""Everything that stands on boards, and every record: for the public data set."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from evaluation.models import Entry
from leaderboard.estimates import Unranked
from leaderboard.models import RecordEvent, Standing
from leaderboard.selectors.board_index import head
from leaderboard.selectors.board_row import board_row
from leaderboard.selectors.cells import PlacedRow
from leaderboard.standing import BoardKind


@dataclass(frozen=True, slots=True)
class PublicRecord:
    """A record of a speed board; ``before`` is the ratio that it beat, None for the first."""

    board: str
    at: datetime
    entry: str
    run: str
    kernel: str
    ratio: float
    low: float
    high: float
    before: float | None


def public_standings(*, at: datetime) -> Iterator[tuple[PlacedRow, ...]]:
    """Rows as boards show them, a piece for each list that is ranked together, so that its ranks fit each other.

    A row whose entry is public no more is left out, even where its board does not know yet.
    """
    public = Entry.objects.public(at=at).order_by().values("pk")
    shown = Standing.objects.filter(Q(entry=None) | Q(entry__in=public)).exclude(
        unranked_why=Unranked.MODEL_NOT_ACCEPTED
    )
    lists = shown.order_by("board__slug", "provenance", "turn_limit").distinct()
    for board, provenance, limit in lists.values_list("board", "provenance", "turn_limit"):
        found = shown.filter(board=board, provenance=provenance, turn_limit=limit)
        whole = found.select_related("board", "entry", "model").order_by("position")
        yield tuple(
            PlacedRow(head(one.board), board_row(one, BoardKind(one.board.kind))) for one in whole
        )


def public_records(*, at: datetime) -> tuple[PublicRecord, ...]:
    """Every record, the oldest first."""
    public = Entry.objects.public(at=at).order_by().values("pk")
    found = RecordEvent.objects.filter(entry__in=public).select_related("board", "entry")
    return tuple(
        PublicRecord(
            one.board.slug,
            one.at,
            str(one.entry.uid),
            one.run,
            one.kernel,
            one.ratio,
            one.ratio_low,
            one.ratio_high,
            one.before,
        )
        for one in found.order_by("at", "board__slug", "ratio")
    )
