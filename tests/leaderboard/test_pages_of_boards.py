"""Pages of boards: figures counted by hand, provenance apart, filters in the address, what may be cached."""

import re

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Hold, PaperCell
from leaderboard.projection import rebuild, refresh_kernels
from leaderboard.selectors.board_page import MOST_ROWS

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

# 20 turns, 5 correct, of which 3 by the matrix path; 4 of 5 trajectories solved, 3 by the path.
FIVE = ["pf--", "p---", "----", "-p--", "f---"]
CORRECTNESS = f"/boards/correctness/hopper/?problem={GEMM}&T=4"
INSTRUCTION = f"/boards/instruction/hopper/?problem={GEMM}&T=4"
SPEED = f"/boards/speed/h200/?problem={GEMM}&T=4"


def words(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, answer
    return text_of(answer.content.decode())


def row_of(page: str, name: str) -> str:
    """The words of the table row of this model."""
    found = re.search(rf"<tr>(?:(?!</tr>).)*{re.escape(name)}.*?</tr>", page, re.DOTALL)
    assert found is not None, name
    return text_of(found[0])


def test_the_correctness_board_shows_turns_and_trajectories_with_what_they_are_counted_of(
    client: Client,
) -> None:
    rows.judged(FIVE, model=rows.model(name="Quartz"))
    rebuild(at=AT)
    row = row_of(client.get(CORRECTNESS).content.decode(), "Quartz")
    assert "25.0 %" in row
    assert "5 of 20 turns" in row
    assert "80.0 %" in row
    assert "4 of 5 trajectories" in row
    assert row.endswith("H200")


def test_the_instruction_board_shows_family_and_matrix_path_beside_each_other(
    client: Client,
) -> None:
    rows.judged(FIVE, model=rows.model(name="Quartz"))
    rebuild(at=AT)
    row = row_of(client.get(INSTRUCTION).content.decode(), "Quartz")
    assert "5 of 20 turns" in row
    assert "15.0 %" in row
    assert "3 of 20 turns" in row
    assert "3 of 5 trajectories" in row


def test_the_speed_board_shows_the_ratio_with_its_interval_both_times_and_the_way_to_the_kernel(
    client: Client,
) -> None:
    entry = rows.judged(FIVE, model=rows.model(name="Quartz"), ratio=0.5)
    rebuild(at=AT)
    page = client.get(f"{SPEED}&p=0.25").content.decode()
    row = row_of(page, "Quartz")
    assert "0.5000× 0.4375× to 0.5625×" in row
    assert "400 ns 200 ns" in row
    assert "25.0 % 5 of 20" in row  # Fast_0.25: all five correct turns
    links = found_in(page).links
    assert any(re.fullmatch(r"/kernels/[0-9a-f]{64}/", one) for one in links)
    assert f"/entries/{entry.uid}/" in links
    assert any(re.fullmatch(r"/trajectories/[0-9a-f-]{36}/#turn-1", one) for one in links)


def test_ranks_are_ranges_where_intervals_overlap(client: Client) -> None:
    for name, ratio in (("Low", 0.5), ("Near", 0.51), ("High", 2.0)):
        rows.judged(["p---"] * 5, model=rows.model(name=name), ratio=ratio)
    rebuild(at=AT)
    page = client.get(SPEED).content.decode()
    assert row_of(page, "High").startswith("1 High")
    assert row_of(page, "Near").startswith("2–3 Near")
    assert row_of(page, "Low").startswith("2–3 Low")


def test_an_unranked_row_says_why_and_a_held_turn_is_one_without_a_verdict(client: Client) -> None:
    rows.judged(["h---", *["----"] * 4], model=rows.model(name="Held"))
    rows.judged(["o---", *["----"] * 4], model=rows.model(name="Open"))
    rows.judged(["p---"] * 4, model=rows.model(name="Few"))
    rebuild(at=AT)
    page = client.get(CORRECTNESS).content.decode()
    held, waits = row_of(page, "Held"), row_of(page, "Open")
    assert "provisional: turns are open" in held
    assert "1 open, provisional" in held
    assert held.replace("Held", "Open").replace("H200", "") == waits.replace("H200", "")
    assert "fewer than five trajectories" in row_of(page, "Few")


def test_what_left_the_numbers_is_counted_beside_them(client: Client) -> None:
    rows.judged(["pams", *["----"] * 4], model=rows.model(name="Beryl"))
    rebuild(at=AT)
    row = row_of(client.get(CORRECTNESS).content.decode(), "Beryl")
    assert "1 of 18 turns, 20 declared" in row
    assert "1 we could not judge; 1 without a source; 1 struck, counted as not correct" in row


def test_values_of_a_publication_stand_on_a_page_of_their_own_and_rank_nowhere(
    client: Client,
) -> None:
    rows.judged(FIVE, model=rows.model(name="Quartz"))
    PaperCell.objects.create(
        publication="PTXBench paper",
        model=rows.model(name="Printed"),
        target="hopper",
        device="h100",
        problem=GEMM,
        experiment="main",
        main=True,
        turn_limit=8,
        metric="correct_at",
        numerator=91,
        denominator=96,
    )
    rebuild(at=AT)
    address = f"/boards/correctness/hopper/?problem={GEMM}&provenance=paper"
    page = client.get(address).content.decode()
    row = row_of(page, "Printed")
    assert row.startswith("– Printed PTXBench paper 94.8 % 91 of 96 turns")
    assert row.endswith("H100, as published")
    assert "Quartz" not in page
    assert "Printed" not in client.get(CORRECTNESS).content.decode()


@pytest.mark.parametrize(
    "address",
    [CORRECTNESS, INSTRUCTION, SPEED, f"{SPEED}&track=model&sort=fast"],
    ids=["correctness", "instruction", "speed", "speed of a track in another order"],
)
def test_a_board_page_costs_at_most_six_queries(
    client: Client, address: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(MOST_ROWS + 1):
        rows.judged(["p---"])
    rebuild(at=AT)
    with django_assert_max_num_queries(6):
        answer = client.get(address)
    assert f"{MOST_ROWS + 1} rows." in text_of(answer.content.decode())


def test_a_visitor_who_has_the_page_costs_one_query_and_gets_nothing(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    first = client.get(SPEED)
    assert first["Cache-Control"] == "public, max-age=10"
    with django_assert_num_queries(1):
        again = client.get(SPEED, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert "Cookie" in again["Vary"]


def test_a_change_of_the_board_makes_another_tag(client: Client) -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    before = client.get(SPEED)["ETag"]
    entry = rows.judged(FIVE, ratio=2.0)
    turn = entry.trajectory_rows.earliest("pk").turns.earliest("number")
    rebuild(at=AT)
    between = client.get(SPEED)["ETag"]
    rows.hold(turn)
    assert Hold.objects.count() == 1
    assert turn.kernel_id is not None
    refresh_kernels({turn.kernel_id}, at=AT)
    assert len({before, between, client.get(SPEED)["ETag"]}) == 3


def test_a_page_for_somebody_signed_in_is_cached_nowhere_and_never_unchanged(
    client: Client,
) -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    tag = client.get(SPEED)["ETag"]
    answer = signed_in().get(SPEED, headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert "private" in answer["Cache-Control"]
    assert "ETag" not in answer


def test_what_one_visitor_was_told_is_kept_out_of_caches(client: Client) -> None:
    client.cookies["messages"] = "something"
    answer = client.get("/")
    assert "private" in answer["Cache-Control"]


def test_the_address_is_written_in_one_way(client: Client) -> None:
    answer = client.get(
        f"/boards/speed/h200/?provenance=verified&track=&T=4&problem={GEMM}&p=1&language=cuda"
    )
    assert (answer.status_code, answer["Location"]) == (302, SPEED)


@pytest.mark.parametrize(
    ("written", "one_way"),
    [
        ("p=.5", "p=0.5"),
        ("p=0.50", "p=0.5"),
        ("p=00.5", "p=0.5"),
        ("p=0.1200", "p=0.12"),
        ("p=.0001", "p=0.0001"),
        ("p=099.9999", "p=99.9999"),
        ("p=1.0", ""),
        ("p=01", ""),
        ("p=1.", ""),
        ("start=49", ""),
        ("start=50", "start=50"),
        ("start=149", "start=100"),
        ("start=9999999", "start=9999950"),
    ],
    ids=lambda value: value or "nothing",
)
def test_a_number_is_written_in_one_way(client: Client, written: str, one_way: str) -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    expected = f"{SPEED}&{one_way}".rstrip("&")
    if written != one_way:
        assert client.get(f"{SPEED}&{written}")["Location"] == expected
    assert client.get(expected).status_code == 200


def test_a_page_behind_the_last_row_reads_none_in_any_order(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    for sort in ("", "&sort=who", "&sort=fast"):
        with django_assert_num_queries(3):  # the revision, the boards and how many rows there are
            answer = client.get(f"{SPEED}{sort}&start=50")
        assert "behind the last of 1 row. The first rows" in text_of(answer.content.decode())


def test_a_page_behind_the_last_row_leads_to_no_other_turn_limit(client: Client) -> None:
    rows.judged(["pppppppp"] * 5)
    rebuild(at=AT)
    said = words(client, f"/boards/correctness/hopper/?problem={GEMM}&start=50")
    assert "This page begins behind the last of 1 row." in said
    saved = client.get(f"/boards/correctness/hopper.csv?problem={GEMM}&start=50")
    assert saved.status_code == 200


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("T=0", "takes a number from 1 to"),
        ("T=eight", "takes a whole number, not “eight”"),
        ("T=8&T=9", "more than once"),
        ("colour=red", "There is no filter “colour”"),
        ("problem=nothing", "There is no problem “nothing”"),
        ("suite=nothing", "There is no suite “nothing”"),
        (f"suite=paper&problem={GEMM}", "a problem and a suite"),
        ("track=cat", "“cat” is no track"),
        ("provenance=mixed", "“mixed” is no provenance"),
        ("language=basic", "“basic” is no language"),
        ("p=0", "p is a number above 0"),
        ("p=inf", "p is a number above 0"),
        ("p=100.0001", "p is a number above 0"),
        ("p=.00001", "p has at most 4 decimals"),
        ("p=" + "1" * 90, "is too long"),
        ("start=-1", "takes a whole number"),
        ("T=%3Cscript%3E", "takes a whole number, not “<script>”"),
    ],
    ids=lambda value: value[:24] if "=" in value else "said",
)
def test_a_filter_that_is_on_no_list_is_refused_in_words(
    client: Client, query: str, sentence: str
) -> None:
    answer = client.get(f"/boards/speed/h200/?{query}")
    assert answer.status_code == 400
    assert sentence in text_of(answer.content.decode())
    assert b"<script>" not in answer.content


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/boards/speed/rtx-4090/", "There is no device “rtx-4090”. There are: B200"),
        ("/boards/instruction/ampere/", "There is no target “ampere”. There are: Hopper"),
    ],
)
def test_a_board_that_is_none_is_not_there_and_says_which_there_are(
    client: Client, address: str, sentence: str
) -> None:
    answer = client.get(address)
    assert answer.status_code == 404
    assert sentence in text_of(answer.content.decode())


def test_an_empty_board_says_what_would_fill_it_and_where_there_is_something(
    client: Client, seeded: Seeded
) -> None:
    said = words(client, "/boards/correctness/hopper/?provenance=paper")
    assert "No published value stands here yet." in said
    assert f"{GEMM} : T = 8, published" in said
    said = words(client, "/boards/speed/b200/")
    assert "An entry stands on the board of a suite when every problem" in said


def test_a_turn_limit_that_nobody_declared_says_which_there_are(client: Client) -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    said = words(client, f"/boards/correctness/hopper/?problem={GEMM}&T=64")
    assert "Nobody stands here at T = 64. There are rows at T = 1 , 4 ." in said
    answer = client.get(f"/boards/correctness/hopper/?problem={GEMM}")
    assert answer["Location"].endswith(f"?problem={GEMM}&T=4")


def test_the_first_page_has_the_leader_of_each_finding_apart(
    client: Client, seeded: Seeded
) -> None:
    page = client.get("/").content.decode()
    row = row_of(page, "GEMM 8192 x 7168 x 5120, bf16")
    assert row == (
        "GEMM 8192 x 7168 x 5120, bf16 50.0 % @8 18.8 % to 81.2 % Quartz 4 "
        "50.0 % @8 18.8 % to 81.2 % Quartz 4 0.7800× on H200 0.7753× to 0.7847× A. Mason"
    )
    assert seeded.whole.model is not None
    assert "Paper Model A" in page[page.index("values of publications") :]
    assert "Paper Model A" not in page[: page.index("values of publications")]


def test_an_empty_site_says_what_would_fill_it(client: Client) -> None:
    assert "Nobody stands on a board yet. Hand in a kernel" in words(client, "/")
    assert "A name comes here when" in words(client, "/models/")
    assert "no H100-SXM worker" in words(client, "/status/")
    assert "No device has measured yet." in words(client, "/status/")
    for address in ("/boards/instruction/hopper/", "/boards/speed/h200/", "/problems/"):
        assert client.get(address).status_code == 200
