"""A JSON document as a flat stream of events, checked as a whole and never held as a whole.

Stricter than JSON: no duplicate keys, no NUL, no lone surrogate, no number that overflows, bounds on everything.
"""

import json
import math
import re
from collections.abc import Iterator
from enum import StrEnum

from portal.uploads.reading.json_tokens import AFTER, KEY, SPACE, VALUE, needs_more, what_is_wrong
from portal.uploads.reading.json_window import Window
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import Readable
from portal.uploads.reading.refused import Refused


class Kind(StrEnum):
    OBJECT = "{"
    OBJECT_END = "}"
    ARRAY = "["
    ARRAY_END = "]"
    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    LITERAL = "literal"


# The bytes are the inside of a string or key as written, for ``decoded``, or the text of a number or literal.
# A plain pair, because a document may have two million of them.
Event = tuple[Kind, bytes]

_OPENING = {b"[": Kind.ARRAY, b"{": Kind.OBJECT}


def decoded(inside: bytes) -> str:
    """The text of a string or key event."""
    if b"\\" not in inside:
        return inside.decode("utf-8")
    text: str = json.loads(b'"%b"' % inside)
    return text


def events(stream: Readable, limits: Limits, member: str) -> Iterator[Event]:
    """All events of one document; ``Refused`` at the first fault, also for bytes after the document."""
    return _Reader(stream, limits, member).events()


class _Reader:
    def __init__(self, stream: Readable, limits: Limits, member: str) -> None:
        self._window = Window(stream, limits, member)
        self._limits = limits
        self._member = member
        self._held = b""
        self._at = 0
        # The keys seen of each open object, or None for an open array.
        self._open: list[set[bytes] | None] = []
        self._open_keys = 0

    def events(self) -> Iterator[Event]:
        left = self._limits.json_events
        for event in self._grammar():
            left -= 1
            if left < 0:
                raise self._refused(f"has more than {self._limits.json_events:,} JSON events")
            yield event
        self._nothing_more()

    def _grammar(self) -> Iterator[Event]:
        empty_allowed = False
        while True:
            if self._open and self._open[-1] is not None:
                event = self._key(end_allowed=empty_allowed)
                yield event
                if event[0] is Kind.KEY:
                    event = self._value(end_allowed=False)
                    yield event
            else:
                event = self._value(end_allowed=empty_allowed)
                yield event
            empty_allowed = event[0] is Kind.OBJECT or event[0] is Kind.ARRAY
            if empty_allowed:
                self._descend(event[0])
                continue
            if event[0] is Kind.OBJECT_END or event[0] is Kind.ARRAY_END:
                self._ascend()
            while self._open:
                mark = self._next(AFTER)[1]
                if mark == b",":
                    break
                yield self._end(mark)
                self._ascend()
            if not self._open:
                return

    def _key(self, *, end_allowed: bool) -> Event:
        found = self._next(KEY)
        inside = found[1]
        if inside is None:
            if not end_allowed:
                raise self._refused("has a comma before the end of an object")
            return Kind.OBJECT_END, b"}"
        if len(inside) > self._limits.key_bytes:
            raise self._refused(f"has a key of more than {self._limits.key_bytes:,} bytes")
        self._new_key(inside)
        return Kind.KEY, inside

    def _new_key(self, inside: bytes) -> None:
        keys = self._open[-1]
        assert keys is not None
        name = inside if b"\\" not in inside else decoded(inside).encode()
        if name in keys:
            raise self._refused("has the same key twice in one object")
        keys.add(name)
        self._open_keys += 1
        if self._open_keys > self._limits.open_keys:
            raise self._refused(f"has objects of more than {self._limits.open_keys:,} keys")

    def _value(self, *, end_allowed: bool) -> Event:
        found = self._next(VALUE)
        group = found.lastindex
        text = found[group or 0]
        if group == 1:
            if len(text) > self._limits.string_bytes:
                raise self._refused(
                    f"has a string of more than {self._limits.string_bytes:,} bytes"
                )
            return Kind.STRING, text
        if group == 2:
            self._check_number(text)
            return Kind.NUMBER, text
        if group == 3:
            return Kind.LITERAL, text
        if group == 4:
            return _OPENING[text], text
        if not end_allowed:
            raise self._refused("has no value where one belongs, before the end of an array")
        return Kind.ARRAY_END, text

    def _check_number(self, text: bytes) -> None:
        if len(text) > self._limits.number_bytes:
            raise self._refused(f"has a number of more than {self._limits.number_bytes} characters")
        if (b"e" in text or b"E" in text) and not math.isfinite(float(text)):
            raise self._refused("has a number that is too large to be kept")

    def _end(self, mark: bytes) -> Event:
        in_array = self._open[-1] is None
        if in_array != (mark == b"]"):
            raise self._refused("closes an array as an object, or an object as an array")
        return (Kind.ARRAY_END if in_array else Kind.OBJECT_END), mark

    def _descend(self, kind: Kind) -> None:
        self._open.append(set() if kind is Kind.OBJECT else None)
        if len(self._open) > self._limits.json_depth:
            raise self._refused(f"is nested deeper than {self._limits.json_depth} levels")

    def _ascend(self) -> None:
        self._open_keys -= len(self._open.pop() or ())

    def _next(self, pattern: re.Pattern[bytes]) -> re.Match[bytes]:
        """The token at hand; it is whole only when something follows it or the document has ended."""
        found = pattern.match(self._held, self._at)
        while found is None or (found.end() == len(self._held) and not self._window.at_end):
            found = self._read_on(pattern, found)
        self._at = found.end()
        return found

    def _read_on(
        self, pattern: re.Pattern[bytes], found: re.Match[bytes] | None
    ) -> re.Match[bytes] | None:
        space = SPACE.match(self._held, self._at)
        assert space is not None
        rest = self._held[space.end() :]
        if self._window.at_end or (found is None and not needs_more(rest)):
            self._held, self._at = rest, 0
            raise self._refused(what_is_wrong(rest, at_end=self._window.at_end))
        if len(rest) > self._limits.string_bytes + self._limits.key_bytes:
            raise self._refused(
                f"has a string or number of more than {self._limits.string_bytes:,} bytes"
            )
        self._held, self._at = self._window.more(rest), 0
        return pattern.match(self._held)

    def _nothing_more(self) -> None:
        while True:
            space = SPACE.match(self._held, self._at)
            assert space is not None
            if space.end() < len(self._held):
                raise self._refused("goes on after the end of the document")
            if self._window.at_end:
                return
            self._held, self._at = self._window.more(b""), 0

    def _refused(self, reason: str) -> Refused:
        at = self._window.read_bytes - len(self._held) + self._at
        return Refused(f"{reason} (near byte {at:,})", self._member)
