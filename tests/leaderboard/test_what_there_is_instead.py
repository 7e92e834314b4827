"""An address that names what there is not says what there is, with a link to each."""

import judged_rows as rows
import pytest
from django.http import QueryDict
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries

from evaluation.adapters.catalogue import packaged
from evaluation.core.verdict import Target
from leaderboard.models import Board
from leaderboard.projection import rebuild
from leaderboard.views.answers import WrongQuestion
from leaderboard.views.asked import read_question

pytestmark = pytest.mark.django_db


def refusal(client: Client, address: str, status: int) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    assert "no-cache" in answer["Cache-Control"]
    page = answer.content.decode()
    strictly(page)
    return page


def links_of(client: Client, page: str, begin: str) -> list[str]:
    """Those that begin so in the text of the page, each of which leads to a page."""
    body = page[page.index("<h1>") : page.index("</main>")]
    links = [one for one in found_in(body).links if one.startswith(begin)]
    for one in links:
        assert client.get(one, follow=True).status_code == 200, one
    return links


def test_a_device_without_a_board_is_answered_with_every_device_those_with_rows_first(
    client: Client,
) -> None:
    rows.judged(["p"] * 5, device="h200", model=rows.model(name="Quartz"))
    rebuild(at=AT)
    page = refusal(client, "/boards/speed/a100/", 404)
    assert "There is no device “a100”. There are: H200 B200 no row yet" in text_of(page)
    links = links_of(client, page, "/boards/speed/")
    assert links[0] == "/boards/speed/h200/"
    known = {one.product for one in packaged().devices()}
    assert {f"/boards/speed/{one}/" for one in known} <= set(links)
    assert "/boards/" in found_in(page).links


def test_a_device_that_only_a_board_has_is_listed_unless_no_address_can_name_it(
    client: Client,
) -> None:
    rows.judged(["p"] * 5, model=rows.model(name="Quartz"))
    rebuild(at=AT)
    for device, is_there in (("rtx-9", True), ("<b>/..", False)):
        Board.objects.filter(kind="speed").update(device=device)
        page = refusal(client, "/boards/speed/a100/", 404)
        assert (f"/boards/speed/{device}/" in found_in(page).links) is is_there
        assert "<b>" not in page


@pytest.mark.parametrize("kind", ["correctness", "instruction"])
def test_an_unknown_target_is_answered_with_every_target(client: Client, kind: str) -> None:
    page = refusal(client, f"/boards/{kind}/ampere/", 404)
    assert links_of(client, page, f"/boards/{kind}/") == [
        f"/boards/{kind}/{one}/" for one in Target
    ]


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("/boards/speed/a100.csv", "/boards/speed/h200/"),
        ("/boards/correctness/ampere.json", "/boards/correctness/hopper/"),
    ],
)
def test_a_file_of_no_board_is_answered_with_the_pages_that_there_are(
    client: Client, address: str, link: str
) -> None:
    assert link in links_of(client, refusal(client, address, 404), "/boards/")


def test_an_unknown_problem_is_answered_with_every_problem_and_its_title(client: Client) -> None:
    page = refusal(client, "/problems/nothing/", 404)
    problems = packaged().problems()
    assert links_of(client, page, "/problems/") == [f"/problems/{one.name}/" for one in problems]
    for one in problems:
        assert f"{one.name} {one.title}" in text_of(page)


def test_the_same_question_can_be_asked_of_a_problem_that_there_is(client: Client) -> None:
    address = "/boards/correctness/hopper/?problem=nothing&T=4&provenance=paper&judge=3"
    page = refusal(client, address, 400)
    assert "There is no problem “nothing” here. There are:" in text_of(page)
    expected = f"?problem={GEMM}&T=4&provenance=paper"
    assert expected in found_in(page).links
    assert client.get(f"/boards/correctness/hopper/{expected}").status_code == 200
    assert "/boards/correctness/hopper/" in found_in(page).links  # without filters


def test_an_unknown_suite_is_answered_with_every_suite(client: Client) -> None:
    for address in ("/boards/speed/h200/", "/gap/"):
        page = refusal(client, f"{address}?suite=nothing", 400)
        assert "?suite=paper" in found_in(page).links
        assert client.get(f"{address}?suite=paper", follow=True).status_code == 200
    page = refusal(client, "/gap/?problem=nothing", 400)
    assert f"?problem={GEMM}" in found_in(page).links


def test_a_board_that_is_refused_offers_no_link_to_itself(client: Client) -> None:
    page = refusal(client, "/boards/speed/a100/?T=4", 404)
    assert "/boards/speed/a100/" not in found_in(page).links
    assert "without filters" not in page


def test_hostile_words_are_shown_as_text_cut_and_spelled_out(client: Client) -> None:
    page = refusal(client, "/boards/speed/h200/?problem=%3Cscript%3E%E2%80%AEx", 400)
    assert "<script>" not in page[page.index("<h1>") :]
    assert "\u202e" not in page
    assert "“<script>⟨U+202E⟩x”" in text_of(page)
    page = refusal(client, f"/boards/speed/{'a' * 900}/", 404)
    assert "a" * 79 + "…”" in page
    assert "a" * 81 not in page


def test_what_is_refused_costs_few_queries(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for address in ("/boards/speed/a100/", "/problems/nothing/", "/gap/?suite=nothing"):
        with django_assert_max_num_queries(3):
            client.get(address)


def test_another_place_is_asked_about_without_what_is_of_one_place_alone() -> None:
    query = QueryDict("problem=x&version=2&judge=3&start=50&T=4")
    with pytest.raises(WrongQuestion) as refused:
        read_question(query, problems={"gemm": "paper"}, suites=("paper",), is_speed=True)
    assert [one.address for one in refused.value.instead] == ["?problem=gemm&T=4"]
