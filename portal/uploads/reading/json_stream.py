"""Parts of a JSON document as Python values, one after the other, while the document streams by."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from portal.uploads.reading.json_events import Event, Kind, decoded, events
from portal.uploads.reading.json_paths import EACH, Each, Node, Path, Wanted, tree
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import Readable
from portal.uploads.reading.refused import Refused

__all__ = ["EACH", "Each", "Json", "Path", "Picked", "Wanted", "document", "picked"]

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# What CPython takes at most for a container and for each place in it, so that an estimate errs upwards.
_OBJECT_BYTES = 232
_MEMBER_BYTES = 100
_ARRAY_BYTES = 88
_ELEMENT_BYTES = 9


@dataclass(frozen=True, slots=True)
class Picked:
    """A wanted value, with the path where it stood: keys, and 0-based indices of elements."""

    path: tuple[str | int, ...]
    value: Json


def picked(
    stream: Readable, wanted: Sequence[Wanted], limits: Limits, member: str
) -> Iterator[Picked]:
    """The wanted values in the order of the document, which is read and checked to its end.

    ``Refused`` may come after some values: a caller keeps nothing of a document that was not exhausted.
    """
    flow = events(stream, limits, member)
    yield from _walk(next(flow), flow, tree(wanted), (), _Builder(limits, member))
    _exhaust(flow)


def document(stream: Readable, limits: Limits, member: str) -> Json:
    """A small document as one value."""
    (whole,) = picked(stream, [Wanted(())], limits, member)
    return whole.value


def _exhaust(flow: Iterator[Event]) -> None:
    """Let the events check what stands behind the document; there is no event left."""
    for _ in flow:
        raise AssertionError("a document is one value")


def _walk(
    event: Event,
    flow: Iterator[Event],
    node: Node | None,
    path: tuple[str | int, ...],
    build: "_Builder",
) -> Iterator[Picked]:
    """Consume the value that begins with ``event`` and give what is wanted of it."""
    kind = event[0]
    if node is None:
        _skip(kind, flow)
    elif node.is_wanted:
        yield Picked(path, build.value(event, flow, node.parts))
    elif kind is Kind.OBJECT:
        for _, inside in _until(Kind.OBJECT_END, flow):
            key = decoded(inside)
            yield from _walk(next(flow), flow, node.children.get(key), (*path, key), build)
    elif kind is Kind.ARRAY:
        for index, element in enumerate(_until(Kind.ARRAY_END, flow)):
            yield from _walk(element, flow, node.each, (*path, index), build)


def _until(end: Kind, flow: Iterator[Event]) -> Iterator[Event]:
    """The first event of each member; whoever takes one consumes the rest of that member."""
    for event in flow:
        if event[0] is end:
            return
        yield event


def _skip(kind: Kind, flow: Iterator[Event]) -> None:
    depth = kind is Kind.OBJECT or kind is Kind.ARRAY
    levels = int(depth)
    while levels:
        kind = next(flow)[0]
        if kind is Kind.OBJECT or kind is Kind.ARRAY:
            levels += 1
        elif kind is Kind.OBJECT_END or kind is Kind.ARRAY_END:
            levels -= 1


class _Builder:
    """Builds values, each within the memory that one may take."""

    def __init__(self, limits: Limits, member: str) -> None:
        self._limit_bytes = limits.picked_bytes
        self._member = member
        self._left_bytes = 0

    def value(self, event: Event, flow: Iterator[Event], parts: Node | None) -> Json:
        self._left_bytes = self._limit_bytes
        return self._value(event, flow, parts)

    def _value(self, event: Event, flow: Iterator[Event], parts: Node | None) -> Json:
        kind, text = event
        if kind is Kind.STRING:
            return self._text(text)
        if kind is Kind.OBJECT:
            return self._object(flow, parts)
        if kind is Kind.ARRAY:
            return self._array(flow, parts)
        if kind is Kind.NUMBER:
            self._spend(2 * len(text) + 32)
            return int(text) if text.lstrip(b"-").isdigit() else float(text)
        return {b"true": True, b"false": False, b"null": None}[text]

    def _object(self, flow: Iterator[Event], parts: Node | None) -> Json:
        self._spend(_OBJECT_BYTES)
        built: dict[str, Json] = {}
        for _, inside in _until(Kind.OBJECT_END, flow):
            key = decoded(inside)
            child = parts.children.get(key) if parts is not None else None
            first = next(flow)
            if parts is not None and child is None:
                _skip(first[0], flow)
                continue
            self._spend(_MEMBER_BYTES + sys.getsizeof(key))
            built[key] = self._value(first, flow, _below(child))
        return built

    def _array(self, flow: Iterator[Event], parts: Node | None) -> Json:
        self._spend(_ARRAY_BYTES)
        built: list[Json] = []
        child = parts.each if parts is not None else None
        for first in _until(Kind.ARRAY_END, flow):
            if parts is not None and child is None:
                _skip(first[0], flow)
                continue
            self._spend(_ELEMENT_BYTES)
            built.append(self._value(first, flow, _below(child)))
        return built

    def _text(self, inside: bytes) -> str:
        text = decoded(inside)
        self._spend(sys.getsizeof(text))
        return text

    def _spend(self, size_bytes: int) -> None:
        self._left_bytes -= size_bytes
        if self._left_bytes < 0:
            raise Refused(
                f"has one part that would take more than {self._limit_bytes:,} bytes of memory",
                self._member,
            )


def _below(child: Node | None) -> Node | None:
    """The parts to build of a child: those that paths lead to, or all where a path ends."""
    return None if child is None or child.is_wanted else child
