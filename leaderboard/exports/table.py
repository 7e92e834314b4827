"""A table as a file: columns by name, rows as they come, written as CSV or as JSON piece by piece."""

import csv
import io
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

Row = TypeVar("Row")
Value: TypeAlias = str | int | float | bool | None

SCHEMA = 1  # raised when a column goes or changes its meaning; a new one does not raise it
KINDS = {"csv": "text/csv; charset=utf-8; header=present", "json": "application/json"}

# Spreadsheets take a cell that begins with one of these for a formula, whoever wrote it.
_BEGINS_A_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 (spreadsheets take the wide ones too)
# Spaces of other widths and signs that are not shown: some programs take them off what they read.
_NOT_SEEN = (
    " \0\x0b\x0c\x85\xa0\xad\u061c\u1680\u180e\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u202f\u205f\u2060\u2061\u2062\u2063"
    "\u2064\u2066\u2067\u2068\u2069\u3000\ufeff"
)


@dataclass(
    frozen=True
)  # a generic class with slots cannot be called by its whole type in Python 3.11
class Column(Generic[Row]):
    """One value of every row. The name ends with the unit, where the value has one that is not a count."""

    name: str
    read: Callable[[Row], Value]


@dataclass(frozen=True)
class Table(Generic[Row]):
    """``about`` says which table it is; CSV has no place for it, so columns repeat what a row needs to stand alone."""

    name: str
    about: Mapping[str, Value]
    columns: Sequence[Column[Row]]
    rows: Sequence[Row]

    def pieces(self, ending: str) -> Iterator[bytes]:
        """The file in UTF-8, a row a piece; ``ending`` is a key of KINDS."""
        return self._csv() if ending == "csv" else self._json()

    def _csv(self) -> Iterator[bytes]:
        line = io.StringIO()
        writer = csv.writer(line, lineterminator="\r\n")
        writer.writerow([one.name for one in self.columns])
        for row in self.rows:
            yield _taken(line)
            writer.writerow([plain(one.read(row)) for one in self.columns])
        yield _taken(line)

    def _json(self) -> Iterator[bytes]:
        head = {"table": self.name, "schema": SCHEMA, **self.about}
        yield (_text(head).removesuffix("}") + ',"rows":[').encode()
        for number, row in enumerate(self.rows):
            values = {one.name: one.read(row) for one in self.columns}
            yield (("," if number else "") + "\n" + _text(values)).encode()
        yield b"\n]}\n"


def columns_of(
    parts: Mapping[str, Sequence[Column[Row]]], shown: Collection[str] | None
) -> list[Column[Row]]:
    """Of columns by the one of the page that they belong to, those of ``shown``; all of them where it is None."""
    return [
        one for key, columns in parts.items() if shown is None or key in shown for one in columns
    ]


def plain(value: Value) -> str:
    """A value in CSV: numbers in full, nothing for None, and no text that a spreadsheet would run."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return f"'{value}" if value.lstrip(_NOT_SEEN)[:1] in _BEGINS_A_FORMULA and value else value
    return repr(value)


def _taken(line: io.StringIO) -> bytes:
    text = line.getvalue()
    line.seek(0)
    line.truncate()
    return text.encode("utf-8", "replace")


def _text(value: Mapping[str, Value]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
