"""Reads pages as strictly as a browser is lenient, for tests of pages."""

import re
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from urllib.parse import urldefrag

import html5lib


def strictly(html: str) -> None:
    """Raise html5lib's ParseError for the first mistake in a page."""
    html5lib.HTMLParser(strict=True).parse(html)


@dataclass
class Found(HTMLParser):
    """What a page links to, and the names that it can be linked by."""

    links: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if name := given.get("id"):
            self.names.add(name)
        for key in ("href", "src", "action"):
            if address := given.get(key):
                self.links.append(address)


def found_in(html: str) -> Found:
    found = Found()
    found.feed(html)
    return found


def text_of(html: str) -> str:
    """The words of a page, one space between them."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).replace("\xa0", " ").split())


def apart(address: str) -> tuple[str, str]:
    """An address without its fragment, and the fragment."""
    plain, fragment = urldefrag(address)
    return plain, fragment
