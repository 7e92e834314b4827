"""Constraints that SQLite and PostgreSQL both keep. A new word costs a new constraint, never a new column."""

from collections.abc import Iterable
from enum import StrEnum

from django.db.models import CheckConstraint, Q
from django.db.models.functions import Length
from django.db.models.lookups import Exact

# Far beyond any count, cost or ratio. NaN and infinity fail the comparison on PostgreSQL; SQLite stores NaN as NULL.
LARGEST_NUMBER = 1e12


def words(
    name: str, column: str, kinds: type[StrEnum], *, or_empty: bool = False
) -> CheckConstraint:
    """The column holds one of the words, or nothing where that is allowed."""
    allowed = [str(word) for word in kinds] + ([""] if or_empty else [])
    return CheckConstraint(name=name, condition=Q(**{f"{column}__in": allowed}))


def within(
    name: str, *columns: str, low: float = 0, high: float = LARGEST_NUMBER
) -> CheckConstraint:
    """Every column is NULL or a finite number from ``low`` to ``high``."""
    condition = Q()
    for column in columns:
        bounds = Q(**{f"{column}__gte": low, f"{column}__lte": high})
        condition &= Q(**{f"{column}__isnull": True}) | bounds
    return CheckConstraint(name=name, condition=condition)


def sha256_length(name: str, column: str) -> CheckConstraint:
    """The column holds 64 characters; that they are lower-case hex is checked where rows are written."""
    return CheckConstraint(name=name, condition=Exact(Length(column), 64))


def together(name: str, *columns: str) -> CheckConstraint:
    """All columns are NULL, or none is."""
    return CheckConstraint(
        name=name, condition=nulls(columns, null=True) | nulls(columns, null=False)
    )


def nulls(columns: Iterable[str], *, null: bool) -> Q:
    condition = Q()
    for column in columns:
        condition &= Q(**{f"{column}__isnull": null})
    return condition


def exactly_when(first: Q, second: Q) -> Q:
    """Both hold or neither does. The columns of both must not be NULL, or be tested with ``isnull``."""
    return (first & second) | (~first & ~second)
