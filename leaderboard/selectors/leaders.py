"""Who leads each board: its first row at one turn limit, for the first page and for the page of a problem."""

from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, Subquery

from leaderboard.estimates import Unranked
from leaderboard.models import Board, Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.board_index import BoardHead, head
from leaderboard.selectors.board_row import BoardRow, board_row
from leaderboard.standing import BoardKind


@dataclass(frozen=True, slots=True)
class Leader:
    """The first row of a board. It may be unranked, and then says why."""

    board: BoardHead
    row: BoardRow


def leaders(
    *, provenance: Provenance, turn_limit: int, problem: str = "", target: str = ""
) -> tuple[Leader, ...]:
    """Read the first row of every board of the newest version and judge series; two queries.

    It is the first at ``turn_limit``, or where nobody declared so many turns at the largest limit below.
    """
    shown = Standing.objects.filter(
        board=OuterRef("pk"), provenance=provenance, turn_limit__lte=turn_limit
    ).exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)
    found = Board.objects.annotate(
        first=Subquery(shown.order_by("-turn_limit", "position").values("pk")[:1])
    ).filter(first__isnull=False)
    if problem:
        found = found.filter(problem=problem)
    if target:
        found = found.filter(target=target)
    newest: dict[tuple[str, ...], Any] = {}
    for board in found.order_by("problem_version"):
        place = (
            *(board.kind, board.target, board.device),
            *(board.problem, board.suite, board.language),
        )
        if place not in newest or _age(board) > _age(newest[place]):
            newest[place] = board
    chosen = Standing.objects.select_related("entry", "model").in_bulk(
        [board.first for board in newest.values()]
    )
    return tuple(
        Leader(head(board), board_row(chosen[board.first], BoardKind(board.kind)))
        for _, board in sorted(newest.items(), key=lambda item: item[0])
        if board.first in chosen
    )


def _age(board: Board) -> tuple[int, int, str]:
    return (board.problem_version, len(board.judge), board.judge)
