"""Adds rows to boards: by COPY on PostgreSQL, and else by one statement for all of them.

The ORM's way of adding many rows takes ten times as long for rows of so many columns; an INSERT of many rows has the
driver write and read again a statement of some megabytes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeAlias

from django.db import connection

from leaderboard.standing import Row

COLUMNS = tuple(field.name for field in fields(Row))
content_of = attrgetter(*COLUMNS)

Placed: TypeAlias = tuple[int, Row]  # with its board

_NAMES = ("board_id", *COLUMNS, "position", "rank_low", "rank_high")
_FIRST = {True: (1, 1, 1), False: (1, None, None)}  # by whether the row is ranked


def insert(rows: Iterable[Placed]) -> None:
    """Add rows at the first place of their contest; nobody sees them before they are placed."""
    if connection.vendor == "postgresql":
        by_copy(rows)
    else:
        by_statement(rows)


def by_copy(rows: Iterable[Placed]) -> None:
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(f"COPY {_table()} FROM STDIN") as copy,
    ):
        for values in _values(rows):
            copy.write_row(values)


def by_statement(rows: Iterable[Placed]) -> None:
    places = ", ".join(["%s"] * len(_NAMES))
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {_table()} VALUES ({places})",  # noqa: S608 (names of our own columns)
            list(_values(rows)),
        )


def _values(rows: Iterable[Placed]) -> Iterator[tuple[Any, ...]]:
    for board, row in rows:
        yield (board, *content_of(row), *_FIRST[not row.unranked_why])


def _table() -> str:
    return f"leaderboard_standing ({', '.join(map(connection.ops.quote_name, _NAMES))})"
