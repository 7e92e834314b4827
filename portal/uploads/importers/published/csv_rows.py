"""Rows of one published CSV file, read as a stream: bounded, columns found by name, typed on the way out."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final, TypeVar

from evaluation.core.catalogue.tables import shown
from evaluation.core.errors import InvalidInput
from portal.uploads.importers.published.csv_lines import (
    LIMITS,
    CsvLimits,
    Lines,
    csv_records,
    opened,
)
from portal.uploads.importers.published.published_words import day_of

LIMIT_TEXT: Final = 120

# Plain digits only: int() and float() also take 1_000, other scripts' digits, nan and inf.
_INTEGER = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,20})?(?:e-?[0-9]{1,2})?")

Answer = TypeVar("Answer")


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
            rule = f"must be 1 to {LIMIT_TEXT} printable characters without space around them"
            raise self.broken(column, rule)
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
    with opened(folder, name, limits) as lines:
        records = csv_records(lines)
        header = next(records, [])
        _refuse_other_columns(header, columns, lines)
        for record in records:
            if len(record) != len(header):
                rule = f"has {len(record)} columns where the header has {len(header)}"
                raise lines.broken(rule)
            yield Row(lines.where, dict(zip(header, record, strict=True)))


def _refuse_other_columns(header: list[str], columns: tuple[str, ...], lines: Lines) -> None:
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
