"""TOML documents read strictly: bounded before parsing, typed on the way out, unknown keys refused by name."""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from evaluation.core.errors import InvalidInput

LIMIT_CHARACTERS = 32 * 1024
# The parser copies every prefix of a dotted key, and integers of thousands of digits are slow or refused late:
# both live on one line.
LIMIT_LINE_CHARACTERS = 400
# The parser calls itself for every bracket inside a value, so all of them together bound its stack.
LIMIT_BRACKETS = 128

_SHORT_NAME = re.compile(r"[A-Za-z0-9_]{1,64}")

Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a document. ``where`` names the file, ``path`` the table in it (empty at the top)."""

    where: str
    path: str
    entries: Mapping[str, object]

    def broken(self, key: str, rule: str) -> InvalidInput:
        return InvalidInput(where=self.where, key=self.place(key), rule=rule)

    def place(self, key: str) -> str:
        return ".".join(part for part in (self.path, key) if part)

    def only(self, *allowed: str) -> None:
        """Refuse keys that no rule knows, so that a typing error is never read as a default."""
        for key in self.entries:
            if key not in allowed:
                raise self.broken(
                    shown_key(key), f"unknown key; allowed here: {', '.join(allowed)}"
                )

    def has(self, key: str) -> bool:
        return key in self.entries

    def entry(self, key: str) -> object:
        if key not in self.entries:
            raise self.broken(key, "missing; this key is required")
        return self.entries[key]

    def line(self, key: str, *, limit: int) -> str:
        """Take one line of printable text, not empty, without space around it."""
        value = self.entry(key)
        if not isinstance(value, str) or not 1 <= len(value) <= limit:
            raise self.broken(key, f"must be text of 1 to {limit} characters")
        if not value.isprintable() or value != value.strip():
            raise self.broken(key, "must be one line of printable text without space around it")
        return value

    def name(self, key: str, pattern: re.Pattern[str], *, like: str) -> str:
        value = self.entry(key)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise self.broken(key, f"must be {like}")
        return value

    def word(self, key: str, words: type[Word]) -> Word:
        return self._word(key, self.entry(key), words)

    def words(self, key: str, words: type[Word]) -> tuple[Word, ...]:
        """Take words of a closed list, at least one and each once."""
        found = tuple(self._word(key, one, words) for one in self._array(key, limit=len(words)))
        if len(set(found)) != len(found):
            raise self.broken(key, "states a word twice")
        return found

    def names(self, key: str, pattern: re.Pattern[str], *, limit: int) -> tuple[str, ...]:
        """Take one to ``limit`` names in order; the same name may come again."""
        found: list[str] = []
        for one in self._array(key, limit=limit):
            if not isinstance(one, str) or not pattern.fullmatch(one):
                raise self.broken(key, "must be a list of names of letters, digits and _")
            found.append(one)
        return tuple(found)

    def flag(self, key: str) -> bool:
        value = self.entry(key)
        if not isinstance(value, bool):
            raise self.broken(key, "must be true or false")
        return value

    def integer(self, key: str, *, low: int, high: int) -> int:
        value = self.entry(key)
        if type(value) is not int or not low <= value <= high:
            raise self.broken(key, f"must be an integer from {low} to {high}")
        return value

    def number(self, key: str, *, low: float, high: float) -> float:
        """Take a finite number; an integer is one, true and false are not."""
        value = self.entry(key)
        if type(value) is not int and type(value) is not float:
            raise self.broken(key, f"must be a number from {low} to {high}")
        if not low <= value <= high or not math.isfinite(value):
            raise self.broken(key, f"must be a number from {low} to {high}")
        return float(value)

    def table(self, key: str) -> "Table":
        value = self.entry(key)
        if not isinstance(value, dict):
            raise self.broken(key, "must be a table")
        return Table(self.where, self.place(key), value)

    def tables(self, key: str, *, limit: int) -> "tuple[Table, ...]":
        """Take an array of tables, one to ``limit`` of them, each called by its name or else its place."""
        found: list[Table] = []
        for index, one in enumerate(self._array(key, limit=limit)):
            if not isinstance(one, dict):
                raise self.broken(key, f"must be tables, written as [[{key}]]")
            name = one.get("name")
            called = name if isinstance(name, str) and _SHORT_NAME.fullmatch(name) else index
            found.append(Table(self.where, f"{self.place(key)}.{called}", one))
        return tuple(found)

    def _array(self, key: str, *, limit: int) -> list[object]:
        value = self.entry(key)
        if not isinstance(value, list) or not 1 <= len(value) <= limit:
            raise self.broken(key, f"must be a list of 1 to {limit} entries")
        return value

    def _word(self, key: str, value: object, words: type[Word]) -> Word:
        for word in words:
            if value == word.value:
                return word
        allowed = ", ".join(word.value for word in words)
        raise self.broken(key, f"{shown(value)} is not one of: {allowed}")


def parse(text: str, *, where: str) -> Table:
    """Parse one document. Raise InvalidInput for any text that is not a document within the bounds."""
    _bound(text, where)
    try:
        return Table(where, "", tomllib.loads(text))
    except (
        ValueError
    ) as error:  # not only TOMLDecodeError: a date such as 2026-02-31 raises the plain one
        raise InvalidInput(where=where, key="", rule=f"not TOML: {_first_line(error)}") from error


def shown(value: object, *, limit: int = 40) -> str:
    """Show a value of the document in a message: one short line, whatever it holds."""
    text = value if isinstance(value, str) else type(value).__name__
    return ascii(text if len(text) <= limit else text[:limit] + "...")


def shown_key(key: str) -> str:
    """Show a key that no rule knows: as it is if it is plain, else as a value is shown."""
    return key if _SHORT_NAME.fullmatch(key) else shown(key)


def _bound(text: str, where: str) -> None:
    rule = ""
    if len(text) > LIMIT_CHARACTERS:
        rule = f"longer than {LIMIT_CHARACTERS} characters"
    elif max(map(len, text.split("\n"))) > LIMIT_LINE_CHARACTERS:
        rule = f"has a line of more than {LIMIT_LINE_CHARACTERS} characters"
    elif text.count("[") + text.count("{") > LIMIT_BRACKETS:
        rule = f"has more than {LIMIT_BRACKETS} opening brackets"
    if rule:
        raise InvalidInput(where=where, key="", rule=rule)


def _first_line(error: ValueError) -> str:
    return str(error).split("\n", 1)[0][:200]
