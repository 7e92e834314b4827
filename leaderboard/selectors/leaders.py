"""Who leads each board: its first row at one turn limit, for the first page and for the page of a problem."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from leaderboard.estimates import Unranked
from leaderboard.models import Board, Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.board_index import BoardHead, head
from leaderboard.selectors.board_row import BoardRow, board_row
from leaderboard.standing import BoardKind, series_age


@dataclass(frozen=True, slots=True)
class Leader:
    """The first row of a board. It may be unranked, and then says why."""

    board: BoardHead
    row: BoardRow


def leaders(
    *provenances: Provenance, turn_limit: int, problem: str = "", target: str = ""
) -> tuple[tuple[Leader, ...], ...]:
    """Read, for each provenance, the first row of every board of the newest version and judge series; two queries.

    It is the first at ``turn_limit``, or where nobody declared so many turns at the largest limit below. Who has
    nothing right leads nothing, whatever its rank.
    """
    found = Board.objects.annotate(
        **{f"first_{one}": _first(one, turn_limit) for one in provenances}
    ).order_by("problem_version")
    if problem:
        found = found.filter(problem=problem)
    if target:
        found = found.filter(target=target)
    boards = list(found)
    firsts = [_newest(boards, f"first_{one}") for one in provenances]
    rows = Standing.objects.select_related("entry", "model").in_bulk(
        [first for chosen in firsts for _, first in chosen]
    )
    return tuple(
        tuple(
            Leader(head(board), board_row(rows[first], BoardKind(board.kind)))
            for board, first in chosen
            if first in rows
        )
        for chosen in firsts
    )


def _first(provenance: Provenance, turn_limit: int) -> Subquery:
    shown = Standing.objects.filter(
        board=OuterRef("pk"), provenance=provenance, turn_limit__lte=turn_limit, value__gt=0
    ).exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)
    return Subquery(shown.order_by("-turn_limit", "position").values("pk")[:1])


def _newest(boards: Iterable[Board], name: str) -> list[tuple[Board, int]]:
    """Of the boards that have a first row, those of the newest version and series at each place, in order."""
    newest: dict[tuple[str, ...], tuple[Board, int]] = {}
    for board in boards:
        first = getattr(board, name)
        place = (
            *(board.kind, board.target, board.device),
            *(board.problem, board.suite, board.language),
        )
        if first is not None and (place not in newest or _age(board) > _age(newest[place][0])):
            newest[place] = board, first
    return [found for _, found in sorted(newest.items(), key=lambda item: item[0])]


def _age(board: Board) -> tuple[int, int, str]:
    return series_age(board.problem_version, board.judge)
