"""Where an entry stands on one board, for its badge."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from evaluation.models import Entry
from leaderboard.models import Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.board_index import BoardHead, head


@dataclass(frozen=True, slots=True)
class BadgeRow:
    """At the most turns that count. ``rank_low`` and ``rank_high`` are None where the entry has no rank there."""

    board: BoardHead
    turn_limit: int
    rank_low: int | None
    rank_high: int | None


def badge_row(entry: UUID, board: str, *, at: datetime) -> BadgeRow | None:
    """None where no verified value of a public entry stands on such a board; one query."""
    public = Entry.objects.public(at=at).filter(uid=entry).order_by().values("pk")
    found = (
        Standing.objects.filter(board__slug=board, entry__in=public, provenance=Provenance.VERIFIED)
        .select_related("board")
        .order_by("-turn_limit")
        .first()
    )
    if found is None:
        return None
    return BadgeRow(head(found.board), found.turn_limit, found.rank_low, found.rank_high)
