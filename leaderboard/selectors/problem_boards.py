"""The first rows of every board of one problem, for its page."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber

from leaderboard.estimates import Unranked
from leaderboard.models import Board, Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.board_index import BoardHead, head
from leaderboard.selectors.board_row import BoardRow, board_row
from leaderboard.selectors.newest_boards import newest_boards
from leaderboard.standing import BoardKind

MOST_BOARDS = 40  # a problem has one for each kind and target, and one for each device
PLACES_READ = 200


@dataclass(frozen=True, slots=True)
class TopRows:
    """``rows`` are the first of ``total`` at ``turn_limit``; the board is of the newest version and judge series."""

    board: BoardHead
    turn_limit: int
    rows: tuple[BoardRow, ...]
    total: int


def problem_boards(problem: str, *, turn_limit: int, most: int) -> tuple[TopRows, ...]:
    """Read boards with verified values of listed models, by kind, target and device; four queries.

    Each at ``turn_limit``, or where nobody declared so many turns at the largest limit below.
    """
    listed = Standing.objects.filter(
        board__problem=problem, provenance=Provenance.VERIFIED, turn_limit__lte=turn_limit
    ).exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)
    limits = listed.filter(board=OuterRef("pk")).order_by("-turn_limit").values("turn_limit")[:1]
    found = list(
        Board.objects.filter(pk__in=newest_boards(listed))
        .annotate(limit=Subquery(limits))
        .order_by("kind", "target", "device", "language")[:MOST_BOARDS]
    )
    shown = Q(pk__in=())
    for board in found:
        shown |= Q(board=board, turn_limit=board.limit)
    totals = dict(listed.filter(shown).values_list("board").annotate(rows=Count("*")))
    rows = _first_rows(listed.filter(shown), most)
    return tuple(
        TopRows(
            head(board),
            board.limit,
            tuple(board_row(one, BoardKind(board.kind)) for one in rows[board.pk]),
            totals.get(board.pk, 0),
        )
        for board in found
        if rows[board.pk]
    )


def _first_rows(rows: QuerySet[Standing], most: int) -> dict[int, list[Standing]]:
    """Rows of models that are not listed have places too; among the first PLACES_READ they are passed over."""
    place = Window(RowNumber(), partition_by=F("board"), order_by="position")
    first = rows.filter(position__lte=PLACES_READ).annotate(place=place).filter(place__lte=most)
    found: defaultdict[int, list[Standing]] = defaultdict(list)
    for one in first.select_related("entry", "model").order_by("board", "position"):
        found[one.board_id].append(one)
    return found
