"""Texts of the repository as pages: method, verdicts, rules, published values, formats of uploads, API, changelog."""

import re
from collections.abc import Iterable, Iterator

from django.http import HttpRequest, HttpResponse
from django.utils.html import escape
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from leaderboard.views.answers import page, text_etag
from leaderboard.views.site import Site

_NAMED_ROW = re.compile(r"`[^`]+`|[A-Z]\d{1,2}")  # a word of the code, or a rule by its id
_FIGURE = re.compile(r"\d[\d,.]*( ?%|×| [num]?s)?( \([^()]* to [^()]*\))?")
_NOT_A_FIGURE = frozenset({"", "none", "–"})  # what may stand in a column of figures
_NOT_IN_ANCHORS = re.compile(r"[^a-z0-9_]+")


@require_safe
def method(request: HttpRequest, *, site: Site) -> HttpResponse:
    return _text(request, "method", "How a kernel is checked and timed", site)


@require_safe
def verdicts(request: HttpRequest, *, site: Site) -> HttpResponse:
    return _text(request, "verdicts", "Verdicts", site)


@require_safe
def rules(request: HttpRequest, *, site: Site) -> HttpResponse:
    return _text(request, "rules", "Rules", site)


@require_safe
def published(request: HttpRequest, *, site: Site) -> HttpResponse:
    return _text(request, "paper-values", "Published values", site)


@require_safe
def upload_format(request: HttpRequest, *, site: Site) -> HttpResponse:
    return _text(request, "upload-format", "What can be uploaded", site)


@require_safe
def program_api(request: HttpRequest, *, site: Site) -> HttpResponse:
    return _text(request, "api", "The API", site)


@require_safe
def changelog(request: HttpRequest, *, site: Site) -> HttpResponse:
    return _text(request, "CHANGELOG", "Changelog", site)


def _text(request: HttpRequest, name: str, title: str, site: Site) -> HttpResponse:
    def tag() -> str:
        return text_etag(site.release, request.path, name)

    def made(etag: str) -> HttpResponse:
        text = (site.root / "docs" / f"{name}.md").read_text(encoding="utf-8")
        context = {"title": title, "text": mark_safe(html_of(text))}  # noqa: S308 (HTML in it is escaped)
        return page(request, "leaderboard/text.html", context, etag=etag)

    return site.kept.answer(request, tag, made)


def html_of(text: str) -> str:
    """Our Markdown as HTML. Headings, and rows of tables that begin with a name, have anchors.

    What may be wider than a phone is a box that scrolls, and that keys reach. Columns of figures end at one line.
    """
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = reader.parse(text)
    _anchor(tokens)
    _align(tokens)
    html: str = reader.renderer.render(list(_boxed(tokens)), reader.options, {})
    return html.replace("<pre>", '<pre tabindex="0">')


def _boxed(tokens: Iterable[Token]) -> Iterator[Token]:
    """Put every table into a box that is called by the heading above it."""
    above, in_heading = "", False
    for token in tokens:
        if token.type == "inline" and in_heading:
            above = token.content.replace("`", "")
        in_heading = token.type == "heading_open"
        if token.type == "table_open":
            label = escape(f"Table: {above}" if above else "Table")
            box = f'<div class="wide" tabindex="0" role="group" aria-label="{label}">'
            yield Token("html_block", "", 0, content=box)
        yield token
        if token.type == "table_close":
            yield Token("html_block", "", 0, content="</div>\n")


def _align(tokens: list[Token]) -> None:
    """Mark every cell of a column that holds figures and nothing else, its head too."""
    rows: list[list[tuple[Token, str]]] = []
    for place, token in enumerate(tokens):
        if token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type in {"th_open", "td_open"}:
            rows[-1].append((token, tokens[place + 1].content))
        elif token.type == "table_close":
            for column in zip(*rows, strict=True):
                said = {words for _, words in column[1:]} - _NOT_A_FIGURE
                if said and all(_FIGURE.fullmatch(words) for words in said):
                    for cell, _ in column:
                        cell.attrSet("class", "figure")


def _anchor(tokens: list[Token]) -> None:
    """Name each heading by its words, and each row by its first cell; the first of equals keeps the name."""
    taken: set[str] = set()
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            _name(token, tokens[place + 1].content.strip("`"), taken)
        elif token.type == "tr_open" and len(tokens) > place + 2:
            first = tokens[place + 2]
            if first.type == "inline" and _NAMED_ROW.fullmatch(first.content):
                _name(token, first.content.strip("`"), taken)


def _name(token: Token, words: str, taken: set[str]) -> None:
    anchor = anchor_of(words)
    if anchor and anchor not in taken:
        taken.add(anchor)
        token.attrSet("id", anchor)


def anchor_of(words: str) -> str:
    """The anchor of a heading or of a rule; case is not kept."""
    return _NOT_IN_ANCHORS.sub("-", words.lower()).strip("-")
