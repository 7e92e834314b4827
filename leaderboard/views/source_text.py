"""A source as its page shows it: numbered lines with addresses, in time linear in its bytes whatever it is.

A source is hostile text of up to 256 KiB. Every repetition below takes what it can and gives nothing back, and
what has no end ends with the text, so that no character is read more than a few times (ADR 22).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard.templatetags.figures import visible
from leaderboard.views.source_words import CLASS_OF

MARKED_BYTES = 128 << 10
SHOWN_LINES = 10_000
_LINE_END = re.compile(r"\r\n?")
_MARKS = re.compile(
    r"""
      (?P<comment>//(?:\\[ \t]*+\n|[^\n])*+ | /\*(?s:.*?)(?:\*/|\Z))
    | (?P<raw>(?:u8|[uUL])?R"(?P<fence>[^\s()\\"]{0,16})\((?s:.*?)(?:\)(?P=fence)"|\Z))
    | (?P<string>(?:u8|[uUL])?"(?:\\[\s\S]|[^"\\\n])*+"?)
    | (?P<character>(?:u8|[uUL])?'(?:\\[\s\S]|[^'\\\n])*+'?)
    | (?P<directive>^[ \t]*+\#[ \t]*+(?:include\b[ \t]*+(?:<[^>\n]*+>?)?|\w*+))
    | (?P<number>\.?[0-9](?:'[0-9A-Za-z_]|[eEpP][+-]|[0-9A-Za-z_.])*+)
    | (?P<word>[^\W\d]\w*+)
    """,
    re.VERBOSE | re.MULTILINE,
)
_CLASSES = {
    "comment": "hl-comment",
    "raw": "hl-string",
    "string": "hl-string",
    "character": "hl-string",
    "directive": "hl-directive",
    "number": "hl-number",
}


@dataclass(frozen=True, slots=True)
class SourceText:
    """``html`` has the first SHOWN_LINES of ``lines``; ``rest`` says what is left out or not coloured, if anything."""

    lines: int
    html: SafeString
    rest: str


def lines_of(content: bytes) -> list[str]:
    """The lines of a source as a compiler counts them: LF, CR LF and a lone CR end one, nothing else does."""
    return _plain(content).removesuffix("\n").split("\n")


def source_text(content: bytes, *, is_cuda: bool) -> SourceText:
    """Write a source as HTML, each line with an anchor; CUDA up to MARKED_BYTES with its words told apart."""
    text = _plain(content).removesuffix("\n")
    lines = text.count("\n") + 1
    marked = is_cuda and len(content) <= MARKED_BYTES
    rest = []
    if is_cuda and not marked:
        rest.append(f"More than {MARKED_BYTES >> 10} KiB are shown in one colour.")
    if lines > SHOWN_LINES:
        rest.append(f"The first {SHOWN_LINES:,} lines are shown; save the source to read the rest.")
    pieces = _pieces(text) if marked else iter([("", text)])
    html = "".join(
        f'<span class="line" id="L{number}"><a href="#L{number}" aria-label="line {number}">{number}</a>{line}\n</span>'
        for number, line in enumerate(_lines(pieces), start=1)
    )
    return SourceText(lines, mark_safe(html), " ".join(rest))  # noqa: S308 (every piece was escaped)


def marked_lines(content: bytes, *, is_cuda: bool) -> list[SafeString]:
    """The first SHOWN_LINES as HTML without numbers; CUDA up to MARKED_BYTES with its words told apart."""
    text = _plain(content).removesuffix("\n")
    pieces = _pieces(text) if is_cuda and len(content) <= MARKED_BYTES else iter([("", text)])
    return [mark_safe(one) for one in _lines(pieces)]  # noqa: S308 (every piece was escaped)


def _plain(content: bytes) -> str:
    return _LINE_END.sub("\n", content.decode("utf-8", "replace"))


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Every character of the text once, in order, with the class that it is shown in."""
    at = 0
    for found in _MARKS.finditer(text):
        kind = found.lastgroup
        assert kind is not None
        mark = CLASS_OF.get(found[0], "") if kind == "word" else _CLASSES[kind]
        if mark:
            if found.start() > at:
                yield "", text[at : found.start()]
            yield mark, found[0]
            at = found.end()
    if at < len(text):
        yield "", text[at:]


def _lines(pieces: Iterator[tuple[str, str]]) -> Iterator[str]:
    """The first SHOWN_LINES as HTML; a piece over several lines is marked on each."""
    shown = _Shown()
    line: list[str] = []
    done = 0
    for mark, piece in pieces:
        first, *others = piece.split("\n")
        line.append(_html(mark, first, shown))
        for other in others:
            yield "".join(line)
            done += 1
            if done == SHOWN_LINES:
                return
            line = [_html(mark, other, shown)]
    yield "".join(line)


def _html(mark: str, text: str, shown: "_Shown") -> str:
    written = text.translate(shown)
    return f'<span class="{mark}">{written}</span>' if mark and text else written


class _Shown(dict[int, str]):
    """How each character is written, as far as one source has them."""

    def __missing__(self, code: int) -> str:
        self[code] = written = str(escape(visible(chr(code))))
        return written
