"""What a source holds below the level of tokens: odd characters, comments that swallow lines."""

import re
from bisect import bisect_right
from collections.abc import Iterator

from evaluation.core.source.lexer import Lexed, Problem, Token, TokenKind
from evaluation.core.source.policy_rules import Sighting, seen

_TRIGRAPH = re.compile(r"\?\?[=/'()!<>-]")
# Zero-width marks, direction marks, embeddings, overrides and isolates, and a byte order mark inside.
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_LINE_END = re.compile(r"[\r\n]")

_PROBLEMS = {
    Problem.AMBIGUOUS: "ambiguous_text",
    Problem.OPEN_COMMENT: "unreadable_text",
    Problem.OPEN_RAW_STRING: "unreadable_text",
    Problem.RAW_DELIMITER: "unreadable_text",
}


def problems(lexed: Lexed) -> Iterator[Sighting]:
    return (
        Sighting(_PROBLEMS[one.problem], one.line)
        for one in lexed.problems
        if one.problem in _PROBLEMS
    )


def characters(lexed: Lexed) -> Iterator[Sighting]:
    source = lexed.source.physical
    comments = [token for token in lexed.tokens if token.kind is TokenKind.COMMENT]
    starts = [token.start for token in comments]
    for found in _INVISIBLE.finditer(source, 1):
        yield _at(lexed, "invisible_character", found)
    for kind, pattern in (("invalid_utf8", _NOT_UTF8), ("trigraph", _TRIGRAPH)):
        for found in pattern.finditer(source):
            before = bisect_right(starts, found.start())
            if before == 0 or comments[before - 1].end <= found.start():
                yield _at(lexed, kind, found)
    yield from (seen("continued_comment", one) for one in comments if _goes_on(source, one))


def _goes_on(source: str, comment: Token) -> bool:
    is_line_comment = comment.spelling.startswith("//")
    return is_line_comment and bool(_LINE_END.search(source, comment.start, comment.end))


def _at(lexed: Lexed, kind: str, found: re.Match[str]) -> Sighting:
    line, _ = lexed.source.place(found.start())
    code = ord(found.group()[0])
    shown = {
        "invisible_character": f"U+{code:04X}",
        "invalid_utf8": f"byte 0x{code & 0xFF:02X}",
    }
    return Sighting(kind, line, shown.get(kind, ""))
