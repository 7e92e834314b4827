"""Boards in the order of another column, and with fewer columns: on the page, in its files, and in one address."""

import csv
import io
import re
from importlib import import_module

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import Standing
from leaderboard.projection import rebuild
from leaderboard.selectors import board_order

pytestmark = pytest.mark.django_db

CORRECTNESS = f"/boards/correctness/hopper/?problem={GEMM}&T=4"
INSTRUCTION = f"/boards/instruction/hopper/?problem={GEMM}&T=4"
SPEED = f"/boards/speed/h200/?problem={GEMM}&T=4"


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, text_of(answer.content.decode())[-300:]
    page = answer.content.decode()
    strictly(page)
    return page


def names_on(page: str) -> list[str]:
    table = page[page.index('<table class="board">') :]
    body = table[table.index("<tbody>") : table.index("</tbody>")]
    return re.findall(r'<th scope="row"><a [^>]*><bdi>(.*?)</bdi>', body)


def heads_on(page: str) -> list[str]:
    table = page[page.index('<table class="board">') :]
    head = table[: table.index("</thead>")]
    return [text_of(one) for one in re.findall(r"<th .*?</th>", head, re.DOTALL)]


def saved(client: Client, address: str) -> list[dict[str, str]]:
    path, _, query = address.partition("?")
    answer = client.get(f"{path.removesuffix('/')}.csv?{query}")
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def put_on_boards() -> None:
    """Quick is rarely right, Steady often, Both in between; by trajectories and by turns they differ."""
    for name, words, ratio in (
        ("Quick", ["p---", "----", "----", "----", "----"], 2.0),
        ("Steady", ["pppp", "pppp", "----", "----", "----"], 0.5),
        ("both", ["p---", "p---", "f---", "f---", "----"], 1.0),
    ):
        rows.judged(words, model=rows.model(name=name), ratio=ratio)
    rebuild(at=AT)


@pytest.mark.parametrize(
    ("address", "sort", "expected"),
    [
        (SPEED, "", ["Quick", "both", "Steady"]),
        (SPEED, "ratio", ["Quick", "both", "Steady"]),
        (SPEED, "-ratio", ["Steady", "both", "Quick"]),
        (SPEED, "median", ["Quick", "both", "Steady"]),
        (SPEED, "times", ["Quick", "both", "Steady"]),
        (SPEED, "who", ["both", "Quick", "Steady"]),
        (SPEED, "-who", ["Steady", "Quick", "both"]),
        (SPEED, "correct", ["Steady", "both", "Quick"]),
        (SPEED, "-correct", ["Quick", "both", "Steady"]),
        (f"{SPEED}&p=0.25", "fast", ["Steady", "both", "Quick"]),
        (f"{SPEED}&p=0.75", "fast", ["both", "Quick", "Steady"]),
        (CORRECTNESS, "correct", ["Steady", "both", "Quick"]),
        (CORRECTNESS, "solved", ["both", "Steady", "Quick"]),
        (INSTRUCTION, "family_solved", ["both", "Steady", "Quick"]),
        (INSTRUCTION, "-path_correct", ["Quick", "both", "Steady"]),
    ],
    ids=lambda value: value if isinstance(value, str) and "/" not in value else "",
)
def test_rows_stand_in_the_order_that_is_asked_for_on_the_page_and_in_its_file(
    client: Client, address: str, sort: str, expected: list[str]
) -> None:
    put_on_boards()
    asked = f"{address}&sort={sort}" if sort else address
    assert names_on(page_of(client, asked)) == expected
    assert [one["model"] for one in saved(client, asked)] == expected


def test_ranks_stay_what_they_are_and_the_page_says_so(client: Client) -> None:
    put_on_boards()
    ranks = {one["model"]: one["rank_low"] for one in saved(client, SPEED)}
    assert ranks == {"Quick": "1", "both": "2", "Steady": "3"}
    page = page_of(client, f"{SPEED}&sort=who")
    assert "Ordered by a column that is not the rank; ranks stay what they are." in text_of(page)
    assert {one["model"]: one["rank_low"] for one in saved(client, f"{SPEED}&sort=who")} == ranks
    body = text_of(page[page.index("<tbody>") : page.index("</tbody>")])
    assert body.startswith("2 both")
    assert f"?problem={GEMM}&T=4" in found_in(page).links


def test_the_head_of_a_column_orders_by_it_then_the_other_way_then_by_rank(client: Client) -> None:
    put_on_boards()
    links = found_in(page_of(client, SPEED)).links
    assert f"?problem={GEMM}&T=4&sort=median" in links
    page = page_of(client, f"{SPEED}&sort=median")
    assert f"?problem={GEMM}&T=4&sort=-median" in found_in(page).links
    assert page.count("aria-sort=") == 1
    assert re.search(r'aria-sort="descending"><a [^>]*>Median of correct turns ▼', page)
    page = page_of(client, f"{SPEED}&sort=-median")
    assert re.search(rf'aria-sort="ascending"><a href="\?problem={GEMM}&amp;T=4"', page)
    page = page_of(client, f"{SPEED}&sort=times")
    assert re.search(r'aria-sort="ascending"><a [^>]*>Kernel / vendor ▲', page)


def test_rows_without_a_value_come_last_either_way(client: Client) -> None:
    put_on_boards()
    rows.judged(["----"] * 5, model=rows.model(name="Never"))
    rebuild(at=AT)
    for sort in ("median", "-median", "times", "-times"):
        assert names_on(page_of(client, f"{SPEED}&sort={sort}"))[-1] == "Never"


def test_only_the_columns_that_are_asked_for_stand_on_the_page_and_in_its_file(
    client: Client,
) -> None:
    put_on_boards()
    address = f"{SPEED}&columns=times.correct"
    page = page_of(client, address)
    assert heads_on(page) == ["Rank", "Who", "Kernel / vendor", "correct@T"]
    cells = re.findall(r"<t[dh][ >]", page[page.index("<tbody>") : page.index("</tbody>")])
    assert len(cells) == 3 * 4
    names = set(saved(client, address)[0])
    assert {"model", "rank_low", "candidate_ns", "vendor_ns", "correct_share"} <= names
    assert not {"best_ratio", "median_ratio", "fast_share", "beside_struck", "measured_on"} & names
    everything = set(saved(client, SPEED)[0])
    assert {"best_ratio", "median_ratio", "fast_share", "beside_struck", "measured_on"} < everything


def test_a_form_with_a_box_a_column_leads_to_the_one_address(client: Client) -> None:
    put_on_boards()
    answer = client.get(f"{SPEED}&columns=correct&columns=ratio&columns=ratio&sort=")
    assert (answer.status_code, answer["Location"]) == (302, f"{SPEED}&columns=ratio.correct")
    every = "".join(f"&columns={one.key}" for one in client.get(SPEED).context["column_choices"])
    assert client.get(SPEED + every)["Location"] == SPEED
    page = page_of(client, f"{SPEED}&columns=ratio.correct")
    boxes = re.findall(r'name="columns" value="(\w+)"( checked)?', page)
    assert [name for name, checked in boxes if checked] == ["ratio", "correct"]
    assert f"?problem={GEMM}&T=4&sort=who&columns=ratio.correct" in found_in(page).links


@pytest.mark.parametrize(
    ("address", "query", "sentence"),
    [
        (SPEED, "sort=colour", "Nothing is ordered by “colour”. There are: who, ratio"),
        (SPEED, "sort=--ratio", "Nothing is ordered by “--ratio”"),
        (SPEED, "sort=beside", "Nothing is ordered by “beside”"),
        (SPEED, "sort=who&sort=ratio", "stands in the address more than once"),
        (
            CORRECTNESS,
            "sort=ratio",
            "Nothing is ordered by “ratio”. There are: who, correct, solved",
        ),
        (CORRECTNESS, "columns=median", "There is no column “median”. There are: correct, solved"),
        (SPEED, "columns=ratio,who", "There is no column “ratio,who”"),
    ],
    ids=["unknown", "twice reversed", "no figure", "two", "other board", "other column", "commas"],
)
def test_an_order_or_a_column_that_is_on_no_list_is_refused_in_words(
    client: Client, address: str, query: str, sentence: str
) -> None:
    answer = client.get(f"{address}&{query}")
    assert answer.status_code == 400
    assert sentence in text_of(answer.content.decode())


def test_a_held_kernel_moves_no_row_in_any_order(client: Client) -> None:
    rows.judged(["p---", *["----"] * 4], model=rows.model(name="Plain"), ratio=0.5)
    held = rows.judged(["h---", *["----"] * 4], model=rows.model(name="Held"), ratio=4.0)
    rebuild(at=AT)
    assert Standing.objects.filter(entry=held).exists()
    for sort in ("ratio", "times", "median", "fast", "correct"):
        page = page_of(client, f"{SPEED}&p=0.25&sort={sort}")
        assert names_on(page) in (["Plain"], ["Plain", "Held"])
        assert "4.000×" not in page


@pytest.mark.parametrize("sort", ["who", "ratio", "fast", "correct"])
def test_another_order_costs_at_most_six_queries(
    client: Client, sort: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(12):
        rows.judged(["pf--", "p---", "----", "-p--", "f---"])
    rebuild(at=AT)
    with django_assert_max_num_queries(6):
        page_of(client, f"{SPEED}&sort={sort}")


def test_a_board_too_long_for_an_order_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_boards()
    monkeypatch.setattr(board_order, "MOST_READ", 2)
    for address in (f"{SPEED}&sort=fast", SPEED.replace("/?", ".csv?") + "&sort=fast"):
        answer = client.get(address)
        assert answer.status_code == 400
        assert "more than 2 rows is not ordered by this column" in text_of(answer.content.decode())
    assert client.get(f"{SPEED}&sort=who").status_code == 200


def rows_a_page(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("selectors.board_page", "views.board_views", "views.asked"):
        monkeypatch.setattr(import_module(f"leaderboard.{module}"), "MOST_ROWS", most)


def test_the_rows_of_the_next_page_go_on_in_the_same_order(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_boards()
    rows_a_page(2, monkeypatch)
    for sort, expected in (
        ("who", ["both", "Quick", "Steady"]),
        ("correct", ["Steady", "both", "Quick"]),
    ):
        page = page_of(client, f"{SPEED}&sort={sort}")
        assert names_on(page) == expected[:2]
        following = f"?problem={GEMM}&T=4&sort={sort}&start=2"
        assert following in found_in(page).links
        assert names_on(page_of(client, f"/boards/speed/h200/{following}")) == expected[2:]


def test_the_link_to_the_next_rows_leads_to_the_end_of_the_board(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_boards()
    rows_a_page(1, monkeypatch)
    address, found = SPEED, []
    for start in (1, 2, 3):
        page = page_of(client, address)
        found += names_on(page)
        address = f"{SPEED}&start={start}"
        assert (address.partition("/?")[2] in " ".join(found_in(page).links)) is (start < 3)
    assert sorted(found) == ["Quick", "Steady", "both"]
