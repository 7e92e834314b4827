r"""Preprocessing tokens of CUDA C++, read as the judge's compiler reads them.

The authority is g++ 12.2 with ``-std=c++17``, which nvcc runs first; tests/core/test_lexer_gcc.py
compares. Where g++ itself decides by the state of macros, the lexer says so (AMBIGUOUS) instead of
guessing. Nothing raises: what g++ would refuse becomes a token of kind UNTERMINATED or INVALID, or a
LexProblem. Time is linear in the source.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from evaluation.core.source.splices import Spliced, splice

LIMIT_SOURCE_BYTES = 256 * 1024
LIMIT_TOKENS = 100_000

INCLUDE_NAMES = frozenset({"include", "include_next", "import"})
PROBE_NAMES = frozenset({"__has_include", "__has_include_next"})


class TokenKind(StrEnum):
    IDENTIFIER = "identifier"
    NUMBER = "number"  # a pp-number
    CHARACTER = "character"
    STRING = "string"
    RAW_STRING = "raw_string"
    HEADER = "header"  # <name> or "name" where the preprocessor expects one
    HASH = "hash"  # # or %:
    PUNCTUATOR = "punctuator"
    COMMENT = "comment"
    NEWLINE = "newline"  # end of a logical line outside comments and raw strings
    UNTERMINATED = "unterminated"  # a literal or comment that does not end where it must
    INVALID = "invalid"  # a character that starts no token


class Problem(StrEnum):
    TOO_LARGE = "too_large"  # over limit_bytes; nothing was read
    TOO_MANY_TOKENS = "too_many_tokens"  # over limit_tokens; the rest was not read
    OPEN_COMMENT = "open_comment"
    OPEN_RAW_STRING = "open_raw_string"
    RAW_DELIMITER = "raw_delimiter"
    AMBIGUOUS = "ambiguous"  # g++ reads it in one of two ways, by the macros defined before


class Token(NamedTuple):
    """One token; a tuple because a source has up to a hundred thousand of them.

    ``spelling`` has no line splices (a raw string keeps its own). ``line`` and ``column`` (from 1, in
    characters) and ``start`` and ``end`` (offsets) are places in the physical source. ``first``: only
    white space and comments stand before it on its logical line. ``spaced``: white space or a comment
    stands directly before it.
    """

    kind: TokenKind
    spelling: str
    line: int
    column: int
    start: int
    end: int
    first: bool
    spaced: bool


@dataclass(frozen=True, slots=True)
class LexProblem:
    problem: Problem
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Lexed:
    """All tokens in order; what lies between two of them is white space and splices only."""

    source: Spliced
    tokens: tuple[Token, ...]
    problems: tuple[LexProblem, ...]


_UCN = r"\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}"
_LETTER = rf"[A-Za-z_$]|[^\x00-\x7f\ud800-\udfff]|{_UCN}"
_PREFIX = r"(?:u8|[uUL])?"

# The order matters: a prefix belongs to its literal, a number takes what looks like an identifier.
_COMMON_HEAD = r"""
  (?P<space>[ \t\f\v\0]++)
| (?P<newline>\n)
| (?P<comment>//[^\n]*+ | /\*(?s:.*?)\*/)
| (?P<open_comment>/\*)
| (?P<raw>{prefix}R")
"""
_ORDINARY_LITERALS = r"""
| (?P<string>{prefix}"(?:[^"\\\n]|\\.)*+")
| (?P<character>{prefix}'(?:[^'\\\n]|\\.)*+')
"""
# Where g++ expects a header name, a backslash escapes nothing and angle brackets make one token.
_HEADER_LITERALS = r"""
| (?P<header>{angled}"[^"\n]*+")
| (?P<string>{prefix}"[^"\n]*+")
| (?P<character>{prefix}'[^'\n]*+')
"""
_COMMON_TAIL = r"""
| (?P<unterminated>{prefix}["'][^\n]*+)
| (?P<number>\.?[0-9](?:'+[0-9A-Za-z_] | [eEpP][+-] | [0-9A-Za-z_.] | {letter})*+)
| (?P<identifier>(?:{letter})(?:{letter}|[0-9])*+)
| (?P<hash>\#(?!\#) | %:(?!%:))
| (?P<punctuator>
    %:%: | \#\# | <<<(?!=) | >>>(?!=) | <<= | >>= | <=> | \.\.\. | ->\*
  | <:(?!:(?![:>])) | :> | <% | %> | << | >> | <= | >= | == | != | && | \|\|
  | \+\+ | -- | -> | \.\* | :: | \+= | -= | \*= | /= | %= | &= | \|= | \^=
  | [-+*/%^&|~!=<>?:;,.(){{}}\[\]]
  )
| (?P<invalid>(?s:.))
"""


def _pattern(literals: str, *, angled: str = "") -> re.Pattern[str]:
    text = _COMMON_HEAD + literals + _COMMON_TAIL
    return re.compile(text.format(prefix=_PREFIX, letter=_LETTER, angled=angled), re.VERBOSE)


_ORDINARY = _pattern(_ORDINARY_LITERALS)
_IN_HEADER = _pattern(_HEADER_LITERALS, angled=r"<[^>\n]*+> | ")
# Where no ">" follows on the line: each "<" would look for one up to its end.
_IN_OPEN_HEADER = _pattern(_HEADER_LITERALS)
_RAW_OPENING = re.compile(r"[!-#%-'*-?A-\[\]-_a-~]{0,16}\(")
_SUFFIX = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_RAW_PREFIXES = frozenset({"R", "u8R", "uR", "UR", "LR"})
_LITERALS = frozenset({"string", "character", "raw"})


def lex(
    source: bytes, *, limit_bytes: int = LIMIT_SOURCE_BYTES, limit_tokens: int = LIMIT_TOKENS
) -> Lexed:
    """Split a source into tokens. Never raises; a limit that was hit is a problem."""
    if len(source) > limit_bytes:
        return Lexed(splice(b""), (), (LexProblem(Problem.TOO_LARGE, 0, 0),))
    reader = _Reader(splice(source), limit_tokens)
    reader.read()
    return Lexed(reader.source, tuple(reader.tokens), tuple(reader.problems))


class _Reader:
    """The place reached in the logical text, and what the preprocessor expects there."""

    def __init__(self, source: Spliced, limit_tokens: int) -> None:
        self.source = source
        self.text = source.logical
        self.limit_tokens = limit_tokens
        self.tokens: list[Token] = []
        self.problems: list[LexProblem] = []
        self._last_end = -1  # logical end of the last token that is no comment
        self._head: tuple[str, ...] = ()  # first two tokens of this logical line
        self._tail: tuple[str, ...] = ()  # last two
        self._line_end = -1  # of the logical line, where it was asked for
        self._last_angle = (-1, -1)  # the end of a logical line, and where its last ">" is

    def read(self) -> None:
        at = 0
        while at < len(self.text):
            if len(self.tokens) >= self.limit_tokens:
                self._report(Problem.TOO_MANY_TOKENS, at)
                return
            found = self._pattern(at).match(self.text, at)
            assert found is not None  # the last alternative takes any character
            at = self._take(found)

    def _pattern(self, at: int) -> re.Pattern[str]:
        if not self._expects_header():
            return _ORDINARY
        end = self._logical_line_end(at)
        if self._last_angle[0] != end:
            self._last_angle = (end, self.text.rfind(">", at, end))
        return _IN_HEADER if self._last_angle[1] > at else _IN_OPEN_HEADER

    def _take(self, found: re.Match[str]) -> int:
        """Add the token that was found, if it is one, and return the place after it."""
        kind = found.lastgroup or ""
        start, end = found.span()
        if kind == "space":
            return end
        if kind == "open_comment":
            self._report(Problem.OPEN_COMMENT, start)
            return self._add(TokenKind.UNTERMINATED, start, len(self.text))
        if kind == "raw":
            token_kind, end = self._raw(start, end - 1)
        else:
            token_kind = TokenKind(kind)
        if kind in _LITERALS and token_kind is not TokenKind.UNTERMINATED:
            end = self._suffixed(end)
        return self._add(token_kind, start, end)

    def _add(self, kind: TokenKind, start: int, end: int) -> int:
        physical = self.source.to_physical(start)
        physical_end = self.source.to_physical(end - 1) + 1
        line, column = self.source.place(physical)
        spelling = self.text[start:end]
        if kind is TokenKind.RAW_STRING:
            spelling = self._raw_spelling(start, physical_end)
        token = Token(
            kind,
            spelling,
            line,
            column,
            physical,
            physical_end,
            first=not self._head,
            spaced=start != self._last_end,
        )
        self.tokens.append(token)
        if kind is TokenKind.NEWLINE:
            self._head = self._tail = ()
        elif kind is not TokenKind.COMMENT:
            self._last_end = end
            word = "#" if kind is TokenKind.HASH else spelling
            self._tail = (*self._tail[-1:], word)
            if len(self._head) < len(("#", "include")):
                self._head = (*self._head, word)
        return end

    def _report(self, problem: Problem, at: int) -> None:
        line, column = self.source.place(self.source.to_physical(at))
        self.problems.append(LexProblem(problem, line, column))

    def _in_directive(self) -> bool:
        return self._head[:1] == ("#",)

    def _expects_header(self) -> bool:
        """Say whether g++ has its angled-headers state on for the next token.

        The rest of an include line stays in that state, also behind the name. In a condition it is
        on for one token, behind ``__has_include(``; how a macro can move that is for the policy.
        """
        if not self._in_directive():
            return False
        name = self._head[1:2]
        if name in {("if",), ("elif",)}:
            return self._tail[1:] == ("(",) and self._tail[0] in PROBE_NAMES
        return any(name == (one,) for one in INCLUDE_NAMES)

    def _logical_line_end(self, at: int) -> int:
        if self._line_end < at:
            found = self.text.find("\n", at)
            self._line_end = len(self.text) if found < 0 else found
        return self._line_end

    def _raw(self, start: int, quote: int) -> tuple[TokenKind, int]:
        """Read a raw string, where splices do not count, from the physical text."""
        physical = self.source.physical
        line_end = self._logical_line_end(quote)
        body = self.source.to_physical(quote) + 1
        opening = _RAW_OPENING.match(physical, body)
        if opening is None:
            self._report(Problem.RAW_DELIMITER, start)
            return TokenKind.UNTERMINATED, line_end
        closing = ")" + opening.group()[:-1] + '"'
        # g++ does not let a raw string leave the logical line of a directive.
        last = self.source.to_physical(line_end) if self._in_directive() else len(physical)
        closed = physical.find(closing, opening.end(), last)
        if closed < 0:
            self._report(Problem.OPEN_RAW_STRING, start)
            return TokenKind.UNTERMINATED, line_end if self._in_directive() else len(self.text)
        return TokenKind.RAW_STRING, self.source.to_logical(closed + len(closing))

    def _raw_spelling(self, start: int, physical_end: int) -> str:
        quote = self.text.index('"', start)
        return (
            self.text[start:quote]
            + self.source.physical[self.source.to_physical(quote) : physical_end]
        )

    def _suffixed(self, end: int) -> int:
        """Take a user-defined literal suffix, as g++ does unless it is the name of a macro."""
        suffix = _SUFFIX.match(self.text, end)
        if suffix is None:
            return end
        if suffix.group() in _RAW_PREFIXES and self.text.startswith('"', suffix.end()):
            self._report(Problem.AMBIGUOUS, end)
        return suffix.end()
