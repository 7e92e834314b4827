"""Lines and records of one CSV file, plain or packed, as a stream: nothing is held but the line at hand."""

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from evaluation.core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class CsvLimits:
    """Bounds of one file; the largest published one has 3.6 MB and 13,674 rows."""

    file_bytes: int = 64 * 1024 * 1024  # after unpacking
    line_bytes: int = 4096
    rows: int = 200_000


LIMITS: Final = CsvLimits()


class Lines:
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

    def __iter__(self) -> "Lines":
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


@contextmanager
def opened(folder: Path, name: str, limits: CsvLimits) -> Iterator[Lines]:
    """Open ``name`` of a folder, or ``name.gz``. Raise InvalidInput if neither is there, or both are."""
    path = _found(folder, name)
    with path.open("rb") as stored:
        if path.suffix != ".gz":
            yield Lines(stored, path.name, limits)
            return
        with gzip.open(stored) as unpacked:
            yield Lines(unpacked, path.name, limits)


def csv_records(lines: Lines) -> Iterator[list[str]]:
    """Yield the header and at most so many rows, each of one line. Raise InvalidInput for anything else."""
    reader = csv.reader(lines, strict=True)
    count = -1  # the header is no row
    while record := _next_record(reader, lines):
        count += 1
        if count > lines.limits.rows:
            raise lines.broken(f"is one of more than {lines.limits.rows} rows")
        yield record


def _found(folder: Path, name: str) -> Path:
    here = [path for path in (folder / name, folder / f"{name}.gz") if path.is_file()]
    if not here:
        rule = "is not in this folder; give the folder that holds the publication's files"
        raise InvalidInput(where=name, key="", rule=rule)
    if len(here) == 2:
        raise InvalidInput(where=name, key="", rule="is here packed and unpacked; keep one of them")
    return here[0]


def _next_record(reader: "Iterator[list[str]]", lines: Lines) -> list[str]:
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
