"""What the address of a board page asks for: a closed list of filters, each with its rule and its default."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

from evaluation.core.entry_words import Track
from evaluation.core.verdict import Language
from leaderboard.ranking import Provenance
from leaderboard.selectors.board_page import MOST_ROWS
from leaderboard.views.answers import WrongQuestion
from leaderboard.views.instead import with_another
from leaderboard.views.query_words import given_words, in_order, number, word

DEFAULT_SUITE = "paper"
DEFAULT_TURNS = 8
DEFAULT_FACTOR = "1"
FACTOR_DECIMALS = 4
MOST_TURNS = 100_000
MOST_START = 10**7
KEYS = (
    *("problem", "suite", "T", "language", "track", "provenance"),
    *("p", "version", "judge", "sort", "columns", "start"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """``turn_limit`` is None where the address does not say; ``factor`` is the p of Fast_p.

    ``sort`` and ``columns`` are as arrangement.in_one_way wrote them; empty for the order and columns of every board.
    """

    problem: str
    suite: str
    turn_limit: int | None
    language: Language
    track: str
    provenance: Provenance
    factor: float
    version: int | None
    judge: str | None
    sort: str
    columns: str
    start: int
    words: tuple[tuple[str, str], ...]

    @property
    def turns(self) -> int:
        return self.turn_limit or DEFAULT_TURNS

    @property
    def canonical(self) -> str:
        """The one way to write this question: in the order of KEYS, without what is the default."""
        return urlencode(self.words)

    def other(self, **changes: str) -> str:
        """The query with other words, from its first row on; an empty word takes one out."""
        return "?" + urlencode(in_order({**dict(self.words), "start": "", **changes}, KEYS))


def read_question(
    query: QueryDict, *, problems: Mapping[str, str], suites: tuple[str, ...], is_speed: bool
) -> Asked:
    """Read a query; ``problems`` names the suite of each. Raise WrongQuestion for what is on no list."""
    given = given_words(query, KEYS)
    problem, suite = place_of(given, problems=problems, suites=suites)
    if "p" in given and not is_speed:
        raise WrongQuestion("The filter “p” is of speed boards; this board has no Fast_p.")
    factor = _factor(given.get("p", DEFAULT_FACTOR))
    start = _first_of_page(number(given, "start", 0, MOST_START) or 0)
    words = given | {"p": f"{factor:g}", "start": str(start)}
    defaults = {
        "suite": DEFAULT_SUITE,
        "language": Language.CUDA.value,
        "provenance": Provenance.VERIFIED.value,
        "p": DEFAULT_FACTOR,
        "start": "0",
    }
    for name, default in defaults.items():
        if words.get(name) == default:
            del words[name]
    return Asked(
        problem=problem,
        suite=suite,
        turn_limit=number(given, "T", 1, MOST_TURNS),
        language=Language(word(given, "language", tuple(Language)) or Language.CUDA),
        track=word(given, "track", tuple(Track)),
        provenance=Provenance(word(given, "provenance", tuple(Provenance)) or Provenance.VERIFIED),
        factor=factor,
        version=number(given, "version", 0, 10**6),
        judge=given.get("judge"),
        sort=given.get("sort", ""),
        columns=given.get("columns", ""),
        start=start,
        words=in_order(words, KEYS),
    )


def place_of(
    given: Mapping[str, str], *, problems: Collection[str], suites: Collection[str]
) -> tuple[str, str]:
    """The problem that is asked for, or the suite; the other is empty. Raise WrongQuestion for what is not there."""
    problem, suite = given.get("problem", ""), given.get("suite", "")
    if problem and suite:
        raise WrongQuestion("The address names a problem and a suite; one of them is shown.")
    if problem and problem not in problems:
        instead = with_another(given, "problem", problems)
        raise WrongQuestion(f"There is no problem “{problem}” here.", instead=instead)
    suite = "" if problem else suite or DEFAULT_SUITE
    if suite and suite not in suites:
        instead = with_another(given, "suite", suites)
        raise WrongQuestion(f"There is no suite “{suite}”.", instead=instead)
    return problem, suite


def read_first(query: QueryDict) -> int:
    """Where the list of an entry's trajectories begins, from 0. Raise WrongQuestion for any other filter."""
    return number(given_words(query, ("first",)), "first", 0, MOST_START) or 0


def _factor(said: str) -> float:
    plain = said.replace(".", "", 1)
    if not (plain.isascii() and plain.isdecimal() and len(said) <= 8 and 0 < float(said) <= 100):
        raise WrongQuestion(f"p is a number above 0 and up to 100, such as 0.9, not “{said}”.")
    if round(float(said), FACTOR_DECIMALS) != float(said):
        raise WrongQuestion(f"p has at most {FACTOR_DECIMALS} decimals, not those of “{said}”.")
    return float(said)


def _first_of_page(start: int) -> int:
    """Pages begin where the one before ends; every other beginning would be one more page to make and to keep."""
    return start - start % MOST_ROWS
