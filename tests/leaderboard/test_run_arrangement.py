"""The runs of a kernel in another order and with fewer columns: on its page, in its files, in one address."""

import csv
import io
import re
from datetime import timedelta

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_markup import mistakes
from page_reading import found_in, text_of
from pytest_django import DjangoAssertNumQueries
from site_fixtures import signed_in

from evaluation.models import Run, Turn

pytestmark = pytest.mark.django_db

MHA = "mha_bwd_d128"


@pytest.fixture
def kernel() -> str:
    """The hash of a kernel with three runs that ended and one that waits, which only insiders see."""
    entry = rows.judged(["p"], ratio=0.5, judge="9", device="h200")
    turn = Turn.objects.get(trajectory__entry=entry)
    assert turn.kernel is not None
    first = Run.objects.get()
    changes = {"created_at": AT - timedelta(hours=3), "finished_at": AT, "gpu_seconds": 5.0}
    Run.objects.filter(pk=first.pk).update(**changes)
    earlier = {"created_at": AT - timedelta(hours=2), "finished_at": AT - timedelta(hours=1)}
    rows.run(turn, "p", ratio=0.75, judge="10", device="b200", gpu_seconds=1.0, **earlier)
    rows.run(turn, "-", judge="8", device="h100", gpu_seconds=9.0, created_at=AT)
    rows.run(turn, "o", judge="11")
    assert Run.objects.count() == 4
    return turn.kernel.sha256


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, text_of(answer.content.decode())[-300:]
    page = answer.content.decode()
    assert mistakes(page) == []
    return page


def table_on(page: str) -> list[list[str]]:
    """The words of each cell, the head first."""
    table = page[page.index('id="judged"') :]
    table = table[table.index("<table>") : table.index("</table>")]
    return [
        [text_of(cell) for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
    ]


def saved(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode(), newline="")))


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("", ["8", "10", "9"]),
        ("judge", ["10", "9", "8"]),
        ("-judge", ["8", "9", "10"]),
        ("device", ["10", "8", "9"]),
        ("-device", ["9", "8", "10"]),
        ("verdict", ["10", "9", "8"]),
        ("-verdict", ["8", "10", "9"]),
        ("ratio", ["10", "9", "8"]),
        ("-ratio", ["9", "10", "8"]),
        ("gpu", ["8", "9", "10"]),
        ("-gpu", ["10", "9", "8"]),
        ("ended", ["8", "9", "10"]),
        ("-ended", ["10", "8", "9"]),
    ],
)
def test_runs_stand_in_the_order_that_is_asked_for_on_the_page_and_in_its_files(
    client: Client, kernel: str, sort: str, expected: list[str]
) -> None:
    query = f"?sort={sort}" if sort else ""
    _, *lines = table_on(page_of(client, f"/kernels/{kernel}/{query}"))
    assert [line[5] for line in lines] == expected
    assert [one["judge"] for one in saved(client, f"/kernels/{kernel}/runs.csv{query}")] == expected


def test_an_order_tells_nobody_of_a_run_that_waits_and_puts_it_last_for_its_owner(
    client: Client, kernel: str
) -> None:
    for sort in ("device", "-ended", "verdict"):
        query = f"/kernels/{kernel}/runs.csv?sort={sort}"
        assert "11" not in {one["judge"] for one in saved(client, query)}
        judges = [one["judge"] for one in saved(signed_in(owns_all=True), query)]
        assert len(judges) == 4
        assert judges[-1] == "11"


def test_columns_are_left_out_on_the_page_and_in_its_files(client: Client, kernel: str) -> None:
    query = "?sort=gpu&columns=judge.gpu"
    page = page_of(client, f"/kernels/{kernel}/{query}")
    head, *lines = table_on(page)
    assert head == ["Run", "Judge", "GPU ▼"]
    assert [line[1:] for line in lines] == [["8", "9.0 s"], ["9", "5.0 s"], ["10", "1.0 s"]]
    names = list(saved(client, f"/kernels/{kernel}/runs.csv{query}")[0])
    assert {"run", "judge", "in_effect", "gpu_seconds", "kernel_sha256"} <= set(names)
    assert not {"problem", "device", "verdict", "ratio", "family", "finished_at"} & set(names)
    links = found_in(page).links
    assert f"/kernels/{kernel}/runs.csv{query}" in links
    assert "?sort=-gpu&columns=judge.gpu#judged" in links
    boxes = re.findall(r'name="columns" value="(\w+)" checked', page)
    assert boxes == ["judge", "gpu"]


def test_the_evidence_is_of_the_newest_run_in_any_order(client: Client, kernel: str) -> None:
    def evidence(address: str) -> str:
        page = client.get(address).content.decode()
        return page[page.index('<h2 id="source"') :]

    assert evidence(f"/kernels/{kernel}/?sort=ratio") == evidence(f"/kernels/{kernel}/")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            "sort=run",
            "Nothing is ordered by “run”. There are: verdict, ratio, problem, device, judge",
        ),
        ("columns=run", "There is no column “run”. There are: verdict, ratio, problem, device"),
        ("start=5", "There is no filter “start”. There are: sort, columns"),
    ],
)
def test_what_is_on_no_list_is_refused_in_words(
    client: Client, kernel: str, query: str, sentence: str
) -> None:
    for tail in ("/", "/runs.csv"):
        answer = client.get(f"/kernels/{kernel}{tail}?{query}")
        assert answer.status_code == 400
        assert sentence in text_of(answer.content.decode())


def test_a_form_leads_to_the_one_address_and_one_run_needs_none(
    client: Client, kernel: str
) -> None:
    for tail in ("/", "/runs.json"):
        answer = client.get(f"/kernels/{kernel}{tail}?columns=gpu&columns=judge&sort=")
        assert answer["Location"] == f"/kernels/{kernel}{tail}?columns=judge.gpu"
    rows.judged(["p"], MHA)
    turn = Turn.objects.get(trajectory__problem=MHA)
    assert turn.kernel is not None
    page = page_of(client, f"/kernels/{turn.kernel.sha256}/")
    assert 'name="sort"' not in page
    assert "?sort=" not in page
    assert table_on(page)[0][1] == "Verdict"
    assert 'name="sort"' in page_of(client, f"/kernels/{turn.kernel.sha256}/?columns=gpu")


def test_problems_of_runs_order_them(client: Client, kernel: str) -> None:
    found = Run.objects.get(judge="9")
    Run.objects.filter(pk=found.pk).update(problem=MHA)
    for sort, expected in (("problem", [GEMM, GEMM, MHA]), ("-problem", [MHA, GEMM, GEMM])):
        file = saved(client, f"/kernels/{kernel}/runs.csv?sort={sort}")
        assert [one["problem"] for one in file] == expected


def test_another_order_of_runs_costs_no_more_queries(
    client: Client, kernel: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(10):
        page_of(client, f"/kernels/{kernel}/")
    with django_assert_num_queries(10):
        page_of(client, f"/kernels/{kernel}/?sort=-ratio&columns=ratio")
