"""Writes very many rows into empty tables: by COPY on PostgreSQL, by one prepared statement on SQLite.

Nothing is checked in Python: what the rows may be is for the database's own constraints to say.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.core.management.color import no_style
from django.db import connection
from django.db.models import Max, Model

Value = object
_Convert = Callable[[Any], Value]


class Table:
    """One table. ``varying`` are the columns that every row gives in this order; all others have one value for all."""

    def __init__(self, model: type[Model], varying: Sequence[str], **constants: object) -> None:
        fields = {str(field.column): field for field in model._meta.concrete_fields}  # noqa: SLF001 (the public name of it)
        others = [name for name in fields if name not in varying]
        self._model = model
        self._columns = (*varying, *others)
        self._rest = tuple(
            fields[name].get_db_prep_save(
                constants.pop(name, None) if name in constants else fields[name].get_default(),
                connection,
            )
            for name in others
        )
        if constants:
            raise ValueError(f"{model.__name__} has no column {min(constants)}")

    @property
    def first_key(self) -> int:
        """The smallest key above all that are taken."""
        newest = self._model._base_manager.aggregate(newest=Max("pk"))["newest"]  # noqa: SLF001 (the same)
        return int(newest or 0) + 1

    def add(self, rows: Iterable[Sequence[Value]]) -> None:
        if connection.vendor == "postgresql":
            self._copy(rows)
        else:
            self._insert(rows)

    def _copy(self, rows: Iterable[Sequence[Value]]) -> None:
        rest = "".join(f"\t{_text(one)}" for one in self._rest) + "\n"
        lines = ("\t".join(map(_text, row)) + rest for row in rows)
        with connection.cursor() as cursor, cursor.copy(f"COPY {self._names()} FROM STDIN") as copy:
            copy.write("".join(lines))

    def _insert(self, rows: Iterable[Sequence[Value]]) -> None:
        places = ", ".join(["%s"] * len(self._columns))
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {self._names()} VALUES ({places})",  # noqa: S608 (names of our own columns)
                [[*map(_for_sqlite, row), *self._rest] for row in rows],
            )

    def _names(self) -> str:
        quoted = ", ".join(connection.ops.quote_name(one) for one in self._columns)
        return f"{connection.ops.quote_name(self._model._meta.db_table)} ({quoted})"  # noqa: SLF001 (the same)


def continue_keys(models: Sequence[type[Model]]) -> None:
    """Let the database give keys above those that were written, and look at what the tables hold now."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(models)):
            cursor.execute(statement)
        cursor.execute("ANALYZE")


def _text(value: Value) -> str:
    """As COPY reads it. Generated texts have no tab, line end or backslash."""
    if value is None:
        return r"\N"
    return str(value)


def _for_sqlite(value: Value) -> Any:
    if isinstance(value, UUID):
        return value.hex
    if isinstance(value, datetime):
        return str(value.astimezone(UTC).replace(tzinfo=None))
    return value
