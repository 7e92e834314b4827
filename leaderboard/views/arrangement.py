"""Which columns of a list are shown, and by which its rows are ordered: words of the address, without scripts too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.http import QueryDict
from django.utils.safestring import SafeString

from leaderboard.selectors.list_order import ListOrder
from leaderboard.views.answers import WrongQuestion
from leaderboard.views.query_words import LONGEST, listed

REVERSED = "-"
BETWEEN = "."


@dataclass(frozen=True, slots=True)
class Head:
    """``address`` is empty for a column that orders nothing; ``order`` is a value of aria-sort, or empty."""

    name: SafeString | str
    is_figure: bool = False
    address: str = ""
    order: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A column that can be left out, as the form offers it."""

    key: str
    name: SafeString | str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class ListColumn:
    """``key`` is its word in ``sort`` and ``columns``; ``largest_first`` says which end is asked for first.

    One that ``stands`` is never left out; one without a head orders rows by what stands in another.
    """

    key: str
    name: str
    is_figure: bool = False
    orders: bool = True
    largest_first: bool = False
    stands: bool = False
    has_head: bool = True


@dataclass(frozen=True, slots=True)
class ListColumns:
    """The columns of a list in their order; ``natural`` is the one that orders it when nobody asks, if one does."""

    columns: tuple[ListColumn, ...]
    natural: str = ""

    @property
    def all_keys(self) -> tuple[str, ...]:
        return tuple(one.key for one in self.columns if one.has_head)

    @property
    def optional(self) -> tuple[str, ...]:
        """Those that can be left out."""
        return tuple(one.key for one in self.columns if one.has_head and not one.stands)

    @property
    def sorts(self) -> tuple[str, ...]:
        return tuple(one.key for one in self.columns if one.orders)


class OtherWords(Protocol):
    """Gives the address of the same page with other words; an empty one takes a word out."""

    def __call__(self, **changes: str) -> str: ...


@dataclass(frozen=True, slots=True)
class ListArrangement:
    """What an address in the one way asks of a list: ``sort`` is its word, ``shown`` the keys of columns that are."""

    of: ListColumns
    sort: str
    shown: tuple[str, ...]

    @property
    def order(self) -> ListOrder | None:
        """None for the order that the list has by itself."""
        key = self.sort.removeprefix(REVERSED)
        column = next((one for one in self.of.columns if one.key == key), None)
        if column is None:
            return None
        is_reversed = self.sort.startswith(REVERSED)
        return ListOrder(key, descending=column.largest_first is not is_reversed)


@dataclass(frozen=True, slots=True)
class ArrangedList:
    """What templates show of an arrangement.

    ``ordered_by`` names the column of the order, empty for the one that a list has by itself, to which ``unsorted``
    leads. ``shown`` are keys of columns.
    """

    heads: tuple[Head, ...]
    column_choices: tuple[Choice, ...]
    sort_choices: tuple[tuple[str, str], ...]
    sort: str
    shown: tuple[str, ...]
    ordered_by: str
    is_reversed: bool
    unsorted: str


def in_one_way(query: QueryDict, *, columns: Sequence[str], sorts: Sequence[str]) -> QueryDict:
    """Write ``columns`` and ``sort`` as they stand in the one address of a page. Raise WrongQuestion.

    A form names one column at a time, an address all of them with a full stop between, or none where none is left out.
    """
    found = query.copy()
    if "columns" in found:
        words = [one for some in found.getlist("columns") for one in some.split(BETWEEN) if one]
        for one in words:
            if one not in columns:
                raise WrongQuestion(f"There is no column “{one[:LONGEST]}”. {listed(columns)}")
        chosen = [one for one in columns if one in words]
        found["columns"] = "" if len(chosen) == len(columns) else BETWEEN.join(chosen)
    for one in found.getlist("sort"):
        if one and one.removeprefix(REVERSED) not in sorts:
            raise WrongQuestion(f"Nothing is ordered by “{one[:LONGEST]}”. {listed(sorts)}")
    return found


def list_in_one_way(query: QueryDict, of: ListColumns) -> QueryDict:
    """As in_one_way; the order that a list has by itself needs no word. Raise WrongQuestion."""
    found = in_one_way(query, columns=of.optional, sorts=of.sorts)
    if of.natural and found.getlist("sort") == [of.natural]:
        found["sort"] = ""
    return found


def list_arrangement(of: ListColumns, given: Mapping[str, str]) -> ListArrangement:
    """``given`` are the words of an address in the one way."""
    chosen = given["columns"].split(BETWEEN) if given.get("columns") else of.optional
    shown = tuple(one for one in of.all_keys if one not in of.optional or one in chosen)
    return ListArrangement(of, given.get("sort", ""), shown)


def next_sort(sort: str, key: str, natural: str = "") -> str:
    """What the link of a column asks for: its order, then the reversed one, then that of the list itself again."""
    if key == natural:
        return "" if sort else REVERSED + key
    if sort.removeprefix(REVERSED) != key:
        return key
    return "" if sort.startswith(REVERSED) else REVERSED + key


def heads(
    arrangement: ListArrangement, other: OtherWords, names: Mapping[str, str] | None = None
) -> tuple[Head, ...]:
    """In the order of the cells of a row; ``names`` are those that differ from the names of the columns."""
    of, sort = arrangement.of, arrangement.sort
    called = names or {}
    return tuple(
        Head(
            called.get(one.key, one.name),
            one.is_figure,
            other(sort=next_sort(sort, one.key, of.natural)) if one.orders else "",
            _aria(one, sort or of.natural),
        )
        for one in of.columns
        if one.key in arrangement.shown
    )


def plain_heads(of: ListColumns) -> tuple[Head, ...]:
    """Of a table that has every column and one order."""
    return tuple(Head(one.name, one.is_figure) for one in of.columns if one.has_head)


def arranged(arrangement: ListArrangement, other: OtherWords) -> ArrangedList:
    of, sort = arrangement.of, arrangement.sort
    names = {one.key: one.name for one in of.columns}
    return ArrangedList(
        heads=heads(arrangement, other),
        column_choices=tuple(
            Choice(key, names[key], key in arrangement.shown) for key in of.optional
        ),
        sort_choices=tuple((key, names[key]) for key in of.sorts if key != of.natural),
        sort=sort,
        shown=arrangement.shown,
        ordered_by=names.get(sort.removeprefix(REVERSED), ""),
        is_reversed=sort.startswith(REVERSED),
        unsorted=other(sort=""),
    )


def _aria(column: ListColumn, sort: str) -> str:
    if sort.removeprefix(REVERSED) != column.key or not sort:
        return ""
    return "descending" if column.largest_first is not sort.startswith(REVERSED) else "ascending"
