"""Facts about built artifacts on their way out of the reader's jail.

The reader parsed hostile bytes, so its words are taken as hostile too: the document is bounded, the records are checked
field by field, and a name longer than a reader may hand out is refused.
"""

import dataclasses
from dataclasses import dataclass
from typing import Final

from evaluation.core import wire
from evaluation.core.binary.cubin import WHERE as CUBIN
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.binary.elf import MAX_NAME_BYTES
from evaluation.core.binary.facts import CubinFacts, LibraryFacts
from evaluation.core.binary.library import WHERE as LIBRARY
from evaluation.core.binary.library import read_library
from evaluation.core.errors import InvalidInput

LIMIT_BYTES: Final = 8 << 20

_MAX_ITEMS: Final = 16_384  # of one list
_MAX_NUMBER: Final = (1 << 64) - 1
_MAX_RULE: Final = 400  # characters of a refusal; names in it may be long


@dataclass(frozen=True, slots=True)
class Refusal:
    """An InvalidInput of a reader; where it arose is known to whoever asked."""

    key: str
    rule: str


@dataclass(frozen=True, slots=True)
class CubinAnswer:
    facts: CubinFacts | None
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class LibraryAnswer:
    facts: LibraryFacts | None
    refusal: Refusal | None


def answer(where: str, content: bytes) -> bytes:
    """Read one artifact, ``cubin`` or ``library``, and say the facts or why there are none; runs in the jail."""
    try:
        if where == CUBIN:
            return wire.encode(CubinAnswer(read_cubin(content), None))
        return wire.encode(LibraryAnswer(read_library(content), None))
    except InvalidInput as error:
        refusal = Refusal(error.key[:_MAX_RULE], error.rule[:_MAX_RULE])
    if where == CUBIN:
        return wire.encode(CubinAnswer(None, refusal))
    return wire.encode(LibraryAnswer(None, refusal))


def cubin_facts(document: bytes) -> CubinFacts:
    """The facts of an answer. Raise InvalidInput for a refusal, and for a document that no reader of ours wrote."""
    found = wire.decode(CubinAnswer, document, where=CUBIN, limit_bytes=LIMIT_BYTES)
    if found.facts is None:
        raise _refused(CUBIN, found.refusal)
    _check(found.facts, where=CUBIN, key="facts")
    return found.facts


def library_facts(document: bytes) -> LibraryFacts:
    """The facts of an answer. Raise InvalidInput for a refusal, and for a document that no reader of ours wrote."""
    found = wire.decode(LibraryAnswer, document, where=LIBRARY, limit_bytes=LIMIT_BYTES)
    if found.facts is None:
        raise _refused(LIBRARY, found.refusal)
    _check(found.facts, where=LIBRARY, key="facts")
    return found.facts


def _refused(where: str, refusal: Refusal | None) -> InvalidInput:
    if refusal is None:
        return InvalidInput(
            where=where, key="", rule="the answer holds neither facts nor a refusal"
        )
    _check(refusal, where=where, key="refusal")
    return InvalidInput(where=where, key=refusal.key[:_MAX_RULE], rule=refusal.rule[:_MAX_RULE])


def _check(value: object, *, where: str, key: str) -> None:
    if isinstance(value, str):
        if len(value) > MAX_NAME_BYTES or not value.isprintable():
            raise InvalidInput(where=where, key=key, rule="is too long or cannot be printed")
    elif isinstance(value, int):
        if not 0 <= value <= _MAX_NUMBER:
            raise InvalidInput(where=where, key=key, rule="is no unsigned 64-bit number")
    elif isinstance(value, tuple):
        if len(value) > _MAX_ITEMS:
            raise InvalidInput(where=where, key=key, rule=f"has more than {_MAX_ITEMS} items")
        for item in value:
            _check(item, where=where, key=key)
    elif dataclasses.is_dataclass(value):
        for one in dataclasses.fields(value):
            _check(getattr(value, one.name), where=where, key=f"{key}.{one.name}")
