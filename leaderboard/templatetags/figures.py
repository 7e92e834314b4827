"""Filters that write figures with their units, and words for words of the code. None of them asks the database."""

import unicodedata
from collections.abc import Iterator
from dataclasses import fields
from datetime import datetime
from typing import Protocol

from django.template import Library

from leaderboard.selectors import BoardRow
from leaderboard.standing import BoardKind, ShownRate
from leaderboard.templatetags.wording import BESIDE, LISTS

register = Library()

NOTHING = "–"
MOST_CHARACTERS = 120
_KEPT = frozenset("\t\n")
_ENDS = (
    ".",
    "!",
    "?",
    "…",
    "\N{IDEOGRAPHIC FULL STOP}",
    "\N{FULLWIDTH EXCLAMATION MARK}",
    "\N{FULLWIDTH QUESTION MARK}",
    "\N{DEVANAGARI DANDA}",
    "\N{ARABIC QUESTION MARK}",
)
_CLOSING = "\"'”’»)]"
_HIDING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NOT_ABOUT = {
    BoardKind.CORRECTNESS: frozenset({"family_unknown", "path_unknown", "ratio_unknown"}),
    BoardKind.INSTRUCTION: frozenset({"ratio_unknown"}),
    BoardKind.SPEED: frozenset({"family_unknown", "path_unknown"}),
}


class Ranged(Protocol):
    @property
    def rank_low(self) -> int | None: ...

    @property
    def rank_high(self) -> int | None: ...


@register.filter
def share(value: float | None) -> str:
    """A share in percent."""
    return NOTHING if value is None else f"{100 * value:.1f}\N{NO-BREAK SPACE}%"


@register.filter
def ratio(value: float | None) -> str:
    """The vendor's time over the kernel's; 1 is as fast."""
    if value is None:
        return NOTHING
    return f"{_significant(value)}×"


@register.filter
def duration(value_ns: int | None) -> str:
    """Nanoseconds in the unit that suits, four significant figures."""
    if value_ns is None:
        return NOTHING
    for unit, size in (("s", 10**9), ("ms", 10**6), ("µs", 10**3)):
        if abs(value_ns) >= size:
            return f"{_significant(value_ns / size)}\N{NO-BREAK SPACE}{unit}"
    return f"{value_ns}\N{NO-BREAK SPACE}ns"


@register.filter
def count(value: object) -> str:
    """A whole number with its thousands apart; other things as they are."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


@register.filter
def counted(number: int, noun: str) -> str:
    """``1 turn``, ``2 turns``; a plural that takes more than an s follows: ``trajectory trajectories``."""
    one, _, many = noun.partition(" ")
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


@register.filter
def moment(at: datetime) -> str:
    """A time as the attribute of its element, to the second: HTML knows no microseconds."""
    return at.isoformat(timespec="seconds")


@register.filter
def size(value_bytes: int) -> str:
    """With four figures, or the whole number of a unit that it is."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if value_bytes >= 1 << power:
            if not value_bytes % (1 << power):
                return f"{value_bytes >> power:,}\N{NO-BREAK SPACE}{unit}"
            return f"{_significant(value_bytes / (1 << power))}\N{NO-BREAK SPACE}{unit}"
    return f"{value_bytes}\N{NO-BREAK SPACE}B"


@register.filter
def rank(row: Ranged) -> str:
    """A range where the rows beside it cannot be told apart."""
    if row.rank_low is None:
        return NOTHING
    if row.rank_low == row.rank_high:
        return str(row.rank_low)
    return f"{row.rank_low}–{row.rank_high}"


@register.filter
def unit(rate: ShownRate) -> str:
    """What a rate counts, for as many as it counts."""
    one, many = {"turn": ("turn", "turns"), "trajectory": ("trajectory", "trajectories")}[rate.unit]
    return one if rate.counted == 1 else many


@register.filter
def said(word: str, about: str) -> str:
    """A word of the code in words; one that is not listed with its underscores taken out."""
    return LISTS[about].get(str(word), str(word).replace("_", " "))


@register.filter
def words(name: str) -> str:
    """A name of the code as words."""
    return visible(str(name).replace("_", " ").replace(".", " · "))


@register.filter
def steps(formula: str) -> str:
    """A formula with each of its steps on a line."""
    return formula.replace("; ", "\n")


@register.filter
def product(device: str) -> str:
    """A device's product as people write it."""
    return shown(device.upper()) if device.isascii() else shown(device)


@register.filter
def beside(row: BoardRow) -> list[str]:
    """What stands beside the rates of a row, each with its number: what matters on its board and is not zero."""
    if row.beside is None:
        return []
    names = (one.name for one in fields(row.beside) if one.name not in _NOT_ABOUT[row.kind])
    counts = ((getattr(row.beside, name), BESIDE[name]) for name in names)
    return [f"{number:,} {what}" for number, what in counts if number]


@register.filter
def shown(text: object, most: int = MOST_CHARACTERS) -> str:
    """A name that somebody gave, on one line: cut, and characters that hide or turn text spelled out."""
    line = " ".join(str(text).split())
    cut = line if len(line) <= most else f"{line[: most - 1]}…"
    return visible(cut)


@register.filter
def sentence(text: str) -> str:
    """What somebody wrote as a sentence that more can follow: with a full stop, unless it has an end of its own.

    Without a letter or a number there is nothing to say, and it is empty.
    """
    line = text.strip()
    if not any(one.isalnum() for one in line):
        return ""
    return line if line.rstrip(_CLOSING).endswith(_ENDS) else f"{line}."


@register.filter
def visible(text: str) -> str:
    """Text with every character that does not show, or turns the direction of text, spelled out as ⟨U+202E⟩."""
    # Of the categories that hide or turn, none is printable, and names that have one are rare.
    return text if text.isprintable() else "".join(_spelled(text))


def _spelled(text: str) -> Iterator[str]:
    for one in text:
        if one in _KEPT or unicodedata.category(one) not in _HIDING:
            yield one
        else:
            yield f"⟨U+{ord(one):04X}⟩"


def _significant(value: float) -> str:
    """Four significant figures, the zeros at the end among them."""
    if not value:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:#.4g}"
