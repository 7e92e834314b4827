"""What the addresses of a model's pages and of lists of cells ask for."""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from evaluation.core.verdict import Target
from leaderboard.ranking import Provenance
from leaderboard.selectors.cells import CellFilter
from leaderboard.standing import BoardKind
from leaderboard.views.arrangement import ListArrangement, list_arrangement, list_in_one_way
from leaderboard.views.asked import DEFAULT_TURNS, MOST_START, MOST_TURNS
from leaderboard.views.cell_columns import CELL_COLUMNS
from leaderboard.views.query_words import given_words, in_order, number, word

_MODEL_KEYS = ("provenance", "target", "T")
_CELL_KEYS = ("provenance", "target", "kind", "problem", "sort", "columns", "start")


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """``provenance`` is None where the address leaves it to the page; ``canonical`` is the one way to ask this."""

    provenance: Provenance | None
    target: str
    turn_limit: int
    words: tuple[tuple[str, str], ...]

    @property
    def canonical(self) -> str:
        return urlencode(self.words)

    def other(self, **changes: str) -> str:
        """The query with other words; an empty one takes a filter out."""
        return "?" + urlencode(in_order({**dict(self.words), **changes}, _MODEL_KEYS))


@dataclass(frozen=True, slots=True)
class CellQuestion:
    """``start`` is how many cells are before the page."""

    asked: CellFilter
    arrangement: ListArrangement
    start: int
    words: tuple[tuple[str, str], ...]

    @property
    def canonical(self) -> str:
        return urlencode(self.words)

    def other(self, **changes: str) -> str:
        """The query with other words, from its first cell on unless they say where."""
        return "?" + urlencode(in_order({**dict(self.words), "start": "", **changes}, _CELL_KEYS))


def read_model_question(query: QueryDict) -> ModelQuestion:
    """Raise WrongQuestion for what is on no list."""
    given = given_words(query, _MODEL_KEYS)
    provenance = word(given, "provenance", tuple(Provenance))
    words = dict(given)
    if words.get("T") == str(DEFAULT_TURNS):
        del words["T"]
    return ModelQuestion(
        provenance=Provenance(provenance) if provenance else None,
        target=word(given, "target", tuple(Target)),
        turn_limit=number(given, "T", 1, MOST_TURNS) or DEFAULT_TURNS,
        words=in_order(words, _MODEL_KEYS),
    )


def read_cell_question(query: QueryDict, *, problems: Collection[str]) -> CellQuestion:
    """Raise WrongQuestion for what is on no list; ``problems`` are those of the catalogue."""
    given = given_words(list_in_one_way(query, CELL_COLUMNS), _CELL_KEYS)
    words = {name: one for name, one in given.items() if (name, one) != ("start", "0")}
    return CellQuestion(
        asked=CellFilter(
            provenance=word(given, "provenance", tuple(Provenance)),
            target=word(given, "target", tuple(Target)),
            kind=word(given, "kind", tuple(BoardKind)),
            problem=word(given, "problem", tuple(problems)),
        ),
        arrangement=list_arrangement(CELL_COLUMNS, given),
        start=number(given, "start", 0, MOST_START) or 0,
        words=in_order(words, _CELL_KEYS),
    )
