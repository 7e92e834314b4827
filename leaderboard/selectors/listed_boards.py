"""Which boards show something, with how many rows of which provenance: for the page that lists them."""

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from leaderboard.estimates import Unranked
from leaderboard.models import Board, Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.board_index import BoardHead, head
from leaderboard.standing import BoardKind

MOST_DEVICES = 60


@dataclass(frozen=True, slots=True)
class BoardCount:
    """A board with its subjects of one provenance, at whichever turn limits they stand; ``ranked`` of them rank."""

    board: BoardHead
    provenance: Provenance
    rows: int
    ranked: int


def listed_boards() -> tuple[BoardCount, ...]:
    """Every board that shows something, once for each provenance, in no order that matters; two queries."""
    ranked = Count("subject", filter=Q(unranked_why=""), distinct=True)
    counts = list(
        _listed()
        .order_by("board", "provenance")
        .values("board", "provenance")
        .annotate(rows=Count("subject", distinct=True), ranked=ranked)
        .values_list("board", "provenance", "rows", "ranked")
    )
    heads = {one.pk: head(one) for one in Board.objects.filter(Exists(_here()))}
    return tuple(
        BoardCount(heads[board], Provenance(provenance), rows, ranks)
        for board, provenance, rows, ranks in counts
        if board in heads  # one that came between the two queries waits for the next time
    )


def devices_with_boards() -> tuple[str, ...]:
    """Names of devices whose speed boards show something, at most MOST_DEVICES by name; one query."""
    found = Board.objects.filter(Exists(_here()), kind=BoardKind.SPEED).order_by("device")
    return tuple(found.values_list("device", flat=True).distinct()[:MOST_DEVICES])


def _listed() -> QuerySet[Standing]:
    return Standing.objects.exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)


def _here() -> QuerySet[Standing]:
    return _listed().filter(board=OuterRef("pk"))
