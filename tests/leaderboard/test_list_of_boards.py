"""The page that lists every board: each with its own numbers, and every number leads to what it counts."""

import csv
import io
import json
import re
from dataclasses import replace
from datetime import timedelta

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.services import withdraw
from leaderboard.models import Board
from leaderboard.projection import rebuild, refresh
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardHead
from leaderboard.selectors.listed_boards import BoardCount
from leaderboard.standing import BoardKind
from leaderboard.views.board_list import MOST_LINES, in_order, kinds_of_boards

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

FIVE = ["pf--", "p---", "----", "-p--", "f---"]
SPEED_OF_DEVICE = BoardHead(
    slug="",
    kind=BoardKind.SPEED,
    target="hopper",
    device="h200",
    problem=GEMM,
    suite="",
    problem_version=1,
    language="cuda",
    judge="1",
    revision=1,
)


def page_of(client: Client) -> str:
    answer = client.get("/boards/")
    assert answer.status_code == 200
    page = answer.content.decode()
    strictly(page)
    return page


def part(page: str, kind: str) -> str:
    """What the page says of one kind of board."""
    return page[page.index(f'<h2 id="{kind}">') :].split("<h2", 2)[1]


def lines_of(page: str, kind: str) -> list[str]:
    """Its lines, each behind the place that it stands at."""
    found = []
    for group in re.findall(r"<tbody>.*?</tbody>", part(page, kind), re.DOTALL):
        place, *lines = (text_of(one) for one in re.findall(r"<tr>.*?</tr>", group, re.DOTALL))
        found += [f"{place}: {one}" for one in lines]
    return found


def saved(client: Client) -> list[dict[str, str]]:
    answer = client.get("/boards.csv")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def test_every_kind_has_its_sentence_and_says_what_would_fill_it_where_nothing_stands(
    client: Client,
) -> None:
    page = page_of(client)
    for kind, sentence in (
        ("correctness", "How often kernels are correct"),
        ("instruction", "executed the instructions that the target brought"),
        ("speed", "How fast correct kernels are beside the vendor’s library"),
    ):
        said = text_of(part(page, kind))
        assert sentence in said
        assert "No row stands on such a board yet. The first one comes when a kernel is" in said
    assert "/boards/speed/b200/" in found_in(part(page, "speed")).links
    assert "/boards/instruction/blackwell/" in found_in(part(page, "instruction")).links
    assert saved(client) == []


def test_a_line_counts_each_board_and_provenance_alone(client: Client) -> None:
    for name in ("Quartz", "Opal", "Beryl"):
        entry = rows.judged(FIVE, model=rows.model(name=name), ratio=0.5)
    rows.reported(entry.trajectory_rows.all()[0].turns.all()[0], correct=True, speedup=0.75)
    rebuild(at=AT)
    (line,) = [one for one in lines_of(page_of(client), "correctness") if GEMM in one]
    assert line == f"Hopper: {GEMM} 3 1 –"
    (line,) = [one for one in lines_of(page_of(client), "speed") if GEMM in one]
    assert line == f"H200: {GEMM} 3 – –"


def test_a_number_leads_to_the_board_that_has_as_many_rows(client: Client, seeded: Seeded) -> None:
    links = [
        (address, int(number))
        for address, number in re.findall(
            r'<td class="figure"><a href="(/boards/[^"]*)">(\d+)</a>', page_of(client)
        )
    ]
    assert len(links) > 20
    assert {address.split("/")[2] for address, _ in links} == {
        "correctness",
        "instruction",
        "speed",
    }
    for address, number in links:
        answer = client.get(address.replace("&amp;", "&"), follow=True)
        body = answer.content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
        # A board shows those of one number of turns, the list those of all.
        assert 0 < body.count("<tr>") <= number, address


def test_an_older_judge_series_stands_in_a_place_of_its_own(client: Client) -> None:
    for judge, names in (("9", ["Quartz", "Opal"]), ("10", ["Beryl"])):
        for name in names:
            rows.judged(FIVE, model=rows.model(name=name), judge=judge)
    rebuild(at=AT)
    page = page_of(client)
    (line,) = [one for one in lines_of(page, "correctness") if GEMM in one]
    assert line == f"Hopper: {GEMM} 1 – – version 1, judge 9: 2"
    address = f"/boards/correctness/hopper/?problem={GEMM}&amp;version=1&amp;judge=9"
    assert f'href="{address}"' in page
    body = client.get(address.replace("&amp;", "&"), follow=True).content.decode()
    assert "Quartz" in body
    assert "Beryl" not in body


def test_a_file_has_a_row_for_each_board_and_provenance_with_its_page(
    client: Client, seeded: Seeded
) -> None:
    found = saved(client)
    places = [(one["board"], one["provenance"]) for one in found]
    assert len(set(places)) == len(places) > 20
    shown = re.findall(r'<td class="figure"><a href="([^"]*)">(\d+)</a>', page_of(client))
    numbers = {(one["board_url"].removeprefix("http://testserver"), one["rows"]) for one in found}
    assert {(address.replace("&amp;", "&"), number) for address, number in shown} <= numbers
    assert all(int(one["ranked"]) <= int(one["rows"]) for one in found)
    assert {one["ranked"] for one in found if one["provenance"] != "verified"} == {"0"}
    about = json.loads(client.get("/boards.json").content)
    assert about["page"] == "http://testserver/boards/"
    assert [one["board"] for one in about["rows"]] == [one["board"] for one in found]
    assert "/boards.csv" in found_in(page_of(client)).links


def test_whole_suites_stand_before_the_problems_of_their_place(
    client: Client, seeded: Seeded
) -> None:
    found = [one for one in saved(client) if one["kind"] == "correctness"]
    assert found[0]["suite"] == "paper"
    problems = [one["problem"] for one in found if one["problem"]]
    assert problems == sorted(problems)
    page = page_of(client)
    shown = [*dict.fromkeys(one.partition(":")[0] for one in lines_of(page, "speed"))]
    assert shown == ["H100", "H200"]
    # Quartz 4 and Feldspar L are handed in for the whole suite.
    assert lines_of(page, "correctness")[0] == "Hopper: Suite “paper” 2 – –"
    assert "/boards/correctness/hopper/" in found_in(part(page, "correctness")).links
    assert "Older" not in page


def test_page_and_file_go_by_target_and_device() -> None:
    places = [("blackwell", "b200"), ("hopper", "h200"), ("hopper", "h100")]
    counts = [
        BoardCount(replace(SPEED_OF_DEVICE, target=target, device=device), provenance, 1, 0)
        for target, device in places
        for provenance in (Provenance.PAPER, Provenance.VERIFIED)
    ]
    *_, speed = kinds_of_boards(counts, problems=[GEMM])
    assert [(one.device, one.address) for one in speed.places] == [
        ("h100", "/boards/speed/h100/"),
        ("h200", "/boards/speed/h200/"),
        ("b200", "/boards/speed/b200/"),
    ]
    ordered = in_order(counts, problems=[GEMM])
    assert [(one.board.device, one.provenance) for one in ordered[:3]] == [
        ("h100", Provenance.VERIFIED),
        ("h100", Provenance.PAPER),
        ("h200", Provenance.VERIFIED),
    ]
    assert ordered[-1].board.device == "b200"


@pytest.mark.parametrize("kind", ["instruction", "correctness", "speed"])
def test_a_kind_without_a_place_leads_to_its_part_of_the_list(client: Client, kind: str) -> None:
    answer = client.get(f"/boards/{kind}/")
    assert (answer.status_code, answer["Location"]) == (302, f"/boards/#{kind}")
    assert kind in found_in(page_of(client)).names
    assert client.post(f"/boards/{kind}/").status_code == 405


def test_what_is_not_public_is_counted_for_nobody(client: Client) -> None:
    public = rows.judged(FIVE, model=rows.model(name="Quartz"))
    rows.judged(FIVE, model=rows.model(name="Onyx"), visibility="private")
    rows.judged(
        FIVE,
        model=rows.model(name="Agate"),
        visibility="embargoed",
        embargo_until=AT + timedelta(days=9),
    )
    rows.judged(FIVE, proposed_model="nobody accepted it")
    rebuild(at=AT)
    for visitor in (client, signed_in(), signed_in(staff=True), signed_in(owns_all=True)):
        assert [one for one in lines_of(page_of(visitor), "correctness") if GEMM in one] == [
            f"Hopper: {GEMM} 1 – –"
        ]
        assert {one["rows"] for one in saved(visitor)} == {"1"}
    assert withdraw(public, reason="A wrong file was handed in.", at=AT)
    refresh([public.pk], at=AT)
    assert lines_of(page_of(client), "correctness") == []
    assert saved(client) == []


def test_the_list_costs_few_queries_however_many_boards_there_are(
    client: Client, seeded: Seeded, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(4):
        page_of(client)
    with django_assert_max_num_queries(2):
        saved(client)


def test_boards_with_values_that_others_report_alone_give_way_to_those_with_verified_values() -> (
    None
):
    ours = BoardCount(replace(SPEED_OF_DEVICE, slug="ours"), Provenance.VERIFIED, 2, 2)
    named = [
        BoardCount(
            replace(SPEED_OF_DEVICE, slug=f"said-{number}", device=f"a{number:04}", judge=""),
            Provenance.REPORTED,
            1,
            0,
        )
        for number in range(MOST_LINES + 5)
    ]
    *_, speed = kinds_of_boards([*named, ours], problems=[GEMM])
    assert (len(speed.lines), speed.total, speed.left_out) == (MOST_LINES, MOST_LINES + 6, 6)
    assert speed.lines[-1].board.slug == "ours"
    assert [one.board.device for one in speed.lines[:2]] == ["a0000", "a0001"]


def test_a_device_with_a_hostile_name_is_shown_as_text_and_leads_nowhere(client: Client) -> None:
    rows.judged(FIVE, model=rows.model(name="Quartz"))
    rebuild(at=AT)
    Board.objects.filter(kind="speed").update(device="<b>\u202eh1/")
    page = page_of(client)
    (line,) = lines_of(page, "speed")
    assert line == f"<b>⟨U+202E⟩h1/: {GEMM} 1 – –"
    assert "<b>" not in page.lower()
    assert "\u202e" not in page
    (row,) = [one for one in saved(client) if one["kind"] == "speed"]
    assert (row["device"], row["rows"], row["board_url"]) == ("<b>\u202eh1/", "1", "")
