"""Rows of a list in the order of one of its columns: in the database page by page, or in memory."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias, TypeVar

from django.db.models import Expression, F, OrderBy, Value
from django.db.models.functions import Lower, NullIf

Row = TypeVar("Row")
Sortable: TypeAlias = Expression | F
SortValue: TypeAlias = str | float | datetime | tuple[int, int, str] | None


@dataclass(frozen=True, slots=True)
class ListOrder:
    """By the column ``key``, the smallest first or the largest. Rows without a value come last either way."""

    key: str
    descending: bool = False


def ordering(
    order: ListOrder | None, columns: Mapping[str, Sortable], natural: tuple[OrderBy | str, ...]
) -> tuple[OrderBy | str, ...]:
    """What the database orders by; equal rows, and all without an order, come in the ``natural`` one.

    ``natural`` ends with what no two rows have in common, so that no row stands on two pages.
    """
    if order is None:
        return natural
    by = OrderBy(columns[order.key], descending=order.descending, nulls_last=True)
    return (by, *natural)


def by_name() -> tuple[OrderBy | str, ...]:
    """Models by name as a dictionary has them, capitals beside small letters, whatever the database's own order."""
    return (Lower("name").asc(), "name", "slug")


def if_known(name: str) -> NullIf:
    """A column of text, in which what is not known is empty."""
    return NullIf(F(name), Value(""))


def sorted_rows(
    rows: Iterable[Row], order: ListOrder | None, read: Mapping[str, Callable[[Row], SortValue]]
) -> tuple[Row, ...]:
    """Rows in memory; equal ones, and all without an order, stay as they come. Unknown are None and empty text."""
    found = tuple(rows)
    if order is None:
        return found
    of = read[order.key]
    values = [(of(one), one) for one in found]
    known = [(value, one) for value, one in values if value is not None and value != ""]
    unknown = [one for value, one in values if value is None or value == ""]
    known.sort(key=lambda one: one[0], reverse=order.descending)
    return (*(one for _, one in known), *unknown)
