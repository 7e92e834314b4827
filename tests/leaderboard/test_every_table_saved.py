"""Every table of every page leads to files with its rows, and to those of no other table."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from json import loads
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from xml.etree.ElementTree import Element

import html5lib
import pytest
from django.test import Client
from django.urls import resolve
from every_page import PAGES, pages_of_rows
from own_pages import own_pages
from pytest_django import Settings
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

from evaluation.models import Entry

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

# Addresses of pages whose tables have no file, and why.
WITHOUT_FILES = {
    "submission": "what an upload is being turned into: the API tells it, and its entry has files once it is there",
    "tokens": "forms, and nothing that is shown to anybody else",
    "data": "the manifest lists the same files in JSON, with every column",
}
# Files that count otherwise than their tables, and what a row of each is.
COUNTED_OTHERWISE = {
    "leaders_export": "a leader, of which a cell of the table has several",
    "problem_leaders_export": "a leader, of which a cell of the table has several",
    "model_map_export": "a cell",
    "entry_turns_export": "a turn, of which a row of the table has all of a trajectory",
    "entry_timed_turns_export": "a timed turn, which stands in one of the two tables or in both",
    "compare_export": "a cell or a run, of which a row of the table has one a column",
    "boards_export": "a board of one provenance, which is a cell",
}


@dataclass(frozen=True, slots=True)
class Saved:
    """A table with the number of its rows and the addresses of the files that it leads to, empty without one."""

    rows: int
    csv: str
    json: str


def tables_of(html: str) -> Iterator[Saved]:
    """The tables of a page that are no text. A table leads to the next two files behind it."""
    root = html5lib.parse(html, namespaceHTMLElements=False)
    texts = [one for one in root.iter("div") if one.get("class") == "text-page"]
    of_texts = {id(table) for text in texts for table in text.iter("table")}
    ordered = list(root.iter())
    for place, one in enumerate(ordered):
        if one.tag == "table" and id(one) not in of_texts:
            behind = [there.get("href", "") for there in ordered[place:] if there.tag == "a"]
            yield Saved(rows_in(one), _next(behind, "csv"), _next(behind, "json"))


def rows_in(table: Element) -> int:
    return sum(len(body.findall("tr")) for body in table.findall("tbody"))


def _next(links: list[str], ending: str) -> str:
    return next((one for one in links if urlsplit(one).path.endswith(f".{ending}")), "")


def test_a_table_leads_to_the_files_behind_it_and_to_none_before_it() -> None:
    row = "<tbody><tr><td>a</td></tr><tr><td>b</td></tr></tbody></table>"
    links = "<a href='/a.csv?b=1'>CSV</a><a href='/a.json'>JSON</a>"
    html = f"<table>{row}{links}<div class='text-page'><table>{row}</div><table>{row}"
    assert list(tables_of(html)) == [Saved(2, "/a.csv?b=1", "/a.json"), Saved(2, "", "")]


def test_every_table_of_every_page_leads_to_its_rows_as_csv_and_json(
    client: Client, settings: Settings, seeded: Seeded, tmp_path: Path
) -> None:
    settings.UPLOAD_SPOOL = settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "spool"
    own = own_pages(seeded)
    timed = Entry.objects.get(trajectory_rows__turns__kernel=seeded.evidence.kernel)
    everybody = PAGES | pages_of_rows(seeded) | {"entry-timed": f"/entries/{timed.uid}/"}
    wrong, seen = mistakes_on(client, everybody)
    client.cookies[settings.SESSION_COOKIE_NAME] = own.session
    of_own, more = mistakes_on(client, own.pages)
    assert wrong | of_own == {}
    assert set(COUNTED_OTHERWISE) - seen - more == set()
    assert len(seen) > 20


def mistakes_on(client: Client, pages: dict[str, str]) -> tuple[dict[str, list[str]], set[str]]:
    """What is wrong by page, and the names of the files that tables lead to."""
    wrong, seen = {}, set()
    for name, address in pages.items():
        page = resolve(urlsplit(address).path).url_name
        html = client.get(address, follow=True).content.decode()
        found = list(tables_of(html))
        if page in WITHOUT_FILES:
            continue
        said = [f"a table of {one.rows} rows has no file" for one in found if not one.csv]
        by_file: Counter[tuple[str, str]] = Counter()
        for one in found:
            if one.csv:
                by_file[one.csv, one.json] += one.rows
        for (csv, json), rows in by_file.items():
            export = str(resolve(urlsplit(urljoin(address, csv)).path).url_name)
            seen.add(export)
            said += mistakes_of_file(client, urljoin(address, csv), urljoin(address, json), rows)
        if said:
            wrong[name] = said
    return wrong, seen


def mistakes_of_file(client: Client, csv: str, json: str, rows: int) -> list[str]:
    if json != csv.replace(".csv", ".json"):
        return [f"{csv} has beside it {json}"]
    export = str(resolve(urlsplit(csv).path).url_name)
    answers = [client.get(one) for one in (csv, json)]
    if [one.status_code for one in answers] != [200, 200]:
        return [f"{csv} is not there"]
    saved = len(loads(answers[1].getvalue())["rows"])
    if saved == 0 or (export not in COUNTED_OTHERWISE and saved != rows):
        return [f"{csv} has {saved} rows, its tables {rows}"]
    return []
