"""The page of an entry: its list of trajectories in pages of few turns, and charts of all that was timed."""

import json
import re

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Entry, Run, Turn
from leaderboard.projection import rebuild

pytestmark = pytest.mark.django_db

EIGHT = "ppp-----"
MHA = "mha_bwd_d128"


def shown(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    page = answer.content.decode()
    strictly(page)
    return page


def list_rows(page: str) -> list[str]:
    start = page.index('<table class="turns">')
    body = page[page.index("<tbody>", start) : page.index("</tbody>", start)]
    return re.findall(r"<tr>.*?</tr>", body, re.DOTALL)


@pytest.fixture
def large() -> Entry:
    """Thirty trajectories of eight turns, fifteen at each of two problems; three turns of each were timed."""
    entry = rows.entry([EIGHT] * 15, model=rows.model(slug="quartz", name="Quartz"))
    for problem in (GEMM, MHA):
        rows.add_turns(entry, [EIGHT] * 15, problem)
    Turn.objects.filter(trajectory__entry=entry).update(completion_tokens=1234)
    rebuild(at=AT)
    return entry


def test_a_page_lists_as_many_trajectories_as_have_160_turns_and_leads_to_the_next(
    client: Client, large: Entry
) -> None:
    page = shown(client, f"/entries/{large.uid}/")
    assert "1 to 20 of 30; each turn with what we found" in text_of(page)
    assert len(list_rows(page)) == 20
    assert page.count("#turn-8") == 20
    assert "?first=20#trajectories" in found_in(page).links
    rest = shown(client, f"/entries/{large.uid}/?first=20")
    assert "21 to 30 of 30" in text_of(rest)
    assert "The next trajectories" not in rest
    assert "Charts" not in text_of(rest)
    assert "Correctness, verified by us" not in text_of(rest)
    assert f"/entries/{large.uid}/" in found_in(rest).links


def test_the_list_says_where_each_problem_begins(client: Client, large: Entry) -> None:
    page = shown(client, f"/entries/{large.uid}/")
    assert f"{GEMM}: 15" in text_of(page)
    assert "?first=15#trajectories" in found_in(page).links
    second = shown(client, f"/entries/{large.uid}/?first=15")
    first, *_ = list_rows(second)
    assert text_of(first).startswith(f"prompt 1, number 1 {MHA}")
    assert re.search(rf'first=15#trajectories" aria-current="page">{MHA}: 15<', second)


def test_the_charts_are_of_the_whole_entry_and_say_how_many_turns_they_draw(
    client: Client, large: Entry
) -> None:
    page = shown(client, f"/entries/{large.uid}/")
    assert "Of 90 timed turns 32 are drawn" in text_of(page)
    figure = re.search(r'id="chart-tokens-figure" type="application/json">(.*?)</script>', page)
    assert figure is not None
    (series,) = json.loads(figure[1])["data"]
    assert len(series["x"]) == 32
    chart = page[page.index('id="chart-tokens"') :]
    table = chart[chart.index("<tbody>") : chart.index("</tbody>")]
    assert table.count("<tr>") == 32
    assert {one.split(",")[0] for one in re.findall(r"/\">(.*?)</a>", table)} <= {GEMM, MHA}
    assert table.count(GEMM) == table.count(MHA) == 16


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("first=x", "The filter “first” takes a whole number"),
        ("first=-1", "takes a whole number"),
        ("start=1", "There is no filter “start”"),
        ("first=1&first=2", "more than once"),
    ],
)
def test_a_question_that_the_page_does_not_answer_is_refused_in_words(
    client: Client, large: Entry, query: str, sentence: str
) -> None:
    for file in ("/", "/turns.csv"):
        answer = client.get(f"/entries/{large.uid}{file}?{query}")
        assert answer.status_code == 400
        assert sentence in text_of(answer.content.decode())


def test_the_address_of_an_entry_is_written_one_way(client: Client, large: Entry) -> None:
    address = f"/entries/{large.uid}/"
    assert client.get(f"{address}?first=0")["Location"] == address
    assert client.get(f"{address}?first=")["Location"] == address
    beyond = text_of(shown(client, f"{address}?first=1000"))
    assert "No trajectory of this entry has been imported from there on" in beyond


@pytest.mark.parametrize("trajectories", [2, 15])
def test_a_page_is_below_100_kb_and_costs_as_many_queries_for_many_turns(
    client: Client, trajectories: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    entry = rows.entry([EIGHT] * trajectories)
    for problem in rows.PAPER_SUITE[:2]:
        rows.add_turns(entry, [EIGHT] * trajectories, problem)
    Turn.objects.filter(trajectory__entry=entry).update(completion_tokens=1234)
    rebuild(at=AT)
    with django_assert_num_queries(14):
        page = shown(client, f"/entries/{entry.uid}/")
    assert len(page) < 100_000


def test_of_a_trajectory_with_very_many_turns_the_first_stand_in_the_list(client: Client) -> None:
    entry = rows.entry(["n" * 170])
    (turn, *_) = rows.add_turns(entry, ["n" * 170])
    page = shown(client, f"/entries/{entry.uid}/")
    (only,) = list_rows(page)
    assert only.count("no code in the reply") == 160
    assert f'<a href="/trajectories/{turn.trajectory.uid}/">10 more</a>' in only


def test_the_head_says_what_judging_took(client: Client) -> None:
    entry = rows.judged(["p-"] * 5)
    assert "Judging took" not in shown(client, f"/entries/{entry.uid}/")
    Run.objects.update(gpu_seconds=1.25)
    said = text_of(shown(client, f"/entries/{entry.uid}/"))
    assert "Judging took 12.5 s of a GPU, for the verdicts that stand here" in said
