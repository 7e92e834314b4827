"""What the gap chart reads: both rates of every subject at every problem, joined from the two boards they stand on."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluation.core.verdict import Language
from leaderboard.estimates import Unranked
from leaderboard.models import Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.board_index import BoardHead, head
from leaderboard.selectors.board_row import BoardRow, board_row
from leaderboard.standing import BoardKind, RateName, ShownRate

MOST_POINTS = 2000
# How a publication knows of its instructions; the stronger one first.
_EVIDENCE = ("", "dynamic_sass", "ptx_text")


@dataclass(frozen=True, slots=True)
class GapPoint:
    """One subject at one problem: the share of correct turns, and of those that also executed the target's family."""

    board: BoardHead
    row: BoardRow
    correct: ShownRate
    family: ShownRate


def gap_points(
    *,
    provenance: Provenance,
    turn_limit: int,
    language: Language = Language.CUDA,
    problems: Iterable[str],
    track: str = "",
) -> tuple[GapPoint, ...]:
    """Read at most MOST_POINTS points of the newest version and judge series of each problem; two queries.

    ``board`` and ``row`` are those of the instruction board.
    """
    shown = Standing.objects.filter(
        provenance=provenance,
        turn_limit=turn_limit,
        board__language=language,
        board__problem__in=list(problems),
    ).exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)
    if track:
        shown = shown.filter(model__track=track)
    correct = {
        _key(one): board_row(one, BoardKind.CORRECTNESS)
        for one in _newest(_of(shown, BoardKind.CORRECTNESS))
    }
    found = (
        _point(head(one.board), board_row(one, BoardKind.INSTRUCTION), correct.get(_key(one)))
        for one in _newest(_of(shown, BoardKind.INSTRUCTION))
    )
    return tuple(one for one in found if one is not None)


def _of(shown: QuerySet[Standing], kind: BoardKind) -> list[Standing]:
    there = shown.filter(board__kind=kind).select_related("board", "entry", "model")
    order = ("board__problem", "board__target", "-board__problem_version", "position", "subject")
    return list(there.order_by(*order)[:MOST_POINTS])


def _newest(rows: list[Standing]) -> list[Standing]:
    latest: dict[tuple[str, str], tuple[int, int, str]] = {}
    for one in rows:
        place = (one.board.target, one.board.problem)
        latest[place] = max(latest.get(place, (0, 0, "")), _age(one))
    return [one for one in rows if _age(one) == latest[one.board.target, one.board.problem]]


def _age(one: Standing) -> tuple[int, int, str]:
    return (one.board.problem_version, len(one.board.judge), one.board.judge)


def _key(one: Standing) -> tuple[object, ...]:
    board = one.board
    return (board.target, board.problem, board.problem_version, board.judge, one.subject)


def _point(board: BoardHead, row: BoardRow, other: BoardRow | None) -> GapPoint | None:
    correct = _rate(other, RateName.CORRECT) if other else None
    family = _rate(row, RateName.FAMILY_CORRECT)
    if correct is None or family is None:
        return None
    return GapPoint(board, row, correct, family)


def _rate(row: BoardRow, name: RateName) -> ShownRate | None:
    there = [one for one in row.rates if one.name == name and one.value is not None]
    return min(there, key=lambda one: _EVIDENCE.index(one.evidence), default=None)
