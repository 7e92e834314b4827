"""``__has_include`` and its kin: what is asked, and whether the lexer can still follow."""

import re
from collections.abc import Iterator

from evaluation.core.source.directives import Line, Macro
from evaluation.core.source.lexer import PROBE_NAMES, Token, TokenKind
from evaluation.core.source.policy_headers import ALLOWED_TREES, refuse
from evaluation.core.source.policy_rules import Sighting, seen

# The header guards of TVM-FFI and DLPack: which of them are set tells the two sets apart.
_GUARD = re.compile(r"(?:TVM_FFI|DLPACK)_(?:\w+_)?H_\Z")
_CONDITIONS = frozenset({"if", "elif"})


def probes(lines: tuple[Line, ...], macros: tuple[Macro, ...]) -> Iterator[Sighting]:
    for line in lines:
        yield from _embeds(line)
        yield from (
            seen("slim_header_test", one) for one in line.tokens if _GUARD.match(one.spelling)
        )
        if line.directive in _CONDITIONS:
            yield from _asked(line.operands)
        elif line.directive is None:
            yield from (seen("has_include", token) for token in line.tokens if _is_probe(token))
    for macro in macros:
        yield from _wrapped(macro)


def _is_probe(token: Token) -> bool:
    return token.kind is TokenKind.IDENTIFIER and token.spelling in PROBE_NAMES


def _embeds(line: Line) -> Iterator[Sighting]:
    return (seen("embed", token) for token in line.tokens if token.spelling == "__has_embed")


def _asked(operands: tuple[Token, ...]) -> Iterator[Sighting]:
    """Judge the probes of one condition."""
    for place, token in enumerate(operands):
        if not _is_probe(token) or _only_defined(operands[:place]):
            continue
        parts = operands[place + 1 : place + 4]
        kinds = [part.kind for part in parts]
        if [part.spelling for part in parts[::2]] != ["(", ")"] or kinds[1] is not TokenKind.HEADER:
            yield seen("has_include_hidden", token)
        else:
            yield seen(_kind_of(parts[1].spelling[1:-1]), token)


def _only_defined(before: tuple[Token, ...]) -> bool:
    """Say whether ``defined NAME`` or ``defined(NAME)`` is what asks here."""
    words = [token.spelling for token in before[-2:]]
    return words[-1:] == ["defined"] or words == ["defined", "("]


def _kind_of(header: str) -> str:
    refusal = refuse(header)
    if refusal is not None and refusal.rule == "include-path":
        return "has_include_path"
    return "slim_header_test" if header.startswith(ALLOWED_TREES) else "has_include"


def _wrapped(macro: Macro) -> Iterator[Sighting]:
    """Judge a probe in a macro: safe only as ``__has_include(parameter)`` or behind ``defined``.

    Other forms move the state in which g++ reads ``<...>`` as one token to a place where the lexer
    does not expect it, and a ``/*`` in there starts no comment.
    """
    for place, token in enumerate(macro.body):
        if not _is_probe(token) or _only_defined(macro.body[:place]):
            continue
        parts = [part.spelling for part in macro.body[place + 1 : place + 4]]
        safe = parts[::2] == ["(", ")"] and parts[1] in (macro.parameters or ())
        yield seen("has_include" if safe else "has_include_hidden", token)


def hiding_comments(tokens: tuple[Token, ...]) -> Iterator[Sighting]:
    """Find conditions in which a comment over several lines follows a ``<`` or a literal.

    If a macro led to ``__has_include(`` there, g++ would see no comment, and code in its place.
    """
    condition = opened = False
    previous: Token | None = None
    for token in tokens:
        if token.kind is TokenKind.NEWLINE:
            condition = opened = False
            previous = None
        elif token.kind is not TokenKind.COMMENT:
            if previous is not None and previous.kind is TokenKind.HASH and previous.first:
                condition = token.spelling in _CONDITIONS
            opened = opened or token.spelling == "<" or '"' in token.spelling
            previous = token
        elif condition and opened and "\n" in token.spelling:
            yield seen("has_include_hidden", token)
