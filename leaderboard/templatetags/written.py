"""Pieces of HTML that are written in Python, for what a page has hundreds of: a template takes ten times as long.

Text becomes Html by ``text`` alone, which escapes it; the type checker lets nothing else into a piece.
"""

from html import escape
from typing import NewType

Html = NewType("Html", str)

EMPTY = Html("")
BREAK = Html("<br>")
NOTHING = Html('<span class="quiet">–</span>')


def text(words: str) -> Html:
    return Html(escape(words))


def isolated(words: str) -> Html:
    """A name that somebody gave: its direction stays its own."""
    return Html(f"<bdi>{escape(words)}</bdi>")


def link(address: str, inside: Html) -> Html:
    return Html(f'<a href="{escape(address)}">{inside}</a>')


def span(style: str, inside: Html) -> Html:
    """``style`` names classes of the style sheet."""
    return Html(f'<span class="{style}">{inside}</span>')


def small(inside: Html) -> Html:
    return span("small", inside)


def cell(style: str, *inside: Html) -> Html:
    return Html(f'<td class="{style}">{"".join(inside)}</td>')


def joined(between: str, *parts: Html) -> Html:
    """Without those that are empty."""
    return Html(between.join(one for one in parts if one))
