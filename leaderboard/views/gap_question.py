"""What the address of the gap chart asks for."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from evaluation.core.entry_words import Track
from evaluation.core.verdict import Language, Target
from leaderboard.charts.gaps import COLUMNS
from leaderboard.ranking import Provenance
from leaderboard.selectors.chart_gaps import GapQuery
from leaderboard.views.answers import WrongQuestion
from leaderboard.views.arrangement import (
    ListArrangement,
    ListColumn,
    ListColumns,
    in_one_way,
    list_arrangement,
)
from leaderboard.views.asked import DEFAULT_SUITE, DEFAULT_TURNS, MOST_TURNS, place_of
from leaderboard.views.query_words import given_words, in_order, number, word

_KEYS = ("problem", "suite", "target", "T", "language", "track", "provenance", "sort", "part")
GAP_COLUMNS = ListColumns(
    tuple(
        ListColumn(key, one.title, one.is_figure, largest_first=one.is_figure, stands=True)
        for key, one in COLUMNS.items()
    )
)
_OF_ONE_BOARD = ("version", "judge", "start")
_MOST_PARTS = 10**6
_DEFAULTS = {
    "suite": DEFAULT_SUITE,
    "T": str(DEFAULT_TURNS),
    "language": Language.CUDA.value,
    "provenance": Provenance.VERIFIED.value,
    "part": "1",
}


@dataclass(frozen=True, slots=True)
class GapQuestion:
    """``query`` is what is read; ``problem`` and ``suite`` are the address’s words for its problems.

    ``arrangement`` is of the table of the chart.
    """

    query: GapQuery
    arrangement: ListArrangement
    problem: str
    suite: str
    words: tuple[tuple[str, str], ...]

    @property
    def canonical(self) -> str:
        return urlencode(self.words)

    def other(self, **changes: str) -> str:
        """The query with other words, from its first part on unless they say which."""
        return "?" + urlencode(in_order({**dict(self.words), "part": "", **changes}, _KEYS))

    def in_part(self, **changes: str) -> str:
        """The query with other words that are of the same part."""
        return "?" + urlencode(in_order({**dict(self.words), **changes}, _KEYS))


def read_gap_question(
    query: QueryDict, *, problems: Mapping[str, str], suites: Collection[str]
) -> GapQuestion:
    """``problems`` names the suite of each. Raise WrongQuestion for what is on no list."""
    for name in _OF_ONE_BOARD:
        if name in query:
            raise WrongQuestion(
                f"The filter “{name}” is of one board; the gap chart shows the newest."
            )
    if "p" in query:
        raise WrongQuestion("The filter “p” is of speed boards; the gap chart has no Fast_p.")
    given = given_words(query, _KEYS)
    in_one_way(query, columns=(), sorts=GAP_COLUMNS.sorts)
    problem, suite = place_of(given, problems=problems, suites=suites)
    words = {name: one for name, one in given.items() if one != _DEFAULTS.get(name)}
    return GapQuestion(
        query=GapQuery(
            provenance=Provenance(
                word(given, "provenance", tuple(Provenance)) or Provenance.VERIFIED
            ),
            turn_limit=number(given, "T", 1, MOST_TURNS) or DEFAULT_TURNS,
            problems=(problem,)
            if problem
            else tuple(name for name, its in problems.items() if its == suite),
            language=Language(word(given, "language", tuple(Language)) or Language.CUDA),
            target=word(given, "target", tuple(Target)),
            track=word(given, "track", tuple(Track)),
            part=number(given, "part", 1, _MOST_PARTS) or 1,
        ),
        arrangement=list_arrangement(GAP_COLUMNS, given),
        problem=problem,
        suite=suite,
        words=in_order(words, _KEYS),
    )
