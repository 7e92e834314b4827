"""Watched identifiers, attributes and pragmas in the tokens of a source."""

from collections.abc import Iterator, Sequence

from evaluation.core.source.brackets import in_attributes
from evaluation.core.source.directives import Line, name_of, text
from evaluation.core.source.lexer import Token, TokenKind
from evaluation.core.source.literals import STRINGS, value
from evaluation.core.source.policy_rules import Sighting, seen
from evaluation.core.source.policy_words import (
    HOOK_ATTRIBUTES,
    NAMESPACES,
    THREADS,
    WATCHED_GCC_PRAGMAS,
    WATCHED_PRAGMAS,
    kind_of,
)

# Before these an identifier is no type, so what follows is no declaration.
_BEFORE_CALLS = frozenset(
    {
        "and",
        "case",
        "co_await",
        "co_return",
        "co_yield",
        "do",
        "else",
        "not",
        "or",
        "return",
        "throw",
    }
)


def names(lines: tuple[Line, ...]) -> Iterator[Sighting]:
    """Find watched identifiers in code and in directives; comments and strings do not count."""
    yield from _names(text(lines))
    for line in lines:
        if line.directive is not None:
            yield from _names(line.operands)


def _names(tokens: Sequence[Token]) -> Iterator[Sighting]:
    words = [token.spelling for token in tokens]
    for place, token in enumerate(tokens):
        if token.kind is not TokenKind.IDENTIFIER:
            continue
        name = name_of(token)
        kind = kind_of(name, called=_is_called(words, place))
        if kind is None and name in NAMESPACES and words[place + 1 : place + 2] == ["::"]:
            kind = "vendor_name"
        if kind is None and name in THREADS and words[max(place - 2, 0) : place] == ["std", "::"]:
            kind = "thread_use"
        if kind is not None:
            yield seen(kind, token, name)


def _is_called(words: list[str], place: int) -> bool:
    """Say whether the word is called, also as ``(word)(...)``, but not a member or a declaration."""
    before = words[place - 1] if place else ""
    scope = words[place - 2] if place > 1 else ""
    if before in {".", "->"}:
        return False
    if before == "::" and scope != "std" and scope.isidentifier():
        return False
    if before.isidentifier() and before not in _BEFORE_CALLS:
        return False
    behind = words[place + 1 : place + 3]
    return behind[:1] == ["("] or (before == "(" and behind == [")", "("])


def attributes(lines: tuple[Line, ...]) -> Iterator[Sighting]:
    """Find attributes that run code at load time or change symbols, in both spellings."""
    for tokens in (text(lines), *(line.operands for line in lines if line.directive == "define")):
        for token, inside in zip(tokens, in_attributes(tokens), strict=True):
            if inside and name_of(token).strip("_") in HOOK_ATTRIBUTES:
                yield seen("attribute_hook", token, token.spelling)


def pragmas(lines: tuple[Line, ...]) -> Iterator[Sighting]:
    """Find watched pragmas, written as a directive, as ``_Pragma`` or through a macro."""
    for tokens in (text(lines), *(line.operands for line in lines if line.directive is not None)):
        yield from _pragma_operators(tokens)
        for place, token in enumerate(tokens[:-1]):
            if _is_watched([token.spelling, tokens[place + 1].spelling], gcc_only=True):
                yield seen("watched_pragma", token)
    for line in lines:
        words = [token.spelling for token in line.operands[:2]]
        if line.directive == "pragma" and _is_watched(words, gcc_only=False) and words[0] != "GCC":
            yield seen("watched_pragma", line.operands[0])


def _is_watched(words: list[str], *, gcc_only: bool) -> bool:
    if words[:1] == ["GCC"]:
        return bool(WATCHED_GCC_PRAGMAS.intersection(words[1:2]))
    return not gcc_only and bool(WATCHED_PRAGMAS.intersection(words[:1]))


def _pragma_operators(tokens: Sequence[Token]) -> Iterator[Sighting]:
    for token, operand in pragma_operands(tokens):
        if operand.kind in STRINGS and _is_watched(value(operand).split(), gcc_only=False):
            yield seen("watched_pragma", token)


def pragma_operands(tokens: Sequence[Token]) -> Iterator[tuple[Token, Token]]:
    """Give each ``_Pragma`` with the token behind its bracket."""
    for place, token in enumerate(tokens):
        if token.spelling == "_Pragma":
            behind = [one for one in tokens[place + 1 : place + 3] if one.spelling != "("]
            yield from ((token, operand) for operand in behind[:1])
