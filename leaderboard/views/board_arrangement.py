"""Which columns of a board are shown, and by which its rows are ordered: words of the address, without scripts too."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict

from leaderboard.selectors.board_order import Order
from leaderboard.standing import BoardKind, RateName
from leaderboard.views.answers import WrongQuestion
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
_REVERSED = "-"
_BETWEEN = "."


@dataclass(frozen=True, slots=True)
class Arrangement:
    """``shown`` are keys of COLUMNS; ``order`` is None for that of the board, by rank."""

    kind: BoardKind
    shown: tuple[str, ...]
    order: Order | None


def sort_keys(kind: BoardKind) -> tuple[str, ...]:
    """What rows of such a board can be ordered by, beside their rank."""
    return ("who", *(one for one in COLUMNS[kind] if one not in _BESIDE))


def in_one_way(query: QueryDict, kind: BoardKind) -> QueryDict:
    """Write ``columns`` and ``sort`` as they stand in the one address of a page. Raise WrongQuestion.

    A form names one column at a time, an address all of them with a full stop between, or none where none is left out.
    """
    found = query.copy()
    if "columns" in found:
        words = [one for some in found.getlist("columns") for one in some.split(_BETWEEN) if one]
        for one in words:
            if one not in COLUMNS[kind]:
                raise WrongQuestion(f"There is no column “{one[:80]}”. {_listed(COLUMNS[kind])}")
        chosen = [one for one in COLUMNS[kind] if one in words]
        found["columns"] = "" if len(chosen) == len(COLUMNS[kind]) else _BETWEEN.join(chosen)
    for one in found.getlist("sort"):
        if one and one.removeprefix(_REVERSED) not in sort_keys(kind):
            raise WrongQuestion(f"Nothing is ordered by “{one[:80]}”. {_listed(sort_keys(kind))}")
    return found


def arrangement_of(asked: Asked, kind: BoardKind) -> Arrangement:
    """What an address in the one way asks for."""
    order = None
    if asked.sort:
        key = asked.sort.removeprefix(_REVERSED)
        order = Order(key, is_reversed=asked.sort.startswith(_REVERSED), p=asked.factor)
    shown = tuple(asked.columns.split(_BETWEEN)) if asked.columns else COLUMNS[kind]
    return Arrangement(kind, shown, order)


def next_sort(arrangement: Arrangement, key: str) -> str:
    """What the link of a column asks for: the best first, then the worst first, then the ranking again."""
    order = arrangement.order
    if order is None or order.key != key:
        return key
    return "" if order.is_reversed else _REVERSED + key


def _listed(words: Sequence[str]) -> str:
    return f"There are: {', '.join(words)}."
