"""Includes, resolved exactly, and the ways in which a directive can hide from the first reading.

nvcc runs g++ -E and gives the result to its own front end, which obeys directives in it once more
(found by trying: ``#define H #`` and then ``H include "/a/file"`` includes the file).
"""

from collections.abc import Iterator

from evaluation.core.records import Remark
from evaluation.core.source.directives import Line, Macro, text
from evaluation.core.source.lexer import INCLUDE_NAMES, Token, TokenKind
from evaluation.core.source.policy_headers import refuse
from evaluation.core.source.policy_rules import Sighting, seen

_LITERALS = frozenset(
    {
        TokenKind.HEADER,
        TokenKind.STRING,
        TokenKind.RAW_STRING,
        TokenKind.CHARACTER,
        TokenKind.UNTERMINATED,
    }
)
_USUAL = frozenset(
    {
        "define",
        "undef",
        "include",
        "include_next",
        "import",
        "if",
        "ifdef",
        "ifndef",
        "elif",
        "elifdef",
        "elifndef",
        "else",
        "endif",
        "error",
        "warning",
        "pragma",
        "line",
        "embed",
    }
)
_DIRECT = "Write #include <name> with the header's name itself."


def included(lines: tuple[Line, ...]) -> tuple[str, ...]:
    """Name the headers of all plain includes, in order, as they are spelled."""
    return tuple(
        line.operands[0].spelling[1:-1]
        for line in lines
        if line.directive == "include"
        and line.operands
        and line.operands[0].kind is TokenKind.HEADER
    )


def directives(lines: tuple[Line, ...]) -> Iterator[Remark | Sighting]:
    """Judge every directive; a Remark rejects."""
    for line in lines:
        if line.directive is None:
            continue
        if line.directive in INCLUDE_NAMES:
            yield from _include(line)
        elif line.directive == "embed":
            yield seen("embed", line.tokens[0])
        elif line.directive == "line" or _is_line_marker(line):
            yield seen("line_directive", line.tokens[0])
        elif line.directive not in _USUAL and line.tokens[1:]:
            yield seen("unusual_directive", line.tokens[0])


def _is_line_marker(line: Line) -> bool:
    return line.directive == "" and [one.kind for one in line.operands[:1]] == [TokenKind.NUMBER]


def _include(line: Line) -> Iterator[Remark | Sighting]:
    place = line.tokens[0]
    tail = "; includes in inactive branches count too" if line.conditional else ""
    if line.directive == "include_next":
        yield _rejection("include-next", place, "#include_next is not allowed" + tail, _DIRECT)
        return
    if line.directive == "import":
        yield _rejection("include-import", place, "#import is not allowed" + tail, _DIRECT)
        return
    if not line.operands or line.operands[0].kind is not TokenKind.HEADER:
        message = "the include does not name its header directly" + tail
        yield _rejection("include-macro", place, message, _DIRECT)
        return
    refusal = refuse(line.operands[0].spelling[1:-1])
    if refusal is not None:
        yield _rejection(refusal.rule, place, refusal.message + tail, refusal.instead)
    rest = line.operands[1:]
    # g++ lexes the rest of the line by other rules in active branches than in inactive ones.
    if any(token.kind in _LITERALS for token in rest):
        message = "a second name, string or character stands behind the header" + tail
        yield _rejection("include-trailing", rest[0], message, "End the line behind the header.")
    elif rest:
        yield seen("include_trailing", rest[0])


def hidden(lines: tuple[Line, ...], macros: tuple[Macro, ...]) -> Iterator[Remark | Sighting]:
    """Find each ``#`` that is no directive for g++ but may be one at nvcc's second reading."""
    for macro in macros:
        parameters = {*(macro.parameters or ()), "__VA_OPT__", "__VA_ARGS__"}
        if macro.parameters is None:
            parameters = set()
        yield from _stray(macro.body, parameters)
    tokens = text(tuple(line for line in lines if not line.dead))
    yield from _stray(tokens, set())
    ends = {macro.name.spelling for macro in macros if _ends_in_hash(macro)}
    for place, token in enumerate(tokens):
        if token.spelling in ends and _behind_call(tokens, place + 1) in INCLUDE_NAMES:
            yield _hidden_include(token)


def _ends_in_hash(macro: Macro) -> bool:
    return bool(macro.body) and macro.body[-1].kind is TokenKind.HASH


def _behind_call(tokens: tuple[Token, ...], place: int) -> str:
    """Spell the token behind a macro's name at ``place``, or behind ``()`` if that follows."""
    words = [token.spelling for token in tokens[place : place + 3]]
    word = words[2:] if words[:2] == ["(", ")"] else words
    return word[0] if word else ""


def _stray(tokens: tuple[Token, ...], parameters: set[str]) -> Iterator[Remark | Sighting]:
    for place, token in enumerate(tokens):
        if token.kind is not TokenKind.HASH:
            continue
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if following is None:
            yield seen("hidden_directive", token)
        elif following.spelling in INCLUDE_NAMES and following.spelling not in parameters:
            yield _hidden_include(token)
        elif following.kind is TokenKind.NUMBER:
            yield seen("line_directive", token)
        elif following.spelling != "pragma" and following.spelling not in parameters:
            yield seen("hidden_directive", token)


def _hidden_include(token: Token) -> Remark:
    return _rejection("include-hidden", token, "an include is hidden behind a macro", _DIRECT)


def _rejection(rule: str, token: Token, message: str, instead: str) -> Remark:
    return Remark(rule, message, instead, token.line, token.column)
