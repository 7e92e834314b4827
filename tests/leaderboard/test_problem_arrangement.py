"""The list of problems in another order and with fewer columns: on the page, in its files, in one address."""

import csv
import io
import re

import pytest
from django.test import Client
from page_markup import mistakes
from page_reading import found_in, text_of
from pytest_django import DjangoAssertNumQueries

pytestmark = pytest.mark.django_db

PAPER = (
    *("gemm_n7168_k5120", "mha_bwd_d128", "mha_bwd_d128_causal"),
    *("mha_with_lse_d128", "mha_with_lse_d128_causal"),
)


def page_of(client: Client, query: str = "") -> str:
    answer = client.get(f"/problems/{query}")
    assert answer.status_code == 200
    page = answer.content.decode()
    assert mistakes(page) == []
    return page


def suites_on(page: str) -> list[list[str]]:
    """The names of the problems of each suite."""
    bodies = re.findall(r"<tbody>(.*?)</tbody>", page, re.DOTALL)
    return [re.findall(r'href="/problems/(\w+)/"', one) for one in bodies]


def saved(client: Client, query: str = "") -> list[dict[str, str]]:
    answer = client.get(f"/problems.csv{query}")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode(), newline="")))


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("name", PAPER),
        ("-name", PAPER[::-1]),
        ("-kind", (PAPER[0], *PAPER[3:], *PAPER[1:3])),
        ("kind", (*PAPER[1:3], *PAPER[3:], PAPER[0])),
        ("targets", None),
        ("version", None),
    ],
)
def test_problems_stand_in_the_order_that_is_asked_for_within_their_suites(
    client: Client, sort: str, expected: tuple[str, ...] | None
) -> None:
    natural = suites_on(page_of(client))
    paper, neighbours = suites_on(page_of(client, f"?sort={sort}"))
    # Those of the paper are of one version and of both targets, so that they stay as they are.
    assert paper == list(expected or natural[0])
    assert sorted(neighbours) == sorted(natural[1])
    file = saved(client, f"?sort={sort}")
    assert [one["problem"] for one in file] == [*paper, *neighbours]
    if sort in ("name", "-name"):
        assert neighbours == sorted(natural[1], reverse=sort == "-name")


def test_titles_order_problems_without_regard_to_capitals(client: Client) -> None:
    file = saved(client, "?sort=-title")
    titles = [one["title"].casefold() for one in file if one["suite"] == "neighbours"]
    assert titles == sorted(titles, reverse=True)
    assert len(titles) == 16


def test_columns_are_left_out_on_the_page_and_in_its_files(client: Client) -> None:
    page = page_of(client, "?sort=kind&columns=kind.version")
    heads = [text_of(one) for one in re.findall(r"<thead>(.*?)</thead>", page, re.DOTALL)]
    assert heads == ["Problem Kind ▲ Version"] * 2
    names = list(saved(client, "?sort=kind&columns=kind.version")[0])
    assert names == ["suite", "ranked", "title", "problem_url", "kind", "version"]
    links = found_in(page).links
    assert "?sort=-kind&columns=kind.version" in links
    assert "/problems.csv?sort=kind&columns=kind.version" in links
    assert "?columns=kind.version" in links
    for ending in ("/", ".json"):
        answer = client.get(f"/problems{ending}?columns=version&columns=kind&sort=")
        assert answer["Location"] == f"/problems{ending}?columns=kind.version"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            "sort=suite",
            "Nothing is ordered by “suite”. There are: title, name, kind, targets, version",
        ),
        ("columns=title", "There is no column “title”. There are: name, kind, targets, version."),
        ("start=1", "There is no filter “start”. There are: sort, columns."),
    ],
)
def test_what_is_on_no_list_is_refused_in_words(client: Client, query: str, sentence: str) -> None:
    for path in ("/problems/", "/problems.csv"):
        answer = client.get(f"{path}?{query}")
        assert answer.status_code == 400
        assert sentence in text_of(answer.content.decode())


def test_a_page_is_kept_for_each_order_apart_and_asks_the_database_nothing(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        tags = {client.get(f"/problems/{one}")["ETag"] for one in ("", "?sort=name", "?sort=-name")}
        assert len(tags) == 3
        assert suites_on(page_of(client, "?sort=-name"))[0] == list(PAPER[::-1])
