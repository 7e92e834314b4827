"""JSON from strangers: bounded before it is parsed, integers only, each key once, typed on the way out.

Recordings and plans hold payloads of many megabytes in one string, so the bound is taken by
regular expressions over whole lines, never character by character.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from evaluation.core.errors import InvalidInput
from evaluation.core.quoting import quoted

U32 = 2**32 - 1
U64 = 2**64 - 1
I32 = 2**31 - 1
I64 = 2**63 - 1
LIMIT_NAME_BYTES = 4096

# A string, also one that never ends. Possessive, hence linear.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.?[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_PAIR = re.compile(rb"\[\]|\{\}")
_NO_MARKS = bytes(set(range(256)) - set(b"[]{},"))
_HEX = re.compile(r"(?:[0-9a-f]{2})*+\Z")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_QUOTES = 4  # of a key and a value
_DIGITS = 20  # of 2^64-1; one more for a sign


@dataclass(frozen=True, slots=True)
class Fields:
    """One object of a document. ``where`` names the document, ``key`` the place of the object."""

    where: str
    key: str
    entries: Mapping[str, object]

    def broken(self, key: str, rule: str) -> InvalidInput:
        return InvalidInput(where=self.where, key=self._place(key), rule=rule)

    def exactly(self, *keys: str) -> None:
        """Refuse a document that lacks one of ``keys`` or has another."""
        for key in self.entries:
            if key not in keys:
                raise self.broken("", f"unknown key {quoted(key, limit=40)}")
        for key in keys:
            if key not in self.entries:
                raise self.broken(key, "is missing")

    def integer(self, key: str, *, low: int = 0, high: int = U64) -> int:
        return self._integer(key, self.entries.get(key), low, high)

    def integers(
        self, key: str, *, least: int = 0, most: int, low: int = 0, high: int = U64
    ) -> tuple[int, ...]:
        values = self._items(key, least, most)
        return tuple(self._integer(key, value, low, high) for value in values)

    def triple(self, key: str, *, low: int = 0, high: int = U32) -> tuple[int, int, int]:
        x, y, z = self.integers(key, least=3, most=3, low=low, high=high)
        return x, y, z

    def flag(self, key: str) -> bool:
        value = self.entries.get(key)
        if not isinstance(value, bool):
            raise self.broken(key, "must be true or false")
        return value

    def one_of(self, key: str, words: tuple[str, ...]) -> str:
        value = self.entries.get(key)
        if not isinstance(value, str) or value not in words:
            raise self.broken(key, f"must be one of {', '.join(words)}")
        return value

    def word(self, key: str, *, limit: int = 80) -> str:
        """Take letters, digits and underscores."""
        value = self.entries.get(key)
        if not isinstance(value, str) or len(value) > limit or not _WORD.match(value):
            raise self.broken(key, f"must be a word of at most {limit} letters, digits and _")
        return value

    def name(self, key: str) -> str:
        return self._name(key, self.entries.get(key))

    def names(
        self, key: str, *, least: int = 0, most: int, limit_bytes: int = LIMIT_NAME_BYTES
    ) -> tuple[str, ...]:
        values = self._items(key, least, most)
        return tuple(self._name(key, value, limit_bytes) for value in values)

    def text(self, key: str, *, limit: int) -> str:
        """Take any characters that UTF-8 can hold, at most ``limit``."""
        value = self.entries.get(key)
        if not isinstance(value, str) or len(value) > limit or not _encodes(value):
            raise self.broken(key, f"must be text of at most {limit} characters")
        return value

    def answers(self, key: str, *, most: int) -> tuple[int | str, ...]:
        """Take integers of 64 bits, signed or not, and printable text, in any mixture."""
        return tuple(self._answer(key, value) for value in self._items(key, 0, most))

    def hexadecimal(self, key: str, *, limit_bytes: int) -> bytes:
        value = self.entries.get(key)
        if not isinstance(value, str) or len(value) > 2 * limit_bytes or not _HEX.match(value):
            raise self.broken(key, f"must be at most {limit_bytes} bytes in lower-case hex")
        return bytes.fromhex(value)

    def child(self, key: str) -> "Fields":
        return self._child(self._place(key), self.entries.get(key))

    def children(self, key: str, *, most: int) -> "tuple[Fields, ...]":
        place = self._place(key)
        return tuple(
            self._child(f"{place}.{index}", value)
            for index, value in enumerate(self._items(key, 0, most))
        )

    def _place(self, key: str) -> str:
        return ".".join(part for part in (self.key, key) if part)

    def _items(self, key: str, least: int, most: int) -> list[object]:
        value = self.entries.get(key)
        if not isinstance(value, list) or not least <= len(value) <= most:
            raise self.broken(key, f"must be a list of {least} to {most} entries")
        return value

    def _integer(self, key: str, value: object, low: int, high: int) -> int:
        if type(value) is not int or not low <= value <= high:
            raise self.broken(key, f"must be an integer from {low} to {high}")
        return value

    def _name(self, key: str, value: object, limit_bytes: int = LIMIT_NAME_BYTES) -> str:
        if (
            not isinstance(value, str)
            or not 1 <= len(value) <= limit_bytes
            or not value.isprintable()
            or len(value.encode()) > limit_bytes
        ):
            raise self.broken(key, f"must be a printable name of at most {limit_bytes} bytes")
        return value

    def _answer(self, key: str, value: object) -> int | str:
        if isinstance(value, str):
            return self._name(key, value) if value else value
        return self._integer(key, value, -I64 - 1, U64)

    def _child(self, place: str, value: object) -> "Fields":
        if not isinstance(value, dict):
            raise InvalidInput(where=self.where, key=place, rule="must be an object")
        return Fields(self.where, place, value)


def count_marks(content: bytes, *, where: str, key: str, depth: int, marks: int) -> int:
    """Count brackets and commas outside strings; raise InvalidInput past ``depth`` or ``marks``."""
    too_many = InvalidInput(where=where, key=key, rule=f"has more than {marks} entries")
    if content.count(b'"') - content.count(b'\\"') > _QUOTES * (marks + 1):
        raise too_many  # two strings an entry; each match of the next line costs time
    outside = _STRING.sub(b"", content).translate(None, _NO_MARKS)
    if len(outside) > marks:
        raise too_many
    left = outside.replace(b",", b"")
    for _ in range(depth):
        left = _PAIR.sub(b"", left)  # the innermost pairs: one level
    if left:
        rule = f"is nested deeper than {depth}, or its brackets do not match"
        raise InvalidInput(where=where, key=key, rule=rule)
    return len(outside)


def parse_object(content: bytes, *, where: str, key: str) -> Fields:
    """Parse one object whose nesting ``count_marks`` has bounded."""
    try:
        value = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=lambda pairs: _unique(pairs, where, key),
            parse_int=lambda digits: _integer(digits, where, key),
            parse_float=lambda text: _not_a_number(text, where, key),
            parse_constant=lambda text: _not_a_number(text, where, key),
        )
    except ValueError as error:  # JSONDecodeError and UnicodeDecodeError
        raise InvalidInput(where=where, key=key, rule="is not JSON in UTF-8") from error
    if not isinstance(value, dict):
        raise InvalidInput(where=where, key=key, rule="must be an object")
    return Fields(where, key, value)


def _unique(pairs: list[tuple[str, object]], where: str, key: str) -> dict[str, object]:
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise InvalidInput(where=where, key=key, rule="has a key twice")
    return entries


def _integer(digits: str, where: str, key: str) -> int:
    if len(digits.lstrip("-")) > _DIGITS:
        raise InvalidInput(where=where, key=key, rule="has an integer of more than 64 bits")
    return int(digits)


def _not_a_number(text: str, where: str, key: str) -> NoReturn:
    raise InvalidInput(
        where=where, key=key, rule=f"has {quoted(text, limit=40)} where only integers may stand"
    )


def _encodes(value: str) -> bool:
    """Say whether UTF-8 can hold it: JSON can write half a surrogate pair."""
    return not any("\ud800" <= character <= "\udfff" for character in value)
