"""Rows of one published CSV file, read as a stream: bounded, columns found by name, typed on the way out."""

import csv
import gzip
import math
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from evaluation.core.catalogue.tables import shown
from evaluation.core.errors import InvalidInput
from portal.uploads.importers.published.published_words import day_of

LIMIT_TEXT: Final = 300

# Plain digits only: int() and float() also take 1_000, other scripts' digits, nan and inf.
_INTEGER = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20})?(?:e-?[0-9]{1,2})?")

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class CsvLimits:
    """Bounds of one file; the largest published one has 3.6 MB and 13,674 rows."""

    file_bytes: int = 64 * 1024 * 1024  # after unpacking
    line_bytes: int = 4096
    rows: int = 200_000


LIMITS: Final = CsvLimits()


@dataclass(frozen=True, slots=True)
class Row:
    """One record. ``where`` names file and line."""

    where: str
    cells: Mapping[str, str]

    def broken(self, column: str, rule: str) -> InvalidInput:
        return InvalidInput(where=self.where, key=column, rule=rule)

    def text(self, column: str) -> str:
        """Take one line of printable text, not empty, without space around it."""
        value = self.cells[column]
        if not 1 <= len(value) <= LIMIT_TEXT or not value.isprintable() or value != value.strip():
            raise self.broken(column, f"must be printable text of 1 to {LIMIT_TEXT} characters")
        return value

    def one_of(self, column: str, words: Mapping[str, Answer]) -> Answer:
        value = self.cells[column]
        if value not in words:
            rule = f"{shown(value)} is not one of: {', '.join(words)}"
            raise self.broken(column, rule)
        return words[value]

    def integer(self, column: str, *, low: int, high: int) -> int:
        value = self.cells[column]
        if not _INTEGER.fullmatch(value) or not low <= int(value) <= high:
            raise self.broken(column, f"{shown(value)} is no integer from {low} to {high}")
        return int(value)

    def number(self, column: str, *, high: float) -> float | None:
        """Take a number from 0 to ``high``, or None where nothing is stated."""
        value = self.cells[column]
        if not value:
            return None
        if not _NUMBER.fullmatch(value) or not math.isfinite(float(value)) or float(value) > high:
            raise self.broken(column, f"{shown(value)} is no number from 0 to {high:g}")
        return float(value)

    def day(self, column: str) -> date | None:
        """Take a day in either form; None where the calendar has no such day."""
        value = self.cells[column]
        try:
            return day_of(value)
        except ValueError:
            rule = f"{shown(value)} is no day such as 2026-01-31 or 2026-0131"
            raise self.broken(column, rule) from None


def rows(
    folder: Path, name: str, columns: tuple[str, ...], *, limits: CsvLimits = LIMITS
) -> Iterator[Row]:
    """Yield the records of ``name``, or of ``name.gz``. Raise InvalidInput at the first that breaks a rule."""
    path = _found(folder, name)
    with path.open("rb") as stored:
        if path.suffix == ".gz":
            with gzip.open(stored) as unpacked:
                yield from _records(_Lines(unpacked, path.name, limits), columns)
        else:
            yield from _records(_Lines(stored, path.name, limits), columns)


def _found(folder: Path, name: str) -> Path:
    here = [path for path in (folder / name, folder / f"{name}.gz") if path.is_file()]
    if not here:
        rule = "is not in this folder; give the folder that holds the publication's files"
        raise InvalidInput(where=name, key="", rule=rule)
    if len(here) == 2:
        raise InvalidInput(where=name, key="", rule="is here packed and unpacked; keep one of them")
    return here[0]


class _Lines:
    """The lines of a stream as text, each bounded, all of them bounded, counted."""

    def __init__(self, stream: BinaryIO | gzip.GzipFile, name: str, limits: CsvLimits) -> None:
        self._stream = stream
        self._name = name
        self.limits = limits
        self._bytes_read = 0
        self.number = 0

    @property
    def where(self) -> str:
        return f"{self._name}, line {max(self.number, 1)}"

    def broken(self, rule: str) -> InvalidInput:
        return InvalidInput(where=self.where, key="", rule=rule)

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._next_bytes()
        self.number += 1
        self._bytes_read += len(line)
        if len(line) > self.limits.line_bytes:
            raise self.broken(f"is longer than {self.limits.line_bytes} bytes")
        if self._bytes_read > self.limits.file_bytes:
            raise self.broken(f"the file is larger than {self.limits.file_bytes} bytes unpacked")
        if b"\0" in line:
            raise self.broken("holds a NUL byte")
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            raise self.broken("is not UTF-8") from None

    def _next_bytes(self) -> bytes:
        try:
            line = self._stream.readline(self.limits.line_bytes + 1)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise self.broken("the packed file is broken here; fetch it again") from None
        if not line:
            raise StopIteration
        return line


def _records(lines: _Lines, columns: tuple[str, ...]) -> Iterator[Row]:
    reader = csv.reader(lines, strict=True)
    header = _next_record(reader, lines)
    _refuse_other_columns(header, columns, lines)
    count = 0
    while record := _next_record(reader, lines):
        count += 1
        if count > lines.limits.rows:
            raise lines.broken(f"is one of more than {lines.limits.rows} rows")
        if len(record) != len(header):
            raise lines.broken(f"has {len(record)} columns where the header has {len(header)}")
        yield Row(lines.where, dict(zip(header, record, strict=True)))


def _next_record(reader: "Iterator[list[str]]", lines: _Lines) -> list[str]:
    """Give the next record, empty only at the end of the file."""
    before = lines.number
    try:
        record = next(reader, None)
    except csv.Error as error:
        raise lines.broken(f"is not CSV: {error}") from None
    if record is None:
        return []
    if not record:
        raise lines.broken("is blank")
    # A stray quote would otherwise swallow the rows after it into one cell.
    if lines.number != before + 1:
        raise lines.broken("ends a cell that began on an earlier line")
    return record


def _refuse_other_columns(header: list[str], columns: tuple[str, ...], lines: _Lines) -> None:
    missing = [name for name in columns if name not in header]
    unknown = [name for name in header if name not in columns]
    rule = ""
    if missing:
        rule = f"lacks the column {missing[0]}"
    elif unknown:
        rule = f"has the unknown column {shown(unknown[0])}; known: {', '.join(columns)}"
    elif len(header) != len(columns):
        rule = "states a column twice"
    if rule:
        raise InvalidInput(where=lines.where, key="", rule=rule)
