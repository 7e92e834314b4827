"""What a table of the data set is: columns with kind and meaning, and rows that come a piece at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

Row = TypeVar("Row")
Value: TypeAlias = str | int | float | bool | datetime | tuple[float, ...] | None

SCHEMA = 1  # raised when a column goes or changes its meaning; a new one does not raise it


class Kind(StrEnum):
    """What a column holds; every one may be empty."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    YES_NO = "yes or no"
    TIME = "time"
    NUMBERS = "numbers"


@dataclass(frozen=True)
class DataColumn(Generic[Row]):
    name: str
    kind: Kind
    about: str
    read: Callable[[Row], Value]


@dataclass(frozen=True)
class DataTable(Generic[Row]):
    """``pieces`` reads the rows anew at each call, so many at a time as fit into memory."""

    name: str
    about: str
    columns: Sequence[DataColumn[Row]]
    pieces: Callable[[], Iterator[Sequence[Row]]]


def text(name: str, about: str, read: Callable[[Row], str | None]) -> DataColumn[Row]:
    return DataColumn(name, Kind.TEXT, about, read)


def whole(name: str, about: str, read: Callable[[Row], int | None]) -> DataColumn[Row]:
    return DataColumn(name, Kind.WHOLE, about, read)


def number(name: str, about: str, read: Callable[[Row], float | None]) -> DataColumn[Row]:
    return DataColumn(name, Kind.NUMBER, about, read)


def yes_no(name: str, about: str, read: Callable[[Row], bool | None]) -> DataColumn[Row]:
    return DataColumn(name, Kind.YES_NO, about, read)


def time(name: str, about: str, read: Callable[[Row], datetime | None]) -> DataColumn[Row]:
    return DataColumn(name, Kind.TIME, about, read)


def numbers(name: str, about: str, read: Callable[[Row], tuple[float, ...]]) -> DataColumn[Row]:
    return DataColumn(name, Kind.NUMBERS, about, read)
