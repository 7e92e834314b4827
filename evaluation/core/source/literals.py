"""What string literals say once the compiler has joined and unescaped them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.core.source.directives import Macro
from evaluation.core.source.lexer import Token, TokenKind

_ESCAPE = re.compile(
    r"\\(?:x(?P<hex>[0-9a-fA-F]+)|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})"
    r"|(?P<octal>[0-7]{1,3})|(?P<simple>.))",
    re.DOTALL,
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}
_LAST_CODE_POINT = 0x10FFFF
_HEX_DIGITS_THAT_COUNT = 8  # a longer escape has no character
_MACRO_DEPTH = 8
_MACRO_CHARACTERS = 64  # a longer macro is not followed: macros of macros grow without end

STRINGS = frozenset({TokenKind.STRING, TokenKind.RAW_STRING})


@dataclass(frozen=True, slots=True)
class Text:
    """String literals that stand side by side, joined; ``token`` is the first, ``index`` its place."""

    value: str
    token: Token
    index: int


def value(token: Token) -> str:
    """Give the characters between the quotes of a STRING or RAW_STRING, escapes resolved."""
    body = token.spelling[token.spelling.index('"') + 1 : token.spelling.rindex('"')]
    if token.kind is TokenKind.RAW_STRING:
        opening = body.index("(")
        return body[opening + 1 : len(body) - opening - 1]
    return _ESCAPE.sub(_character, body) if "\\" in body else body


def _character(found: re.Match[str]) -> str:
    simple = found.group("simple")
    if simple is not None:
        return _SIMPLE.get(simple, simple)
    digits = found.group("hex") or found.group("short") or found.group("long")
    if digits is None:
        return chr(int(found.group("octal"), 8))
    code = int(digits[-_HEX_DIGITS_THAT_COUNT:], 16)
    return chr(code) if code <= _LAST_CODE_POINT else "\ufffd"


def named_texts(macros: tuple[Macro, ...]) -> Mapping[str, str]:
    """Give the value of each object-like macro that is nothing but string literals or such macros."""
    known: dict[str, str] = {}
    plain = [macro for macro in macros if macro.parameters is None and macro.body]
    for _ in range(_MACRO_DEPTH):
        found = {macro.name.spelling: _joined(macro.body, known) for macro in plain}
        news = {
            name: said
            for name, said in found.items()
            if said is not None and len(said) <= _MACRO_CHARACTERS
        }
        if news == known:
            break
        known = news
    return known


def _joined(body: tuple[Token, ...], known: Mapping[str, str]) -> str | None:
    parts = [_part(token, known) for token in body]
    return "".join(part for part in parts if part is not None) if None not in parts else None


def _part(token: Token, known: Mapping[str, str]) -> str | None:
    return value(token) if token.kind in STRINGS else known.get(token.spelling)


def texts(tokens: Sequence[Token], known: Mapping[str, str]) -> Iterator[Text]:
    """Join neighbouring literals, and macros known to be literals, over a run of tokens."""
    parts: list[str] = []
    start = 0
    for index, token in enumerate(tokens):
        part = _part(token, known)
        if part is None:
            if parts:
                yield Text("".join(parts), tokens[start], start)
            parts = []
            continue
        start = index if not parts else start
        parts.append(part)
    if parts:
        yield Text("".join(parts), tokens[start], start)
