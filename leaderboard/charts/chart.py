"""A chart as a value: what is drawn, in what words it is told, and the table that says the same without a picture."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

MOST_SERIES = 8  # as many as colours, signs and dashes tell apart
MOST_TABLE_ROWS = 500


class Look(StrEnum):
    """How the points of a series are joined; STEPS keeps a value until the next point."""

    DOTS = "dots"
    LINE = "line"
    STEPS = "steps"
    BARS = "bars"


class Scale(StrEnum):
    LINEAR = "linear"
    LOG = "log"
    DATE = "date"
    WORDS = "category"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """``title`` names the quantity and its unit. ``low`` and ``high`` fix the range, in numbers or times."""

    title: str
    scale: Scale = Scale.LINEAR
    low: float | str | None = None
    high: float | str | None = None
    is_share: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """``said`` is what a reader who points at it reads; ``address`` leads to its evidence.

    An interval from ``low`` to ``high`` is drawn through it; ``width`` is that of a bar.
    """

    x: float | str
    y: float | str
    said: str
    address: str = ""
    low: float | None = None
    high: float | None = None
    width: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """``style`` counts colours and signs; by default a series has its own. A hollow sign shares one with a full one."""

    name: str
    look: Look
    points: tuple[Point, ...]
    style: int | None = None
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of reference from one corner to another: what ``label`` says holds on it."""

    start: tuple[float, float]
    end: tuple[float, float]
    label: str


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    is_figure: bool = False


@dataclass(frozen=True, slots=True)
class TableCell:
    text: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """``total`` counts the rows that there are; it has the first of them, at most MOST_TABLE_ROWS."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    total: int

    @property
    def cut(self) -> bool:
        return self.total > len(self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """``name`` is its anchor on the page, ``said`` tells in words what is drawn and how to read it."""

    name: str
    title: str
    said: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    table: Table
    lines: tuple[Line, ...] = field(default=())

    @property
    def is_tall(self) -> bool:
        """Whether the names of its series need much room beneath each other."""
        return len(self.series) > 5


def table(caption: str, columns: Sequence[Column], rows: Sequence[tuple[TableCell, ...]]) -> Table:
    return Table(caption, tuple(columns), tuple(rows[:MOST_TABLE_ROWS]), len(rows))
