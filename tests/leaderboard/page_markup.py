"""What a validator of HTML finds in a page: elements, attributes, nesting, names and references.

The lists are those of the HTML standard, cut to what the pages of this site use: another element or attribute is a mistake
until somebody has looked it up and added it.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from xml.etree.ElementTree import Element

import html5lib

GLOBAL = frozenset({"id", "class", "lang", "dir", "hidden", "tabindex", "title", "role"})
# Elements with the attributes that they have beside the global ones, aria- and data-.
ELEMENTS = {
    **dict.fromkeys(
        (
            *("html", "head", "title", "body", "header", "main", "footer", "nav", "section"),
            *("article", "figure", "figcaption", "div", "p", "pre", "h1", "h2", "h3", "h4"),
            *("ul", "dl", "dt", "dd", "hr", "blockquote", "table", "caption", "thead", "tbody"),
            *("tfoot", "tr", "span", "strong", "em", "b", "i", "code", "sub", "sup", "br", "bdi"),
            *("small", "summary", "fieldset", "legend", "datalist", "s", "kbd", "template"),
        ),
        "",
    ),
    "meta": "charset name content",
    "link": "rel href type title",
    "script": "src type defer",
    "a": "href download rel",
    "img": "src alt loading width height",
    "time": "datetime",
    "ol": "start",
    "li": "value",
    "th": "scope colspan rowspan",
    "td": "colspan rowspan",
    "details": "open",
    "form": "method action enctype",
    "label": "for",
    "button": "type name value disabled",
    "select": "name required disabled multiple",
    "optgroup": "label",
    "option": "value selected disabled",
    "textarea": "name rows cols required maxlength placeholder autocomplete spellcheck",
    "input": "type name value required disabled checked maxlength minlength min max step list "
    "placeholder autocomplete inputmode accept autocapitalize spellcheck size readonly",
}
PHRASING = frozenset(
    {
        *("a", "b", "bdi", "br", "button", "code", "datalist", "em", "i", "img", "input", "kbd"),
        *("label", "s", "script", "select", "small", "span", "strong", "sub", "sup", "template"),
        *("textarea", "time"),
    }
)
# Elements whose content is phrasing alone; a summary may hold a heading too.
NARROW = frozenset(
    {
        *("p", "pre", "h1", "h2", "h3", "h4", "span", "strong", "em", "b", "i", "code", "sub"),
        *("sup", "bdi", "small", "label", "button", "summary", "time", "s", "kbd", "legend"),
    }
)
INTERACTIVE = frozenset({"a", "button", "select", "textarea", "details", "label", "input"})
SAYING = frozenset({"a", "button", "summary", "h1", "h2", "h3", "h4", "th"})
CHILDREN = {
    "ul": {"li"},
    "ol": {"li"},
    "dl": {"dt", "dd", "div"},
    "table": {"caption", "thead", "tbody", "tfoot"},
    "tr": {"td", "th"},
    "select": {"option", "optgroup"},
    "datalist": {"option"},
}
ONE_OF = ("title", "h1", "main")
REFERENCES = ("for", "list", "aria-labelledby", "aria-describedby", "aria-controls")
NAMELESS = frozenset({"hidden", "submit", "button"})


def mistakes(html: str) -> list[str]:
    """Every mistake of a page in words; none where it is as the standard wants it."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parse(html)
    found = [f"{place[0]}:{place[1]} {code} {said}" for place, code, said in parser.errors]
    parents = {child: parent for parent in root.iter() for child in parent}
    elements = [one for one in root.iter() if isinstance(one.tag, str)]
    names = Counter(one.get("id") for one in elements if one.get("id") is not None)
    found += [f"{times} elements are called {name}" for name, times in names.items() if times > 1]
    found += [
        f"a name is empty or has a space: {name!r}" for name in names if name.split() != [name]
    ]
    for tag in ONE_OF:
        times = sum(1 for one in elements if one.tag == tag)
        found += [f"{times} elements {tag}"] if times != 1 else []
    for one in elements:
        found += _of_element(one, parents)
        found += [
            f"{one.tag} refers by {key} to {name}, which is not there"
            for key in REFERENCES
            for name in one.get(key, "").split()
            if name not in names
        ]
    labelled = {one.get("for") for one in elements if one.tag == "label"}
    found += [
        f"{one.tag} {one.get('name')} has no label"
        for one in elements
        if one.tag in {"input", "select", "textarea"} and not _is_labelled(one, parents, labelled)
    ]
    found += _headings(elements)
    return found + [wrong for one in elements if one.tag == "table" for wrong in _columns(one)]


def _of_element(one: Element, parents: dict[Element, Element]) -> Iterator[str]:
    tag = str(one.tag)
    if tag not in ELEMENTS:
        yield f"{tag} is no element of these pages"
        return
    allowed = GLOBAL | set(ELEMENTS[tag].split())
    for key in one.attrib:
        if key not in allowed and not key.startswith(("aria-", "data-")):
            yield f"{tag} has no attribute {key}"
    yield from _nesting(tag, one, parents)
    if tag == "a" and not one.get("href"):
        yield "a link leads nowhere"
    if tag in SAYING and not _words(one):
        yield f"{tag} says nothing"
    if tag == "img" and one.get("alt") is None:
        yield "a picture has no words"
    if tag == "time" and not _is_time(one.get("datetime", "")):
        yield f"time is {one.get('datetime')!r}"
    if tag == "html" and not one.get("lang"):
        yield "the page has no language"


def _nesting(tag: str, one: Element, parents: dict[Element, Element]) -> Iterator[str]:
    parent = parents.get(one)
    inside = "" if parent is None else str(parent.tag)
    if (
        inside in NARROW
        and tag not in PHRASING
        and not (inside == "summary" and tag in {"h2", "h3"})
    ):
        yield f"{tag} stands in {inside}"
    if inside in CHILDREN and tag not in CHILDREN[inside] | {"script", "template"}:
        yield f"{tag} is a child of {inside}"
    if tag in INTERACTIVE and one.get("type") != "hidden":
        for above in _above(one, parents):
            if above.tag in {"a", "button", "summary"} or (above.tag == "label" and tag == "label"):
                yield f"{tag} stands in {above.tag}, which is pressed itself"


def _above(one: Element, parents: dict[Element, Element]) -> Iterator[Element]:
    while one in parents:
        one = parents[one]
        yield one


def _words(one: Element) -> str:
    return one.get("aria-label", "") or "".join(one.itertext()).strip()


def _is_time(written: str) -> bool:
    try:
        at = datetime.fromisoformat(written)
    except ValueError:
        return False
    return at.tzinfo is not None and not at.microsecond % 1000


def _is_labelled(one: Element, parents: dict[Element, Element], labelled: set[str | None]) -> bool:
    if one.get("type") in NAMELESS or one.get("hidden") is not None:
        return True
    if one.get("aria-label") or one.get("aria-labelledby") or (one.get("id") or 0) in labelled:
        return True
    return any(above.tag == "label" for above in _above(one, parents))


def _headings(elements: list[Element]) -> Iterator[str]:
    """A heading is at most one level deeper than the one before."""
    before = 0
    for one in elements:
        if one.tag in {"h1", "h2", "h3", "h4"}:
            level = int(str(one.tag)[1])
            if level > before + 1:
                yield f"h{level} “{_words(one)}” follows h{before}"
            before = level


def _columns(table: Element) -> Iterator[str]:
    """Every row of a table has as many columns as the first."""
    rows = list(table.iter("tr"))
    widths = [sum(int(cell.get("colspan", "1")) for cell in row) for row in rows]
    if len(set(widths)) > 1:
        yield f"a table has rows of {sorted(set(widths))} columns"
    if not any(cell.tag == "th" for row in rows for cell in row):
        yield "a table has no heads"
