"""Lists of models and of their entries in another order and with fewer columns: on the page, in its files, in one address."""

import csv
import io
import json
import re
from datetime import UTC, date, datetime

import judged_rows as rows
import pytest
from django.test import Client
from page_markup import mistakes
from page_reading import found_in, text_of
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Model, PaperCell

pytestmark = pytest.mark.django_db

MODELS = "/models/"
ENTRIES = "/models/quartz/entries/"


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, text_of(answer.content.decode())[-300:]
    page = answer.content.decode()
    assert mistakes(page) == []
    return page


def names_on(page: str) -> list[str]:
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    return [text_of(one) for one in re.findall(r'<th scope="row">(.*?)</th>', body, re.DOTALL)]


def heads_on(page: str) -> list[str]:
    head = page[page.index("<thead>") : page.index("</thead>")]
    return [text_of(one) for one in re.findall(r"<th .*?</th>", head, re.DOTALL)]


def cells_on(page: str) -> list[int]:
    """How many cells each row of the table has."""
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    return [
        len(re.findall(r"<t[dh][ >]", one)) for one in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)
    ]


def saved(client: Client, address: str) -> list[dict[str, str]]:
    path, _, query = address.partition("?")
    answer = client.get(f"{path.removesuffix('/')}.csv?{query}")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode(), newline="")))


def published(model: Model, number: int) -> None:
    for turns in range(1, number + 1):
        PaperCell.objects.create(
            publication="a paper",
            model=model,
            problem=rows.GEMM,
            target="hopper",
            device="h100",
            turn_limit=turns,
            metric="best_speedup",
            experiment="main",
            value=0.5,
        )


@pytest.fixture
def models() -> None:
    """Four names; no order of two columns is the same. Hidden entries and names stand for what nobody may count."""
    quartz = rows.model(slug="quartz", name="Quartz", track="model", released_on=date(2026, 2, 1))
    opal = rows.model(slug="opal", name="Opal", track="human", released_on=date(2026, 3, 1))
    beryl = rows.model(slug="beryl", name="Beryl", track="agent", released_on=None)
    agate = rows.model(slug="agate", name="Agate", track="model", released_on=date(2026, 1, 1))
    for model, number in ((quartz, 1), (opal, 2), (agate, 3)):
        for _ in range(number):
            rows.entry(["p"], model=model)
    for visibility in ("private", "embargoed"):
        until = {"embargo_until": datetime(2999, 1, 1, tzinfo=UTC)}
        for _ in range(5):
            rows.entry(
                ["p"],
                model=beryl,
                visibility=visibility,
                **(until if visibility == "embargoed" else {}),
            )
    published(quartz, 2)
    published(beryl, 1)
    rows.model(slug="zircon", name="Zircon", accepted_at=None, released_on=date(2027, 1, 1))


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", ["Agate", "Beryl", "Opal", "Quartz"]),
        ("-name", ["Quartz", "Opal", "Beryl", "Agate"]),
        ("track", ["Beryl", "Opal", "Agate", "Quartz"]),
        ("-track", ["Agate", "Quartz", "Opal", "Beryl"]),
        ("released", ["Opal", "Quartz", "Agate", "Beryl"]),
        ("-released", ["Agate", "Quartz", "Opal", "Beryl"]),
        ("entries", ["Agate", "Opal", "Quartz", "Beryl"]),
        ("-entries", ["Beryl", "Quartz", "Opal", "Agate"]),
        ("published", ["Quartz", "Beryl", "Agate", "Opal"]),
        ("-published", ["Agate", "Opal", "Beryl", "Quartz"]),
    ],
)
def test_models_stand_in_the_order_that_is_asked_for_on_the_page_and_in_its_files(
    client: Client, models: None, sort: str, expected: list[str]
) -> None:
    asked = f"{MODELS}?sort={sort}" if sort else MODELS
    assert names_on(page_of(client, asked)) == expected
    assert [one["model"] for one in saved(client, asked)] == expected
    query = f"?sort={sort}" if sort else ""
    whole = json.loads(client.get(f"/models.json{query}").content)
    assert [one["model"] for one in whole["rows"]] == expected
    assert whole["page"] == f"http://testserver{asked}"


def test_the_head_of_a_column_orders_by_it_then_the_other_way_then_as_the_list_does(
    client: Client, models: None
) -> None:
    page = page_of(client, MODELS)
    assert re.search(r'aria-sort="ascending"><a href="\?sort=-name" rel="nofollow">Name ▲', page)
    assert page.count("aria-sort=") == 1
    page = page_of(client, f"{MODELS}?sort=-name")
    assert re.search(r'aria-sort="descending"><a href="\?" rel="nofollow">Name ▼', page)
    assert re.search(r'><a href="\?sort=entries" rel="nofollow">Public entries</a>', page)
    page = page_of(client, f"{MODELS}?sort=entries")
    assert re.search(r'aria-sort="descending"><a href="\?sort=-entries" [^>]*>Public entr', page)
    page = page_of(client, f"{MODELS}?sort=-entries")
    assert re.search(r'aria-sort="ascending"><a href="\?" rel="nofollow">Public entries ▲', page)
    assert "ordered by “Public entries” the other way round. By name again" in text_of(page)


def test_columns_are_left_out_on_the_page_and_in_its_files(client: Client, models: None) -> None:
    address = f"{MODELS}?sort=entries&columns=track.published"
    page = page_of(client, address)
    assert heads_on(page) == ["Name", "Track", "Published values"]
    assert cells_on(page) == [3, 3, 3, 3]
    file = saved(client, address)
    assert list(file[0]) == ["model", "model_url", "track", "published_values"]
    assert [one["model"] for one in file] == ["Agate", "Opal", "Quartz", "Beryl"]
    assert "/models.csv?sort=entries&columns=track.published" in found_in(page).links
    assert "?sort=track&columns=track.published" in found_in(page).links
    assert list(saved(client, MODELS)[0]) == [
        *("model", "model_url", "track", "released_on", "public_entries", "published_values")
    ]


def test_a_form_with_a_box_a_column_leads_to_the_one_address(client: Client, models: None) -> None:
    for ending in ("/", ".csv"):
        path = f"/models{ending}"
        answer = client.get(f"{path}?columns=published&columns=track&sort=")
        assert (answer.status_code, answer["Location"]) == (302, f"{path}?columns=track.published")
        every = "columns=track&columns=released&columns=entries&columns=published"
        assert client.get(f"{path}?{every}&sort=name")["Location"] == path
    page = page_of(client, f"{MODELS}?sort=-track&columns=track.published")
    boxes = re.findall(r'name="columns" value="(\w+)"( checked)?', page)
    assert [name for name, _ in boxes] == ["track", "released", "entries", "published"]
    assert [name for name, checked in boxes if checked] == ["track", "published"]
    assert '<option value="-track" selected>' in page


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        (
            "/models/?sort=colour",
            "Nothing is ordered by “colour”. There are: name, track, released, entries, published.",
        ),
        ("/models/?sort=--track", "Nothing is ordered by “--track”"),
        ("/models/?sort=track&sort=name", "stands in the address more than once"),
        (
            "/models/?columns=name",
            "There is no column “name”. There are: track, released, entries, published.",
        ),
        ("/models.csv?sort=slug", "Nothing is ordered by “slug”"),
        ("/models.json?columns=track,released", "There is no column “track,released”"),
        (f"{ENTRIES}?sort=model", "Nothing is ordered by “model”. There are: harness, pack,"),
        (f"{ENTRIES}?columns=turns", "There is no column “turns”. There are: harness, pack,"),
        ("/models/quartz/entries.csv?sort=owner", "Nothing is ordered by “owner”"),
        ("/models/?sort=%3Cb%3E", "Nothing is ordered by “<b>”"),
    ],
    ids=range(10),
)
def test_an_order_or_a_column_that_is_on_no_list_is_refused_in_words(
    client: Client, models: None, address: str, sentence: str
) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert sentence in text_of(answer.content.decode())


@pytest.mark.parametrize("sort", ["", "track", "-track", "entries", "released", "-published"])
def test_the_pages_of_models_go_on_in_the_same_order_and_show_every_name_once(
    client: Client, models: None, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    whole = names_on(page_of(client, f"{MODELS}?sort={sort}" if sort else MODELS))
    for module in ("model_views", "cell_exports"):
        monkeypatch.setattr(f"leaderboard.views.{module}.MODELS_A_PAGE", 1)
    query = f"sort={sort}&" if sort else ""
    columns = "columns=track"
    found, files, address = [], [], f"{MODELS}?{query}{columns}"
    for start in (1, 2, 3, 4):
        page = page_of(client, address)
        found += names_on(page)
        files += [one["model"] for one in saved(client, address)]
        following = f"?{query}{columns}&start={start}"
        assert (following in found_in(page).links) is (start < 4)
        before = f"?{query}{columns}" + (f"&start={start - 2}" if start > 2 else "")
        assert ("The ones before" in page) is (start > 1)
        assert before in found_in(page).links or start == 1
        address = MODELS + following
    assert found == files == whole


def test_names_in_capitals_stand_where_a_dictionary_has_them(client: Client) -> None:
    for name in ("zircon", "GLM", "Gemini", "agate"):
        rows.model(slug=name.lower(), name=name)
    order = ["agate", "Gemini", "GLM", "zircon"]
    assert names_on(page_of(client, MODELS)) == order
    assert names_on(page_of(client, f"{MODELS}?sort=-name")) == order[::-1]
    assert names_on(page_of(client, f"{MODELS}?sort=entries")) == order  # all have none
    assert [row["model"] for row in saved(client, MODELS)] == order


@pytest.mark.parametrize("sort", ["name", "track", "released", "entries", "published"])
def test_another_order_of_models_costs_no_more_queries(
    client: Client, models: None, sort: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(3):
        page_of(client, f"{MODELS}?sort=-{sort}")


@pytest.fixture
def entries() -> None:
    """Three public configurations, of which one says nothing of itself, and a private one with the most of each."""
    model = rows.model(slug="quartz", name="Quartz")

    def entry(pack: str, day: int, *, visibility: str = "public", **columns: object) -> None:
        at = datetime(2026, 11, day, tzinfo=UTC)
        made = {"pack": pack, "created_at": at, "visibility": visibility, **columns}
        rows.entry(["p"], model=model, **made)

    entry("first", 1, harness="zeta", reasoning_effort="high", prompts=2, trajectories=1, turns=8)
    entry("second", 2, harness="alpha", reasoning_effort="low", prompts=1, trajectories=4, turns=2)
    entry("third", 3, harness="", reasoning_effort="", prompts=3, trajectories=2, turns=4)
    entry("hidden", 4, visibility="private", harness="beta", reasoning_effort="max", prompts=9)


def packs_on(page: str) -> list[str]:
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    return re.findall(r"<bdi>(first|second|third|hidden)</bdi>", body)


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", ["third", "second", "first"]),
        ("-created", ["first", "second", "third"]),
        ("harness", ["second", "first", "third"]),
        ("-harness", ["first", "second", "third"]),
        ("effort", ["first", "second", "third"]),
        ("-effort", ["second", "first", "third"]),
        ("pack", ["first", "second", "third"]),
        ("prompts", ["third", "first", "second"]),
        ("trajectories", ["second", "third", "first"]),
        ("turns", ["first", "third", "second"]),
        ("-turns", ["second", "third", "first"]),
        ("language", ["third", "second", "first"]),
    ],
)
def test_entries_of_a_model_stand_in_the_order_that_is_asked_for_and_hidden_ones_nowhere(
    client: Client, entries: None, sort: str, expected: list[str]
) -> None:
    asked = f"{ENTRIES}?sort={sort}" if sort else ENTRIES
    assert packs_on(page_of(client, asked)) == expected
    assert [one["pack"] for one in saved(client, asked)] == expected


def test_columns_of_entries_are_left_out_on_the_page_and_in_its_files(
    client: Client, entries: None
) -> None:
    address = f"{ENTRIES}?sort=turns&columns=pack.created"
    page = page_of(client, address)
    assert heads_on(page) == ["Entry", "Pack", "Handed in"]
    assert cells_on(page) == [3, 3, 3]
    names = ["entry", "entry_url", "single_kernel", "prompts", "trajectories", "turns"]
    assert list(saved(client, address)[0]) == [*names, "pack", "created_at"]
    assert '<option value="turns" selected>Turns</option>' in page
    assert "ordered by “Turns”. The newest first again" in text_of(page)
    head = page[page.index("<thead>") : page.index("</thead>")]
    assert "aria-sort" not in head
    assert 'aria-sort="descending"' in page_of(client, ENTRIES)


def test_the_pages_of_entries_go_on_in_the_same_order(
    client: Client, entries: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("model_views", "cell_exports"):
        monkeypatch.setattr(f"leaderboard.views.{module}.ENTRIES_A_PAGE", 1)
    found, address = [], f"{ENTRIES}?sort=language"
    for start in (1, 2, 3):
        page = page_of(client, address)
        found += packs_on(page)
        following = f"?sort=language&start={start}"
        assert (following in found_in(page).links) is (start < 3)
        address = ENTRIES + following
    assert found == ["third", "second", "first"]


def test_the_newest_entries_on_the_page_of_a_model_have_every_column_and_no_link_that_orders(
    client: Client, entries: None
) -> None:
    page = page_of(client, "/models/quartz/")
    table = page[page.index("<h2>Public entries") :]
    assert heads_on(table) == [
        *("Entry", "Harness", "Pack", "Effort", "Language", "Author known by", "Handed in")
    ]
    assert packs_on(table) == ["third", "second", "first"]
    assert "sort=" not in table
