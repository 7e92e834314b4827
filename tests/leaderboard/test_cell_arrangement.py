"""Every cell of a model or an entry in another order and with fewer columns: on the page, in its files, in one address."""

import csv
import io
import re

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_markup import mistakes
from page_reading import found_in, text_of
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Entry
from leaderboard.projection import rebuild

pytestmark = pytest.mark.django_db

MHA = "mha_bwd_d128"
GEMM_1, GEMM_4, MHA_1, MHA_4 = (GEMM, "1"), (GEMM, "4"), (MHA, "1"), (MHA, "4")
CELLS = "/models/quartz/cells/"
SPEED = f"{CELLS}?kind=speed"


@pytest.fixture
def quartz() -> Entry:
    """One entry, right at a GEMM with its first turn and at an attention with its second; another model is faster."""
    made = rows.judged(["pp--"] * 5, model=rows.model(slug="quartz", name="Quartz"), ratio=0.75)
    rows.add_turns(made, ["-p--"] * 5, MHA, ratio=0.5)
    rows.judged(["pp--"] * 5, model=rows.model(slug="opal", name="Opal"), ratio=2.0)
    rebuild(at=AT)
    return made


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, text_of(answer.content.decode())[-300:]
    page = answer.content.decode()
    assert mistakes(page) == []
    return page


def tables_on(page: str) -> dict[str, list[str]]:
    """The words of the rows of each table by its heading."""
    found = re.findall(r"<h2>(.*?)</h2>.*?<tbody>(.*?)</tbody>", page, re.DOTALL)
    return {
        name: [text_of(one) for one in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)]
        for name, body in found
    }


def heads_on(page: str) -> list[str]:
    head = page[page.index("<thead>") : page.index("</thead>")]
    return [text_of(one) for one in re.findall(r"<th .*?</th>", head, re.DOTALL)]


def saved(client: Client, address: str) -> list[dict[str, str]]:
    path, _, query = address.partition("?")
    answer = client.get(f"{path.removesuffix('/')}.csv?{query}")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode(), newline="")))


@pytest.mark.parametrize(
    ("kind", "sort", "expected"),
    [
        ("correctness", "", [GEMM_1, GEMM_4, MHA_1, MHA_4]),
        ("correctness", "T", [GEMM_1, MHA_1, GEMM_4, MHA_4]),
        ("correctness", "-T", [GEMM_4, MHA_4, GEMM_1, MHA_1]),
        ("correctness", "problem", [GEMM_1, GEMM_4, MHA_1, MHA_4]),
        ("correctness", "-problem", [MHA_1, MHA_4, GEMM_1, GEMM_4]),
        ("correctness", "value", [GEMM_1, GEMM_4, MHA_4, MHA_1]),
        ("correctness", "-value", [MHA_1, MHA_4, GEMM_4, GEMM_1]),
        ("speed", "value", [GEMM_1, GEMM_4, MHA_4, MHA_1]),
        ("speed", "-value", [MHA_4, GEMM_1, GEMM_4, MHA_1]),
        ("speed", "rank", [MHA_4, GEMM_1, GEMM_4, MHA_1]),
        ("speed", "-rank", [GEMM_1, GEMM_4, MHA_4, MHA_1]),
    ],
)
def test_cells_stand_in_the_order_that_is_asked_for_on_the_page_and_in_its_files(
    client: Client, quartz: Entry, kind: str, sort: str, expected: list[tuple[str, str]]
) -> None:
    query = f"kind={kind}" + (f"&sort={sort}" if sort else "")
    for path in (CELLS, f"/entries/{quartz.uid}/cells/"):
        file = saved(client, f"{path}?{query}")
        assert [(one["problem"], one["turn_limit"]) for one in file] == expected
        (there,) = tables_on(page_of(client, f"{path}?{query}")).values()
        assert len(there) == len(expected)
        for line, (problem, turns) in zip(there, expected, strict=True):
            assert line.startswith(f"{problem} ")
            assert f" {turns} " in line


def test_no_order_mixes_findings_or_provenances_or_changes_a_rank(
    client: Client, quartz: Entry
) -> None:
    there = tables_on(page_of(client, CELLS))
    assert list(there) == [
        f"{one}, verified by us" for one in ("Correctness", "Instruction", "Speed")
    ]
    ordered = tables_on(page_of(client, f"{CELLS}?sort=-value"))
    assert {name: sorted(lines) for name, lines in ordered.items()} == {
        name: sorted(lines) for name, lines in there.items()
    }
    assert list(ordered) == list(there)
    ranks = {(one["board"], one["turn_limit"]): one["rank_low"] for one in saved(client, SPEED)}
    assert sorted(ranks.values()) == ["", "1", "2", "2"]
    again = saved(client, f"{SPEED}&sort=-rank")
    assert {(one["board"], one["turn_limit"]): one["rank_low"] for one in again} == ranks


def test_suites_come_after_problems_and_unranked_cells_after_ranked_ones_either_way(
    client: Client, quartz: Entry
) -> None:
    for problem in rows.PAPER_SUITE[2:]:
        rows.add_turns(quartz, ["-p--"] * 5, problem, ratio=0.5)
    rebuild(at=AT)
    for sort in ("problem", "-problem"):
        suites = [one["suite"] for one in saved(client, f"{SPEED}&sort={sort}")]
        assert suites == sorted(suites)
        assert set(suites) == {"", "paper"}
    for sort in ("rank", "-rank"):
        ranked = [bool(one["rank_low"]) for one in saved(client, f"{SPEED}&sort={sort}")]
        assert ranked == sorted(ranked, reverse=True)
        assert len(set(ranked)) == 2


def test_columns_are_left_out_on_the_page_and_in_its_files(client: Client, quartz: Entry) -> None:
    address = f"{SPEED}&sort=value&columns=rank"
    page = page_of(client, address)
    assert heads_on(page) == ["Problem", "T", "Best ratio ▼", "Rank", "Device"]
    names = set(saved(client, address)[0])
    assert {"problem", "device", "turn_limit", "rank_low", "rank_high", "best_ratio"} <= names
    assert not {"entry", "harness", "candidate_ns", "correct_share", "beside_struck"} & names
    other = set(saved(client, f"{CELLS}?kind=instruction&columns=entry.beside")[0])
    assert {"entry", "harness", "beside_struck", "family_correct_share"} <= other
    assert not {"rank_low", "unranked_why", "family_solved_share", "path_correct_share"} & other
    everything = set(saved(client, f"{CELLS}?kind=instruction")[0])
    assert {"rank_low", "unranked_why", "family_solved_share", "entry"} < everything
    assert "/models/quartz/cells.csv?kind=speed&sort=value&columns=rank" in found_in(page).links


def test_heads_and_form_keep_the_filters_and_the_columns(client: Client, quartz: Entry) -> None:
    page = page_of(client, f"{SPEED}&columns=rank.beside")
    assert "?kind=speed&sort=value&columns=rank.beside" in found_in(page).links
    assert page.count("aria-sort=") == 0
    page = page_of(client, f"{SPEED}&sort=value&columns=rank.beside")
    assert "?kind=speed&sort=-value&columns=rank.beside" in found_in(page).links
    assert re.search(r'aria-sort="descending"><a [^>]* rel="nofollow">Best ratio ▼', page)
    assert "ordered by “Best ratio or value”. In the order of boards again" in text_of(page)
    boxes = re.findall(r'name="columns" value="(\w+)"( checked)?', page)
    assert [name for name, _ in boxes] == ["rank", "entry", "rest", "beside"]
    assert [name for name, checked in boxes if checked] == ["rank", "beside"]
    answer = client.get(f"{SPEED}&columns=beside&columns=rank&sort=&start=0")
    assert answer["Location"] == f"{SPEED}&columns=rank.beside"
    answer = client.get("/models/quartz/cells.csv?columns=beside&columns=rank&kind=speed")
    assert answer["Location"] == "/models/quartz/cells.csv?kind=speed&columns=rank.beside"


@pytest.mark.parametrize("sort", ["value", "-rank", "T", "place"])
def test_the_pages_of_cells_go_on_in_the_same_order_and_show_every_cell_once(
    client: Client, quartz: Entry, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    def keys(file: list[dict[str, str]]) -> list[tuple[str, str]]:
        return [(one["board"], one["turn_limit"]) for one in file]

    whole = keys(saved(client, f"{CELLS}?sort={sort}"))
    assert len(set(whole)) == 12
    for module in ("selectors.cells", "views.cell_views"):
        monkeypatch.setattr(f"leaderboard.{module}.CELLS_A_PAGE", 5)
    found, address = [], f"{CELLS}?sort={sort}&columns=rank"
    for start in (5, 10, 15):
        links = found_in(page_of(client, address)).links
        found += keys(saved(client, address.replace("&columns=rank", "")))
        following = f"?sort={sort}&columns=rank&start={start}"
        assert (following in links) is (start < 15)
        address = CELLS + following
    assert found == whole


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            "sort=beauty",
            "Nothing is ordered by “beauty”. There are: problem, T, value, rank, place.",
        ),
        ("sort=entry", "Nothing is ordered by “entry”."),
        ("columns=value", "There is no column “value”. There are: rank, entry, rest, beside."),
    ],
)
def test_an_order_or_a_column_that_is_on_no_list_is_refused_in_words(
    client: Client, quartz: Entry, query: str, sentence: str
) -> None:
    for path in (CELLS, "/models/quartz/cells.csv", f"/entries/{quartz.uid}/cells/"):
        answer = client.get(f"{path}?{query}")
        assert answer.status_code == 400
        assert sentence in text_of(answer.content.decode())


def test_a_held_kernel_has_no_value_in_any_order(client: Client, quartz: Entry) -> None:
    held = rows.PAPER_SUITE[3]
    rows.add_turns(quartz, ["h---"] * 5, held, ratio=9.0)
    rebuild(at=AT)
    for sort in ("value", "-value", "rank", "-rank"):
        file = saved(client, f"{SPEED}&sort={sort}")
        assert [one["best_ratio"] for one in file if one["problem"] == held] == ["", ""]
        assert {one["problem"] for one in file[-3:]} == {held, MHA}
        assert "9.0" not in {one["best_ratio"] for one in file}
        assert "9.000×" not in page_of(client, f"{SPEED}&sort={sort}")


def test_another_order_of_cells_costs_no_more_queries(
    client: Client, quartz: Entry, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(4):
        page_of(client, CELLS)
    for sort in ("value", "-rank", "problem"):
        with django_assert_num_queries(4):
            page_of(client, f"{CELLS}?sort={sort}&columns=rank")
