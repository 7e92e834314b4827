"""The table of the gap chart in the order of one of its columns: on the page and in its files; the picture stays."""

import csv
import io
import re

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT
from page_markup import mistakes
from page_reading import found_in, text_of

from evaluation.models import Entry, Run, Turn
from leaderboard.projection import rebuild

pytestmark = pytest.mark.django_db

MHA = "mha_bwd_d128"


@pytest.fixture(autouse=True)
def points() -> None:
    """Of eight turns opal has 6 correct and all by the family, Quartz 4 and 2; agate 2 and 1 at another problem."""
    for name, problem, words in (
        ("Quartz", rows.GEMM, ["pp--", "gg--"]),
        ("opal", rows.GEMM, ["ppp-", "ppp-"]),
        ("agate", MHA, ["p---", "g---"]),
    ):
        made = rows.judged(
            [one.replace("g", "p") for one in words], problem, model=rows.model(name=name)
        )
        without_family(made, words)
    rebuild(at=AT)


def without_family(made: Entry, words: list[str]) -> None:
    """The turns that are a g executed no family."""
    for number, word in enumerate(words):
        for place, letter in enumerate(word):
            if letter == "g":
                of = {"trajectory__entry": made, "trajectory__number": number, "number": place}
                turn = Turn.objects.get(**of)
                runs = Run.objects.filter(kernel=turn.kernel)
                runs.update(family="absent", matrix_path="no")


def page_of(client: Client, query: str = "") -> str:
    answer = client.get(f"/gap/?T=4{query}", follow=True)
    assert answer.status_code == 200, text_of(answer.content.decode())[-300:]
    page = answer.content.decode()
    assert mistakes(page) == []
    return page


def names_on(page: str) -> list[str]:
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    return re.findall(r'<th scope="row"><a [^>]*>(\w+)', table)


def saved(client: Client, query: str = "") -> list[str]:
    answer = client.get(f"/gap.csv?T=4{query}")
    assert answer.status_code == 200
    text = answer.getvalue().decode()
    return [one["model"] for one in csv.DictReader(io.StringIO(text, newline=""))]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("who", ["agate", "opal", "Quartz"]),
        ("-who", ["Quartz", "opal", "agate"]),
        ("correct", ["opal", "Quartz", "agate"]),
        ("-correct", ["agate", "Quartz", "opal"]),
        ("family", ["opal", "Quartz", "agate"]),
        ("gap", ["Quartz", "agate", "opal"]),
        ("-gap", ["opal", "agate", "Quartz"]),
    ],
)
def test_the_table_stands_in_the_order_that_is_asked_for_and_so_do_its_files(
    client: Client, sort: str, expected: list[str]
) -> None:
    assert names_on(page_of(client, f"&sort={sort}")) == expected
    assert saved(client, f"&sort={sort}") == expected


def test_an_order_opens_the_table_keeps_the_filters_and_leaves_the_picture(client: Client) -> None:
    plain = page_of(client)
    assert "<details><summary>The numbers" in plain
    assert saved(client) == names_on(plain)
    assert "?T=4&sort=gap#chart-gap" in found_in(plain).links
    page = page_of(client, "&target=hopper&sort=gap")
    assert "<details open><summary>The numbers" in page
    assert "?target=hopper&T=4&sort=-gap#chart-gap" in found_in(page).links
    assert "/gap.csv?target=hopper&T=4&sort=gap" in found_in(page).links
    assert re.search(r'aria-sort="descending"><a [^>]* rel="nofollow">Gap ▼', page)
    assert '<input type="hidden" name="sort" value="gap">' in page
    figures = [
        re.findall(r'<script id="chart-gap-figure".*?</script>', one, re.DOTALL)
        for one in (page_of(client, "&sort=-who"), plain)
    ]
    assert figures[0] == figures[1]
    assert len(figures[0]) == 1


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("sort=speed", "Nothing is ordered by “speed”. There are: who, problem, device, correct"),
        ("columns=gap", "There is no filter “columns”."),
        ("sort=gap&sort=who", "stands in the address more than once"),
    ],
)
def test_what_is_on_no_list_is_refused_in_words(client: Client, query: str, sentence: str) -> None:
    for path in ("/gap/", "/gap.csv"):
        answer = client.get(f"{path}?{query}")
        assert answer.status_code == 400
        assert sentence in text_of(answer.content.decode())
