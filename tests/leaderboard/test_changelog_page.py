"""The changelog names the judge series whose results count now, and is reached from every page."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client
from page_reading import found_in, strictly

from evaluation.adapters.catalogue import packaged
from evaluation.core.messages import JUDGE
from leaderboard.exports import table
from leaderboard.exports.board_columns import board_columns
from leaderboard.exports.data_set.making import data_tables
from leaderboard.exports.data_set.tables import SCHEMA

pytestmark = pytest.mark.django_db

DOCS = Path(__file__).parents[2] / "docs"
_NEVER = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_newest_series_and_schema_stand_in_the_changelog() -> None:
    text = (DOCS / "CHANGELOG.md").read_text()
    assert f"## Judge series {JUDGE}\n" in text
    assert f"Schema {table.SCHEMA} of the tables" in text
    assert f"schema {SCHEMA} of the public data set" in text
    versions = {one.version for one in packaged().problems()}
    assert versions == {1}, "say in docs/CHANGELOG.md what the new version of a problem changed"


def test_every_page_leads_to_search_comparison_data_feed_and_changelog(client: Client) -> None:
    for address in ("/", "/changelog/", "/data/", "/compare/", "/search/", "/accounts/login/"):
        page = client.get(address).content.decode()
        strictly(page)
        links = found_in(page).links
        assert {"/search/", "/compare/", "/data/", "/feed/", "/changelog/"} <= set(links)
        assert 'type="application/atom+xml"' in page


def test_the_page_about_data_names_every_table_and_every_kind_of_column() -> None:
    text = (DOCS / "data.md").read_text()
    for one in data_tables(packaged().problems(), at=_NEVER):
        assert f"| `{one.name}` |" in text
    named = set(re.findall(r"`([a-z_]+)`", text))
    told = {one.name for one in board_columns((), origin="", factor=None)}
    said_by_name = {"provenance", "turn_limit", "rank_low", "rank_high", "unranked_why"}
    assert said_by_name <= named & told
