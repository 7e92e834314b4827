"""Tokens in logical lines, with what the preprocessor makes of each line."""

import re
from dataclasses import dataclass

from evaluation.core.lexer import Token, TokenKind

_UCN = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})")
_LAST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Line:
    """One logical line without its comments.

    ``directive`` is the word behind the line's ``#``: "" for a ``#`` alone or before something that
    is no word, None for a line of text. ``operands`` are the tokens behind that word, or the whole
    line of text. ``conditional``: the line lies between an ``#if`` and its ``#endif``.
    """

    directive: str | None
    tokens: tuple[Token, ...]
    operands: tuple[Token, ...]
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Macro:
    """A ``#define``; ``parameters`` is None for an object-like macro."""

    name: Token
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


def split(tokens: tuple[Token, ...]) -> tuple[Line, ...]:
    """Group tokens into logical lines; empty lines are left out."""
    lines: list[Line] = []
    pending: list[Token] = []
    depth = 0
    for token in tokens:
        if token.kind is TokenKind.NEWLINE:
            depth = _close(pending, lines, depth)
        elif token.kind is not TokenKind.COMMENT:
            pending.append(token)
    _close(pending, lines, depth)
    return tuple(lines)


def _close(pending: list[Token], lines: list[Line], depth: int) -> int:
    """Move the pending tokens into a line; return the depth of conditionals behind it."""
    if not pending:
        return depth
    tokens = tuple(pending)
    pending.clear()
    if tokens[0].kind is not TokenKind.HASH:
        lines.append(Line(None, tokens, tokens, conditional=depth > 0))
        return depth
    named = len(tokens) > 1 and tokens[1].kind is TokenKind.IDENTIFIER
    name = tokens[1].spelling if named else ""
    lines.append(Line(name, tokens, tokens[2:] if named else tokens[1:], conditional=depth > 0))
    if name in {"if", "ifdef", "ifndef"}:
        return depth + 1
    return max(depth - 1, 0) if name == "endif" else depth


def macros(lines: tuple[Line, ...]) -> tuple[Macro, ...]:
    """Every ``#define`` that has a name, in order, also in inactive branches."""
    return tuple(
        _macro(line.operands)
        for line in lines
        if line.directive == "define"
        and line.operands
        and line.operands[0].kind is TokenKind.IDENTIFIER
    )


def _macro(operands: tuple[Token, ...]) -> Macro:
    name, rest = operands[0], operands[1:]
    if not rest or rest[0].spelling != "(" or rest[0].spaced:
        return Macro(name, None, rest)
    parameters: list[str] = []
    for place, token in enumerate(rest[1:], start=2):
        if token.spelling == ")":
            return Macro(name, tuple(parameters), rest[place:])
        if token.spelling == "...":
            parameters.append("__VA_ARGS__")
        elif token.kind is TokenKind.IDENTIFIER:
            parameters.append(token.spelling)
    return Macro(name, tuple(parameters), ())


def text(lines: tuple[Line, ...]) -> tuple[Token, ...]:
    """All tokens outside directives: what reaches the compiler proper."""
    return tuple(token for line in lines if line.directive is None for token in line.tokens)


def name_of(token: Token) -> str:
    """Spell an identifier with its universal character names replaced by the characters."""
    if "\\" not in token.spelling:
        return token.spelling
    return _UCN.sub(_character, token.spelling)


def _character(found: re.Match[str]) -> str:
    code = int(found.group(1) or found.group(2), 16)
    return chr(code) if code <= _LAST_CODE_POINT else found.group()
