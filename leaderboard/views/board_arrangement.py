"""Which columns of a board are shown, and by which its rows are ordered: words of the address, without scripts too."""

from dataclasses import dataclass

from leaderboard.selectors.board_order import Order
from leaderboard.standing import BoardKind, RateName
from leaderboard.views.arrangement import BETWEEN, REVERSED
from leaderboard.views.asked import Asked

_BESIDE = ("beside", "devices")
COLUMNS: dict[BoardKind, tuple[str, ...]] = {
    # Those that can be left out, in their order; rank and name always stand.
    BoardKind.CORRECTNESS: (RateName.CORRECT, RateName.SOLVED, *_BESIDE),
    BoardKind.INSTRUCTION: (
        *(RateName.FAMILY_CORRECT, RateName.FAMILY_SOLVED),
        *(RateName.PATH_CORRECT, RateName.PATH_SOLVED),
        *_BESIDE,
    ),
    BoardKind.SPEED: ("ratio", "times", "fast", "median", RateName.CORRECT, *_BESIDE),
}


@dataclass(frozen=True, slots=True)
class Arrangement:
    """``shown`` are keys of COLUMNS; ``order`` is None for that of the board, by rank."""

    kind: BoardKind
    shown: tuple[str, ...]
    order: Order | None


def sort_keys(kind: BoardKind) -> tuple[str, ...]:
    """What rows of such a board can be ordered by, beside their rank."""
    return ("who", *(one for one in COLUMNS[kind] if one not in _BESIDE))


def arrangement_of(asked: Asked, kind: BoardKind) -> Arrangement:
    """What an address in the one way asks for."""
    order = None
    if asked.sort:
        key = asked.sort.removeprefix(REVERSED)
        order = Order(key, is_reversed=asked.sort.startswith(REVERSED), p=asked.factor)
    shown = tuple(asked.columns.split(BETWEEN)) if asked.columns else COLUMNS[kind]
    return Arrangement(kind, shown, order)
