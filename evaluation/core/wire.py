"""Records to JSON and back. A record's own type hints are its schema; nothing else is accepted.

Decoding is meant for bytes from anywhere: size and depth are bounded before parsing, and unknown, missing or duplicate
keys, wrong types, numbers that are not finite and words outside an enum are refused by name.
"""

import dataclasses
import json
import math
import types
import typing
from enum import StrEnum
from typing import TypeVar

from evaluation.core.errors import InvalidInput

R = TypeVar("R")

LIMIT_BYTES = 8 * 1024 * 1024
LIMIT_DEPTH = 12
LARGEST_INTEGER = (
    2**128
)  # far beyond any count or time, and every float that is made of it is finite


def encode(record: object) -> bytes:
    """Canonical JSON of a frozen dataclass: sorted keys, no spaces, ASCII."""
    return json.dumps(
        _plain(record), sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode()


def decode(kind: type[R], content: bytes, *, where: str, limit_bytes: int = LIMIT_BYTES) -> R:
    """Build a ``kind`` from JSON bytes or raise InvalidInput with the key and the rule."""
    return build(kind, parse(content, where=where, limit_bytes=limit_bytes), where=where)


def build(kind: type[R], plain: object, *, where: str) -> R:
    """Build a ``kind`` from what ``parse`` returned; the same refusals as ``decode``."""
    built = _build(kind, plain, where=where, key="")
    assert isinstance(built, kind)
    return built


def parse(
    content: bytes, *, where: str, limit_bytes: int = LIMIT_BYTES, limit_depth: int = LIMIT_DEPTH
) -> object:
    """Parse hostile JSON: bounded size and depth, no duplicate keys, no NaN or infinity, valid UTF-8."""
    if len(content) > limit_bytes:
        rule = f"has {len(content)} bytes; at most {limit_bytes} are read"
        raise InvalidInput(where=where, key="", rule=rule)
    if depth(content) > limit_depth:
        raise InvalidInput(where=where, key="", rule=f"is nested deeper than {limit_depth} levels")
    try:
        return json.loads(
            content.decode("utf-8"),
            object_pairs_hook=lambda pairs: _unique(pairs, where),
            parse_constant=lambda word: _no_constant(word, where),
            parse_float=lambda word: _finite(word, where),
        )
    except InvalidInput:
        raise
    except (
        ValueError
    ) as error:  # JSONDecodeError, UnicodeDecodeError and over-long integers are all ValueErrors
        raise InvalidInput(where=where, key="", rule=f"is not JSON: {str(error)[:200]}") from None


def depth(content: bytes) -> int:
    """Deepest nesting of brackets outside strings; linear, so that the parser never meets a deep document."""
    deepest = level = 0
    in_string = escaped = False
    for byte in content:
        if in_string:
            if escaped:
                escaped = False
            elif byte == 0x5C:  # backslash
                escaped = True
            elif byte == 0x22:
                in_string = False
        elif byte == 0x22:
            in_string = True
        elif byte in b"[{":
            level += 1
            deepest = max(deepest, level)
        elif byte in b"]}":
            level -= 1
    return deepest


def _plain(value: object) -> object:
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"{type(value).__name__} is no part of a record")


def _build(kind: object, value: object, *, where: str, key: str) -> object:
    origin = typing.get_origin(kind)
    if origin is types.UnionType or origin is typing.Union:
        return _build_union(typing.get_args(kind), value, where=where, key=key)
    if origin is tuple:
        return _build_tuple(typing.get_args(kind), value, where=where, key=key)
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return _build_record(kind, value, where=where, key=key)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        words = [str(word) for word in kind]
        if value not in words:
            raise InvalidInput(where=where, key=key, rule=f"must be one of {', '.join(words)}")
        return kind(value)
    if type(value) is int and abs(value) > LARGEST_INTEGER:
        raise InvalidInput(where=where, key=key, rule="is larger than any number of a record")
    if kind is float and type(value) is int:
        return float(value)
    if kind in (str, int, float, bool) and type(value) is kind:
        return value
    name = getattr(kind, "__name__", str(kind))
    raise InvalidInput(where=where, key=key, rule=f"must be {name}, not {type(value).__name__}")


def _build_union(kinds: tuple[object, ...], value: object, *, where: str, key: str) -> object:
    if value is None and type(None) in kinds:
        return None
    rest = tuple(kind for kind in kinds if kind is not type(None))
    for kind in rest:
        if len(rest) == 1 or type(value) is kind:
            return _build(kind, value, where=where, key=key)
    names = " or ".join(getattr(kind, "__name__", str(kind)) for kind in rest)
    raise InvalidInput(where=where, key=key, rule=f"must be {names}, not {type(value).__name__}")


def _build_tuple(kinds: tuple[object, ...], value: object, *, where: str, key: str) -> object:
    if not isinstance(value, list):
        raise InvalidInput(where=where, key=key, rule=f"must be a list, not {type(value).__name__}")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        rule = f"must have {len(kinds)} items, not {len(value)}"
        raise InvalidInput(where=where, key=key, rule=rule)
    return tuple(
        _build(kind, item, where=where, key=f"{key}[{place}]")
        for place, (kind, item) in enumerate(zip(kinds, value, strict=True))
    )


def _build_record(kind: type, value: object, *, where: str, key: str) -> object:
    if not isinstance(value, dict):
        rule = f"must be an object, not {type(value).__name__}"
        raise InvalidInput(where=where, key=key, rule=rule)
    hints = typing.get_type_hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    for name in sorted(set(value) - set(names)):
        raise InvalidInput(
            where=where, key=_join(key, str(name)), rule="is not a key of this record"
        )
    built: dict[str, object] = {}
    for name in names:
        if name not in value:
            raise InvalidInput(where=where, key=_join(key, name), rule="is missing")
        built[name] = _build(hints[name], value[name], where=where, key=_join(key, name))
    try:
        return kind(**built)
    except ValueError as error:  # a record's own __post_init__ rule
        raise InvalidInput(where=where, key=key, rule=str(error)) from None


def _join(key: str, name: str) -> str:
    return f"{key}.{name[:80]}" if key else name[:80]


def _unique(pairs: list[tuple[str, object]], where: str) -> dict[str, object]:
    built: dict[str, object] = {}
    for name, value in pairs:
        if name in built:
            raise InvalidInput(where=where, key=name[:80], rule="is given twice")
        built[name] = value
    return built


def _no_constant(word: str, where: str) -> object:
    raise InvalidInput(where=where, key="", rule=f"holds {word}; numbers must be finite")


def _finite(word: str, where: str) -> float:
    number = float(word)
    if not math.isfinite(number):
        raise InvalidInput(where=where, key="", rule=f"holds {word[:40]}; numbers must be finite")
    return number
