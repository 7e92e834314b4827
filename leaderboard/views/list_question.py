"""What the address of a plain list asks for: which columns, in which order, and from which row on."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from leaderboard.views.arrangement import (
    ArrangedList,
    ListArrangement,
    ListColumns,
    arranged,
    list_arrangement,
    list_in_one_way,
)
from leaderboard.views.asked import MOST_START
from leaderboard.views.query_words import given_words, in_order, number

_ARRANGED = ("sort", "columns")


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """``start`` is how many rows are before the page; ``place`` its word, empty for a list that is shown whole."""

    arrangement: ListArrangement
    start: int
    place: str
    words: tuple[tuple[str, str], ...]

    @property
    def canonical(self) -> str:
        """The one way to write this question."""
        return urlencode(self.words)

    @property
    def arranged(self) -> ArrangedList:
        return arranged(self.arrangement, self.other)

    @property
    def shown(self) -> dict[str, object]:
        """What a template of such a list shows of the question."""
        found = self.arranged
        return {"asked": self, "arranged": found, "heads": found.heads, "columns": found.shown}

    def other(self, **changes: str) -> str:
        """The query with other words, from its first row on unless they say where."""
        words = {**dict(self.words), self.place: "", **changes}
        return "?" + urlencode(in_order(words, (*_ARRANGED, self.place)))

    def before(self, most: int, total: int) -> str:
        """Where the page before begins, which has up to ``most`` rows; empty for the first page."""
        first = start_before(self.start, most, total)
        return self.other(**{self.place: str(first or "")}) if self.start else ""

    def following(self, most: int, total: int) -> str:
        """Where the next page begins; empty for the last one."""
        first = self.start + most
        return self.other(**{self.place: str(first)}) if first < total else ""


def start_before(start: int, most: int, total: int) -> int:
    """How many rows are before the page before this one; behind the last row it is the last page that has one."""
    if start < total:
        return max(start - most, 0)
    return max(total - 1, 0) // most * most


def read_list(query: QueryDict, of: ListColumns, *, place: str = "") -> ListQuestion:
    """Raise WrongQuestion for what is on no list."""
    keys = (*_ARRANGED, place) if place else _ARRANGED
    given = given_words(list_in_one_way(query, of), keys)
    start = (number(given, place, 0, MOST_START) or 0) if place else 0
    words = given | ({place: str(start or "")} if place else {})
    return ListQuestion(list_arrangement(of, given), start, place, in_order(words, keys))
