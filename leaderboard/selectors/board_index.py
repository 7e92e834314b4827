"""What a board is called by."""

from dataclasses import dataclass

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
