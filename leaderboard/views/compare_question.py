"""What the address of a comparison asks for: two to six kernels, entries or models, and at which turn limit."""

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlencode
from uuid import UUID

from django.http import QueryDict

from leaderboard.ranking import Provenance
from leaderboard.views.answers import WrongQuestion
from leaderboard.views.asked import DEFAULT_TURNS, MOST_TURNS

MOST_COMPARED = 6
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


@dataclass(frozen=True, slots=True)
class Comparison:
    """``kind`` is None where nothing is asked for yet; ``keys`` are in order, each once."""

    kind: Compared | None
    keys: tuple[str, ...]
    turn_limit: int
    provenance: Provenance

    @property
    def uids(self) -> tuple[UUID, ...]:
        return tuple(UUID(one) for one in self.keys)

    def of(self, *keys: str) -> str:
        """The address of a comparison of these alone."""
        return "?" + urlencode([(str(self.kind), one) for one in keys])


def read_comparison(query: QueryDict) -> Comparison:
    """Raise WrongQuestion for what no page answers. Words that are empty are left out, as a form sends them."""
    if unknown := query.keys() - {*_FILTERS, *Compared}:
        known = ", ".join([*Compared, *_FILTERS])
        raise WrongQuestion(f"There is no filter “{min(unknown)[:80]}”. There are: {known}.")
    given = {one: [key for key in query.getlist(one) if key] for one in Compared}
    kinds = [one for one in Compared if given[one]]
    if len(kinds) > 1:
        raise WrongQuestion("A comparison is of models, of entries or of kernels, not of several.")
    keys = tuple(dict.fromkeys(given[kinds[0]])) if kinds else ()
    if len(keys) > MOST_COMPARED:
        raise WrongQuestion(f"At most {MOST_COMPARED} are compared at once.")
    for key in keys:
        if not _KEYS[kinds[0]].fullmatch(key):
            raise WrongQuestion(
                f"There is nothing to compare as “{key[:80]}”: {_SHAPES[kinds[0]]}."
            )
    return Comparison(
        kind=kinds[0] if kinds else None,
        keys=keys,
        turn_limit=_turn_limit(query.get("T") or str(DEFAULT_TURNS)),
        provenance=_provenance(query.get("provenance") or Provenance.VERIFIED),
    )


def _turn_limit(word: str) -> int:
    if not (word.isascii() and word.isdecimal() and len(word) < 9 and 0 < int(word) <= MOST_TURNS):
        raise WrongQuestion(f"The filter “T” takes a number from 1 to {MOST_TURNS}.")
    return int(word)


def _provenance(word: str) -> Provenance:
    if word not in tuple(Provenance):
        raise WrongQuestion(f"“{word[:80]}” is no provenance. There are: {', '.join(Provenance)}.")
    return Provenance(word)
