"""What the address of a comparison asks for: two to six kernels, entries or models, and at which turn limit.

Each is named by the word that its page has in its address, or by that address, whole or from its first stroke on.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from django.http import QueryDict

from leaderboard.ranking import Provenance
from leaderboard.templatetags.figures import shown
from leaderboard.views.answers import WrongQuestion
from leaderboard.views.asked import DEFAULT_TURNS, MOST_TURNS

MOST_COMPARED = 6
LONGEST_WORD = 300  # an address with its query
_FILTERS = ("T", "provenance")


class Compared(StrEnum):
    """What is compared; the same word in the address."""

    MODEL = "model"
    ENTRY = "entry"
    KERNEL = "kernel"


_KEYS = {
    Compared.MODEL: re.compile(r"[-a-zA-Z0-9_]{1,80}"),
    Compared.ENTRY: re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    Compared.KERNEL: re.compile(r"[0-9a-f]{64}"),
}
_SHAPES = {
    Compared.MODEL: "a model is named by the last word of its page’s address",
    Compared.ENTRY: "an entry is named by its uid, as in its page’s address",
    Compared.KERNEL: "a kernel is named by its SHA-256, 64 hexadecimal digits",
}
_PAGE = re.compile(r"/(models|entries|kernels)/([^/]+)(?:/.*)?")
_KINDS = {
    "models": Compared.MODEL,
    "entries": Compared.ENTRY,
    "kernels": Compared.KERNEL,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """``kind`` is None where nothing is asked for yet; ``keys`` are in order, each once.

    ``pasted``: some word was an address, so that the question can be written shorter.
    """

    kind: Compared | None
    keys: tuple[str, ...]
    turn_limit: int
    provenance: Provenance
    pasted: bool = False

    @property
    def uids(self) -> tuple[UUID, ...]:
        return tuple(UUID(one) for one in self.keys)

    def of(self, *keys: str) -> str:
        """The address of a comparison of these alone, at the same turn limit and provenance."""
        words = [(str(self.kind), one) for one in dict.fromkeys(keys)]
        if self.turn_limit != DEFAULT_TURNS:
            words.append(("T", str(self.turn_limit)))
        if self.provenance is not Provenance.VERIFIED:
            words.append(("provenance", self.provenance.value))
        return "?" + urlencode(words)


class WrongWord(WrongQuestion):
    """A word names nothing that can be compared.

    ``asked`` is the comparison as it was asked for, ``others`` that of those whose words have the right shape.
    """

    def __init__(self, sentence: str, *, word: str, asked: Comparison, others: Comparison) -> None:
        super().__init__(sentence)
        self.word = word
        self.asked = asked
        self.others = others


def read_comparison(query: QueryDict, *, host: str = "") -> Comparison:
    """``host`` is our own, with its port. Words that are empty are left out, as a form sends them.

    Raise WrongQuestion for what no page answers, WrongWord where it is the name of one thing.
    """
    if unknown := query.keys() - {*_FILTERS, *Compared}:
        known = ", ".join([*Compared, *_FILTERS])
        raise WrongQuestion(f"There is no filter “{min(unknown)[:80]}”. There are: {known}.")
    turn_limit = _turn_limit(query.get("T") or str(DEFAULT_TURNS))
    provenance = _provenance(query.get("provenance") or Provenance.VERIFIED)
    words = [(one, _text(word)) for one in Compared for word in query.getlist(one)]
    named = [_named(kind, word, host) for kind, word in words if word]
    kinds = list(dict.fromkeys(kind for kind, _ in named))
    if len(kinds) > 1:
        raise WrongQuestion("A comparison is of models, of entries or of kernels, not of several.")
    keys = tuple(dict.fromkeys(key for _, key in named))
    if len(keys) > MOST_COMPARED:
        raise WrongQuestion(f"At most {MOST_COMPARED} are compared at once.")
    pasted = [key for _, key in named] != [word for _, word in words if word]
    asked = Comparison(kinds[0] if kinds else None, keys, turn_limit, provenance, pasted)
    if kinds:
        _refuse_misshapen(kinds[0], asked)
    return asked


def _text(word: str) -> str:
    """Without what stands around it; no database looks for a text with the character of number 0."""
    return word.replace("\0", " ").strip()


def _named(kind: Compared, word: str, host: str) -> tuple[Compared, str]:
    """What a word stands for: an address of a page says itself what it is of, whatever field it was put in."""
    if len(word) > LONGEST_WORD:
        raise WrongQuestion(f"A name or address has at most {LONGEST_WORD} characters.")
    path = word
    if word.lower().startswith(("http://", "https://")):
        try:
            whole = urlsplit(word)
        except ValueError:  # an address of the sixth version that has no end
            raise WrongQuestion(f"“{shown(word, 80)}” is no address.") from None
        if whole.netloc.lower() != host.lower():
            raise WrongQuestion(f"“{shown(word, 80)}” is no address of this site.")
        path = whole.path
    elif word.startswith("/"):
        path = re.split(r"[?#]", word, maxsplit=1)[0]
    else:
        return kind, word
    page = _PAGE.fullmatch(path)
    if page is None:
        raise WrongQuestion(
            f"“{shown(word, 80)}” is no page of a model, an entry or a kernel: those begin with "
            "/models/, /entries/ or /kernels/."
        )
    return _KINDS[page[1]], page[2]


def _refuse_misshapen(kind: Compared, asked: Comparison) -> None:
    fitting = tuple(one for one in asked.keys if _KEYS[kind].fullmatch(one))
    for key in asked.keys:
        if key not in fitting:
            raise WrongWord(
                f"There is nothing to compare as “{shown(key, 80)}”: {_SHAPES[kind]}.",
                word=key,
                asked=asked,
                others=replace(asked, keys=fitting, pasted=False),
            )


def _turn_limit(word: str) -> int:
    if not (word.isascii() and word.isdecimal() and len(word) < 9 and 0 < int(word) <= MOST_TURNS):
        raise WrongQuestion(f"The filter “T” takes a number from 1 to {MOST_TURNS}.")
    return int(word)


def _provenance(word: str) -> Provenance:
    if word not in tuple(Provenance):
        raise WrongQuestion(f"“{word[:80]}” is no provenance. There are: {', '.join(Provenance)}.")
    return Provenance(word)
