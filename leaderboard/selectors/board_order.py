"""Rows of a board in the order of one of its columns. The ranking is not touched: every row keeps its rank."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Expression, F, OrderBy, QuerySet
from django.db.models.functions import Coalesce, Lower

from leaderboard.models import Standing
from leaderboard.standing import rates_of, ratios_of

MOST_READ = 20_000  # rows whose figures stand in a text; the database orders the others


class TooManyRows(LookupError):
    """The board has more rows than are ordered by this column while somebody waits."""


@dataclass(frozen=True, slots=True)
class Order:
    """``key`` is a column of BY_COLUMN, ``fast`` or the name of a rate: the best first, or last if ``is_reversed``.

    ``p`` is the one of Fast_p. Rows without a value come last either way, and equal ones in the order of the board.
    """

    key: str
    is_reversed: bool = False
    p: float = 1.0


BY_COLUMN: Mapping[str, tuple[Expression | F, bool]] = {
    # What the database orders by, and whether the best is the largest.
    "who": (Lower(Coalesce("model__name", "entry__proposed_model")), False),
    "ratio": (F("value"), True),
    "times": (F("candidate_ns"), False),
    "median": (F("median_ratio"), True),
}


def page_in_order(
    rows: QuerySet[Standing], order: Order | None, *, start: int, most: int
) -> list[Standing]:
    """At most ``most`` of these rows from ``start`` (counted from 0) on; at most two queries. Raise TooManyRows.

    Without an order they come in that of the board. What ``rows`` join or work out is read for this page's rows alone.
    """
    if order is not None and order.key not in BY_COLUMN:
        keys = _ordered_keys(rows, order)[start : start + most]
        found = {one.pk: one for one in rows.filter(pk__in=keys)}
        return [found[key] for key in keys if key in found]
    by = _columns(order)
    page = rows.order_by(*by).values("pk")[start : start + most]
    return list(rows.filter(pk__in=page).order_by(*by))


def _columns(order: Order | None) -> tuple[OrderBy | str, ...]:
    if order is None:
        return ("position",)
    expression, largest_first = BY_COLUMN[order.key]
    descending = largest_first is not order.is_reversed
    return (OrderBy(expression, descending=descending, nulls_last=True), "position")


def _ordered_keys(rows: QuerySet[Standing], order: Order) -> list[int]:
    """The key of every row by what its text says."""
    read, column = _reader(order)
    found = list(rows.order_by("position").values("pk", "counted", "hits", column)[: MOST_READ + 1])
    if len(found) > MOST_READ:
        raise TooManyRows(f"A board of more than {MOST_READ:,} rows is not ordered by this column.")
    values = [(read(one), one["pk"]) for one in found]
    known = [(value, key) for value, key in values if value is not None]
    known.sort(key=lambda one: one[0], reverse=not order.is_reversed)
    return [key for _, key in known] + [key for value, key in values if value is None]


def _reader(order: Order) -> tuple[Callable[[Mapping[str, Any]], float | None], str]:
    def fast(row: Mapping[str, Any]) -> float | None:
        if row["hits"] is None or not row["counted"]:
            return None
        counted: int = row["counted"]
        return sum(one > order.p for one in ratios_of(row["ratios"])) / counted

    def rate(row: Mapping[str, Any]) -> float | None:
        named = (one.value for one in rates_of(row["rates"]) if one.name == order.key)
        return max((one for one in named if one is not None), default=None)

    return (fast, "ratios") if order.key == "fast" else (rate, "rates")
