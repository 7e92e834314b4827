"""The boards that there are."""

from dataclasses import dataclass

from django.db.models import Count, Q

from leaderboard.estimates import Unranked
from leaderboard.models import Board
from leaderboard.standing import BoardKind


@dataclass(frozen=True, slots=True)
class BoardHead:
    """Which board it is. Boards without a judge series have what others say: uploads and publications."""

    slug: str
    kind: BoardKind
    target: str
    device: str
    problem: str
    suite: str
    problem_version: int
    language: str
    judge: str
    revision: int


@dataclass(frozen=True, slots=True)
class ListedBoard:
    """A board with how many subjects rank on it at some turn limit, and how many stand on it at all."""

    head: BoardHead
    ranked: int
    shown: int


def boards() -> tuple[ListedBoard, ...]:
    """Every board that shows something, in a fixed order; one query."""
    unlisted = Q(standings__unranked_why=Unranked.MODEL_NOT_ACCEPTED)
    ranked = Q(standings__unranked_why="")
    found = Board.objects.annotate(
        ranked=Count("standings__subject", filter=ranked, distinct=True),
        shown=Count("standings__subject", filter=~unlisted, distinct=True),
    ).order_by("kind", "target", "device", "suite", "problem", "-problem_version", "judge")
    return tuple(ListedBoard(head(one), one.ranked, one.shown) for one in found if one.shown)


def head(one: Board) -> BoardHead:
    return BoardHead(
        slug=one.slug,
        kind=BoardKind(one.kind),
        target=one.target,
        device=one.device,
        problem=one.problem,
        suite=one.suite,
        problem_version=one.problem_version,
        language=one.language,
        judge=one.judge,
        revision=one.revision,
    )
