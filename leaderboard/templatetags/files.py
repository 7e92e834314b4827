"""Links to the files of a table, the same on every page."""

from dataclasses import dataclass
from uuid import UUID

from django.template import Library
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = Library()


@dataclass(frozen=True, slots=True)
class SavedAs:
    """The addresses of a table as files."""

    csv: str
    json: str


def saved_as(export: str, query: str = "", **keys: str | UUID) -> SavedAs:
    """``export`` is the name of the files' address, ``query`` what their page was asked, ``keys`` what it is of."""
    tail = f"?{query}" if query else ""
    csv, json = (reverse(export, kwargs={**keys, "ending": one}) + tail for one in ("csv", "json"))
    return SavedAs(csv, json)


@register.filter
def links(files: SavedAs) -> SafeString:
    return format_html(
        '<a href="{}" download>CSV</a>, <a href="{}" download>JSON</a>', files.csv, files.json
    )


@register.simple_tag
def files(export: str, query: str = "", **keys: str | UUID) -> SafeString:
    """Links to the files of ``saved_as``."""
    return links(saved_as(export, query, **keys))
