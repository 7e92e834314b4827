"""The boards of one problem on its page: the first rows of each, in the columns that say what the board asks."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.safestring import SafeString

from leaderboard.selectors.problem_boards import TopRows
from leaderboard.standing import BoardKind, RateName
from leaderboard.templatetags.figures import said
from leaderboard.views.board_heads import NAMES
from leaderboard.views.board_lines import board_lines, rate_columns
from leaderboard.views.board_table import table_body

_SHOWN = {
    BoardKind.CORRECTNESS: (RateName.CORRECT, RateName.SOLVED),
    BoardKind.INSTRUCTION: (RateName.FAMILY_CORRECT, RateName.PATH_CORRECT),
    BoardKind.SPEED: ("ratio", "times"),
}


@dataclass(frozen=True, slots=True)
class ShortBoard:
    """``heads`` name the columns behind rank and name."""

    top: TopRows
    heads: tuple[str, ...]
    body: SafeString


def short_boards(found: Iterable[TopRows]) -> tuple[ShortBoard, ...]:
    return tuple(_short(one) for one in found)


def _short(top: TopRows) -> ShortBoard:
    shown = _SHOWN[top.board.kind]
    columns = [one for one in rate_columns(top.rows) if one.name in shown]
    lines = board_lines(top.rows, columns, factor=1.0)
    if top.board.kind is BoardKind.SPEED:
        heads = tuple(NAMES[one] for one in shown)
    else:
        heads = tuple(said(one.name, "rate") for one in columns)
    return ShortBoard(top, heads, table_body(lines, shown))
