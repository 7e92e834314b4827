"""The document of data names every word by which a list is ordered and every column that can be left out."""

import re
from pathlib import Path

import pytest
from django.test import Client
from own_pages import own_pages
from pytest_django import Settings
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

from leaderboard.views.arrangement import ListColumns
from leaderboard.views.cell_columns import CELL_COLUMNS
from leaderboard.views.gap_question import GAP_COLUMNS
from leaderboard.views.kernel_runs import RUN_COLUMNS
from leaderboard.views.model_columns import ENTRY_COLUMNS, MODEL_COLUMNS
from leaderboard.views.problem_list import PROBLEM_COLUMNS
from portal.uploads.submission_list import SUBMISSION_COLUMNS

__all__ = ["artifacts", "seeded"]  # fixtures

DOCUMENT = Path(__file__).parents[2] / "docs/data.md"
LISTS = {
    "/models/": MODEL_COLUMNS,
    "/models/SLUG/entries/": ENTRY_COLUMNS,
    "/models/SLUG/cells/": CELL_COLUMNS,
    "/kernels/SHA256/": RUN_COLUMNS,
    "/problems/": PROBLEM_COLUMNS,
    "/gap/": GAP_COLUMNS,
    "/submissions/": SUBMISSION_COLUMNS,
}


def words_of(address: str) -> list[set[str]]:
    """The words of each cell behind the address, in the table of what orders lists."""
    text = DOCUMENT.read_text()
    table = text[text.index("| list | `sort` | `columns` |") :]
    (line,) = (one for one in table.splitlines() if one.startswith(f"| `{address}`"))
    return [set(re.findall(r"`(\w+)`", cell)) for cell in line.split("|")[2:4]]


@pytest.mark.parametrize(("address", "of"), LISTS.items(), ids=LISTS)
def test_the_document_names_the_words_of_every_list(address: str, of: ListColumns) -> None:
    sorts, columns = words_of(address)
    assert sorts == set(of.sorts)
    assert columns <= set(of.all_keys)
    assert set(of.optional) <= sorts | columns


@pytest.mark.parametrize("of", LISTS.values(), ids=LISTS)
def test_no_word_of_a_list_is_there_twice_and_the_natural_order_is_one_of_them(
    of: ListColumns,
) -> None:
    keys = [one.key for one in of.columns]
    assert len(set(keys)) == len(keys)
    assert not of.natural or of.natural in of.sorts
    assert all(re.fullmatch(r"\w+", one) for one in keys)
    # What an address may hold of one word: all columns but one have to fit.
    assert len(".".join(of.optional)) <= 80


@pytest.mark.django_db
def test_every_word_that_orders_a_list_orders_it_and_its_file_either_way(
    client: Client, settings: Settings, seeded: Seeded, tmp_path: Path
) -> None:
    settings.UPLOAD_SPOOL = settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "spool"
    client.cookies[settings.SESSION_COOKIE_NAME] = own_pages(seeded).session
    kernel = f"/kernels/{seeded.evidence.kernel.sha256}"
    for address, of in LISTS.items():
        page = kernel if address.startswith("/kernels/") else address.replace("SLUG", "quartz-4")
        path = page.removesuffix("/")
        file = f"{path}/runs.csv" if path == kernel else f"{path}.csv"
        for word in {one for key in of.sorts for one in (key, f"-{key}")} - {of.natural}:
            for asked in (f"{path}/?sort={word}", f"{file}?sort={word}"):
                assert client.get(asked).status_code == 200, asked
