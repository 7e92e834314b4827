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

# A member of an enumeration is slow to look up, and each event takes several.
_OBJECT, _OBJECT_END, _ARRAY, _ARRAY_END, _KEY, _STRING, _NUMBER, _LITERAL = Kind
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
        # The comma or end that was found together with the scalar before it.
        self._mark: bytes | None = None
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
        opened = self._open
        end_allowed = False
        while True:
            if opened and opened[-1] is not None:
                event = self._key(end_allowed=end_allowed)
                yield event
                if event[0] is _KEY:
                    event = self._value(end_allowed=False)
                    yield event
            else:
                event = self._value(end_allowed=end_allowed)
                yield event
            kind = event[0]
            end_allowed = kind is _OBJECT or kind is _ARRAY
            if end_allowed:
                self._descend(kind)
                continue
            if kind is _OBJECT_END or kind is _ARRAY_END:
                self._ascend()
            while opened:
                mark = self._separator()
                if mark == b",":
                    break
                yield self._end(mark)
                self._ascend()
            if not opened:
                if self._mark is not None:
                    raise self._refused("goes on after the end of the document")
                return

    def _key(self, *, end_allowed: bool) -> Event:
        found = self._whole(KEY, KEY.match(self._held, self._at))
        inside = found[1]
        if inside is None:
            if not end_allowed:
                raise self._refused("has a comma before the end of an object")
            return _OBJECT_END, b"}"
        if len(inside) > self._limits.key_bytes:
            raise self._refused(f"has a key of more than {self._limits.key_bytes:,} bytes")
        self._new_key(inside)
        return _KEY, inside

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
        found = self._whole(VALUE, VALUE.match(self._held, self._at))
        inside, number, literal, self._mark, opening, _ = found.groups()
        if inside is not None:
            if len(inside) > self._limits.string_bytes:
                raise self._refused(
                    f"has a string of more than {self._limits.string_bytes:,} bytes"
                )
            return _STRING, inside
        if number is not None:
            self._check_number(number)
            return _NUMBER, number
        if literal is not None:
            return _LITERAL, literal
        if opening is not None:
            return _OPENING[opening], opening
        if not end_allowed:
            raise self._refused("has no value where one belongs, before the end of an array")
        return _ARRAY_END, b"]"

    def _check_number(self, text: bytes) -> None:
        if len(text) > self._limits.number_bytes:
            raise self._refused(f"has a number of more than {self._limits.number_bytes} characters")
        if (b"e" in text or b"E" in text) and not math.isfinite(float(text)):
            raise self._refused("has a number that is too large to be kept")

    def _separator(self) -> bytes:
        mark, self._mark = self._mark, None
        return mark or self._whole(AFTER, AFTER.match(self._held, self._at))[1]

    def _end(self, mark: bytes) -> Event:
        in_array = self._open[-1] is None
        if in_array != (mark == b"]"):
            raise self._refused("closes an array as an object, or an object as an array")
        return (_ARRAY_END if in_array else _OBJECT_END), mark

    def _descend(self, kind: Kind) -> None:
        self._open.append(set() if kind is _OBJECT else None)
        if len(self._open) > self._limits.json_depth:
            raise self._refused(f"is nested deeper than {self._limits.json_depth} levels")

    def _ascend(self) -> None:
        self._open_keys -= len(self._open.pop() or ())

    def _whole(self, pattern: re.Pattern[bytes], found: re.Match[bytes] | None) -> re.Match[bytes]:
        """The token at hand; it is whole only when something follows it or the document has ended."""
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
