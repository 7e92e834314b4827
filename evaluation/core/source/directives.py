"""Tokens in logical lines, with what the preprocessor makes of each line."""

import re
from dataclasses import dataclass

from evaluation.core.source.lexer import Token, TokenKind

_UCN = re.compile(r"\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})")
_LAST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Line:
    """One logical line without its comments.

    ``directive`` is the word behind the line's ``#``: "" for a ``#`` alone or before something that
    is no word, None for a line of text. ``operands`` are the tokens behind that word, or the whole
    line of text. ``conditional``: the line lies between an ``#if`` and its ``#endif``. ``dead``: it
    lies in the first branch of an ``#if 0``, which no compiler reads.
    """

    directive: str | None
    tokens: tuple[Token, ...]
    operands: tuple[Token, ...]
    conditional: bool = False
    dead: bool = False


@dataclass(frozen=True, slots=True)
class Macro:
    """A ``#define``; ``parameters`` is None for an object-like macro."""

    name: Token
    parameters: tuple[str, ...] | None
    body: tuple[Token, ...]


class _Branches:
    """The conditionals that are open, each with the word whether its branch is ``#if 0``."""

    def __init__(self) -> None:
        self._dead: list[bool] = []
        self._dead_ones = 0  # counted, so that deep nesting costs nothing

    def line(self, tokens: tuple[Token, ...]) -> Line:
        """Make a line of the tokens, and follow what it opens or closes."""
        conditional, dead = bool(self._dead), self._dead_ones > 0
        if tokens[0].kind is not TokenKind.HASH:
            return Line(None, tokens, tokens, conditional, dead)
        named = len(tokens) > 1 and tokens[1].kind is TokenKind.IDENTIFIER
        name = tokens[1].spelling if named else ""
        operands = tokens[2:] if named else tokens[1:]
        if name in {"if", "ifdef", "ifndef"}:
            self._open(dead=name == "if" and [one.spelling for one in operands] == ["0"])
        elif name == "endif":
            self._close()
        elif name.startswith("el") and self._dead:
            self._close()
            self._open(dead=False)
        return Line(name, tokens, operands, conditional, dead)

    def _open(self, *, dead: bool) -> None:
        self._dead.append(dead)
        self._dead_ones += dead

    def _close(self) -> None:
        if self._dead:
            self._dead_ones -= self._dead.pop()


def split(tokens: tuple[Token, ...]) -> tuple[Line, ...]:
    """Group tokens into logical lines; empty lines are left out."""
    branches = _Branches()
    lines: list[Line] = []
    pending: list[Token] = []
    for token in tokens:
        if token.kind is TokenKind.NEWLINE and pending:
            lines.append(branches.line(tuple(pending)))
            pending.clear()
        elif token.kind not in {TokenKind.NEWLINE, TokenKind.COMMENT}:
            pending.append(token)
    if pending:
        lines.append(branches.line(tuple(pending)))
    return tuple(lines)


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
