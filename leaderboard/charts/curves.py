"""How a rate grows with the turns: the values that stand on the boards at each turn limit, with their intervals."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from evaluation.core.quoting import counted
from leaderboard.charts.chart import (
    MOST_SERIES,
    Axis,
    Chart,
    Column,
    Look,
    Point,
    Series,
    TableCell,
    table,
)
from leaderboard.charts.naming import newest, short_place_of, which_entry
from leaderboard.ranking import Provenance
from leaderboard.selectors import PlacedRow
from leaderboard.standing import BoardKind
from leaderboard.templatetags.addresses import board_address
from leaderboard.templatetags.figures import said, share

_TITLES = {
    BoardKind.CORRECTNESS: "Correct, over turns",
    BoardKind.INSTRUCTION: "Correct with the target’s instructions, over turns",
}
_RATES = {
    BoardKind.CORRECTNESS: "correct@T",
    BoardKind.INSTRUCTION: "family-correct@T",
}
_COLUMNS = (
    Column("Of"),
    Column("T", is_figure=True),
    Column("Share", is_figure=True),
    Column("Interval", is_figure=True),
    Column("Turns", is_figure=True),
)


def curves(cells: Iterable[PlacedRow], titles: Mapping[str, str]) -> tuple[Chart, ...]:
    """Give a chart of correctness and one of instruction, never both in one; none for a single turn limit."""
    verified = newest(one for one in cells if one.row.provenance is Provenance.VERIFIED)
    found = (_curve(kind, verified, titles) for kind in _TITLES)
    return tuple(one for one in found if one is not None)


def curve_cells(cells: Iterable[PlacedRow], titles: Mapping[str, str]) -> tuple[PlacedRow, ...]:
    """The cells of the lines of both charts in the order of their tables."""
    verified = newest(one for one in cells if one.row.provenance is Provenance.VERIFIED)
    return tuple(
        one for kind in _TITLES for _, some in _lines(kind, verified, titles) for one in some
    )


def _curve(kind: BoardKind, cells: Sequence[PlacedRow], titles: Mapping[str, str]) -> Chart | None:
    lines = _lines(kind, cells, titles)
    if not lines:
        return None
    rate = _RATES[kind]
    left_out = len(lines) - MOST_SERIES
    rest = f" The first {MOST_SERIES} of {len(lines)} are drawn." if left_out > 0 else ""
    return Chart(
        name=f"over-turns-{kind}",
        title=_TITLES[kind],
        said=(
            f"{rate}: the share of all declared turns among the first T. Each line is one problem or suite, with the "
            f"intervals that rank it; a turn limit without an interval has too little to rank by.{rest}"
        ),
        x=Axis(title="turns T", low=0),
        y=Axis(title=rate, low=-0.02, high=1.02, is_share=True),
        series=tuple(
            Series(name, Look.LINE, tuple(_point(name, one) for one in some))
            for name, some in lines[:MOST_SERIES]
        ),
        table=table(
            f"{rate} by turn limit, verified by us",
            _COLUMNS,
            [_row(name, one) for name, some in lines for one in some],
        ),
    )


def _lines(
    kind: BoardKind, cells: Sequence[PlacedRow], titles: Mapping[str, str]
) -> list[tuple[str, list[PlacedRow]]]:
    """Each line by its name with its cells by turn limit; none where no line has two."""
    there = [one for one in cells if one.board.kind is kind and one.row.value is not None]
    groups: defaultdict[tuple[str, str], list[PlacedRow]] = defaultdict(list)
    for one in there:
        groups[one.board.slug, one.row.subject].append(one)
    if not any(len(some) > 1 for some in groups.values()):
        return []
    several = len({one.row.subject for one in there}) > 1
    targets = len({one.board.target for one in there}) > 1
    order = {name: number for number, name in enumerate(titles)}
    return [
        (_name(some[0], several=several, targets=targets), _by_turns(some))
        for some in sorted(groups.values(), key=lambda some: _place(some[0], order))
    ]


def _by_turns(cells: Iterable[PlacedRow]) -> list[PlacedRow]:
    return sorted(cells, key=lambda one: one.row.turn_limit)


def _place(cell: PlacedRow, order: Mapping[str, int]) -> tuple[object, ...]:
    """The whole suite first, then problems as the catalogue lists them."""
    board = cell.board
    return (
        *(board.target, not board.suite, board.suite),
        *(order.get(board.problem, len(order)), board.language, cell.row.subject),
    )


def _name(cell: PlacedRow, *, several: bool, targets: bool) -> str:
    board = cell.board
    parts = [short_place_of(board)]
    if targets:
        parts.append(board.target.title())
    if board.language != "cuda":
        parts.append(said(board.language, "language"))
    if several:
        parts.append(which_entry(cell.row))
    return ", ".join(parts)


def _point(name: str, cell: PlacedRow) -> Point:
    row = cell.row
    return Point(
        x=row.turn_limit,
        y=row.value or 0.0,
        low=row.low,
        high=row.high,
        said=f"{name}\nfirst {counted(row.turn_limit, 'turn')}: {share(row.value)}{_interval(cell)}",
        address=board_address(cell.board, row.provenance, row.turn_limit),
    )


def _interval(cell: PlacedRow) -> str:
    row = cell.row
    return "" if row.low is None else f" ({share(row.low)} to {share(row.high)})"


def _row(name: str, cell: PlacedRow) -> tuple[TableCell, ...]:
    row = cell.row
    address = board_address(cell.board, row.provenance, row.turn_limit)
    interval = "none" if row.low is None else f"{share(row.low)} to {share(row.high)}"
    return (
        TableCell(name),
        TableCell(str(row.turn_limit)),
        TableCell(share(row.value), address),
        TableCell(interval),
        TableCell(f"{row.counted:,}" if row.hits is None else f"{row.hits:,} of {row.counted:,}"),
    )
