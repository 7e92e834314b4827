"""The table of a board: which columns its rows need, and each row with its cells in that order."""

from collections.abc import Sequence
from dataclasses import dataclass

from leaderboard.selectors import BoardRow, FastShare
from leaderboard.standing import RateName, ShownRate


@dataclass(frozen=True, slots=True)
class RateColumn:
    """One rate by its name; publications have the same rate by several kinds of evidence."""

    name: str
    evidence: str


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A row with its rates in the order of the columns, None where it has no such rate."""

    row: BoardRow
    rates: tuple[ShownRate | None, ...]
    fast: FastShare | None


def rate_columns(rows: Sequence[BoardRow]) -> tuple[RateColumn, ...]:
    """Every rate that some row has, in the order of RateName."""
    found = {RateColumn(one.name, one.evidence) for row in rows for one in row.rates}
    order = [str(one) for one in RateName]
    return tuple(sorted(found, key=lambda one: (order.index(one.name), one.evidence)))


def board_lines(
    rows: Sequence[BoardRow], columns: Sequence[RateColumn], *, factor: float
) -> tuple[BoardLine, ...]:
    return tuple(
        BoardLine(
            row,
            tuple(
                next(
                    (one for one in row.rates if (one.name, one.evidence) == (c.name, c.evidence)),
                    None,
                )
                for c in columns
            ),
            row.fast(factor),
        )
        for row in rows
    )
