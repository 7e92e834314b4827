"""Rows of boards side by side: a line a place, a cell a subject, and where one of them is surely ahead."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from leaderboard.selectors import BoardHead, BoardRow, PlacedRow
from leaderboard.standing import BoardKind


@dataclass(frozen=True, slots=True)
class SideCell:
    """The best-placed row of a subject on a board; ``others`` are how many more rows it has there."""

    row: BoardRow
    others: int


@dataclass(frozen=True, slots=True)
class SideLine:
    """``ahead`` is the place of the subject whose interval lies above those of all others, None where there is none."""

    board: BoardHead
    cells: tuple[SideCell | None, ...]
    ahead: int | None

    @property
    def is_common(self) -> bool:
        return all(one is not None and one.row.value is not None for one in self.cells)


@dataclass(frozen=True, slots=True)
class SideTable:
    """``common`` counts problems where every subject has a value, ``ahead`` those where each is surely ahead."""

    kind: BoardKind
    lines: tuple[SideLine, ...]
    common: int
    ahead: tuple[int, ...]


def side_by_side(
    cells: Iterable[PlacedRow],
    keys: Sequence[str],
    key_of: Callable[[BoardRow], str],
    *,
    order: Sequence[str],
) -> tuple[SideTable, ...]:
    """A table for each finding. Each subject has one of ``cells`` on a board at most; ``order`` is that of problems."""
    boards: dict[str, list[PlacedRow]] = {}
    for one in cells:
        boards.setdefault(one.board.slug, []).append(one)
    places = {name: number for number, name in enumerate(order)}
    lines = sorted(
        (_line(there, keys, key_of) for there in boards.values()),
        key=lambda line: _place(line.board, places),
    )
    return tuple(
        _table(kind, [one for one in lines if one.board.kind is kind], len(keys))
        for kind in BoardKind
        if any(one.board.kind is kind for one in lines)
    )


def _place(board: BoardHead, places: dict[str, int]) -> tuple[object, ...]:
    at = places.get(board.problem, len(places))
    return (board.target, board.device, not board.suite, at, board.slug)


def _line(
    there: Sequence[PlacedRow], keys: Sequence[str], key_of: Callable[[BoardRow], str]
) -> SideLine:
    cells = []
    for key in keys:
        own = next((one for one in there if key_of(one.row) == key), None)
        cells.append(SideCell(own.row, own.others) if own else None)
    return SideLine(there[0].board, tuple(cells), _ahead(cells))


def _ahead(cells: Sequence[SideCell | None]) -> int | None:
    ends = [
        (one.row.low, one.row.high)
        for one in cells
        if one is not None and one.row.low is not None and one.row.high is not None
    ]
    if len(ends) < len(cells):
        return None
    lows = [low for low, _ in ends]
    best = lows.index(max(lows))
    others = (high for at, (_, high) in enumerate(ends) if at != best)
    return best if all(lows[best] > high for high in others) else None


def _table(kind: BoardKind, lines: Sequence[SideLine], subjects: int) -> SideTable:
    common = [one for one in lines if one.is_common and not one.board.suite]
    ahead = tuple(sum(one.ahead == at for one in common) for at in range(subjects))
    return SideTable(kind, tuple(lines), len(common), ahead)
