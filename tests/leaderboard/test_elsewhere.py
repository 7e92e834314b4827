"""Where rows stand, for a board that has none to show, at which turn limit."""

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

from evaluation.core.verdict import Target
from leaderboard.projection import rebuild
from leaderboard.ranking import Provenance
from leaderboard.selectors.elsewhere import Elsewhere, elsewhere
from leaderboard.standing import BoardKind

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

MHA = "mha_bwd_d128"
VERIFIED = Provenance.VERIFIED


def places(turn_limit: int = 8) -> tuple[Elsewhere, ...]:
    return elsewhere(BoardKind.CORRECTNESS, Target.HOPPER, turn_limit=turn_limit)


def test_a_place_has_the_largest_turn_limit_that_a_page_would_show(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for turns in (2, 8, 8, 16):
        rows.judged(["p" * turns] * 5)
    rows.judged(["p" * 3] * 5, MHA)
    rows.judged(["p" * 8] * 5, language="triton")
    rebuild(at=AT)
    with django_assert_num_queries(1):
        found = places()
    assert found == (
        Elsewhere(VERIFIED, GEMM, "", "cuda", turn_limit=8),
        Elsewhere(VERIFIED, GEMM, "", "triton", turn_limit=8),
        Elsewhere(VERIFIED, MHA, "", "cuda", turn_limit=3),
    )
    assert places(turn_limit=32)[0] == Elsewhere(VERIFIED, GEMM, "", "cuda", turn_limit=16)


def test_where_all_rows_have_more_turns_it_is_the_smallest_limit_above(seeded: Seeded) -> None:
    (published,) = {one.turn_limit for one in places(4) if one.provenance is Provenance.PAPER}
    assert published == 8
    assert {one.turn_limit for one in places(4) if one.provenance is VERIFIED} == {4}


def test_nothing_that_is_hidden_or_not_accepted_is_a_place() -> None:
    rows.judged(["p" * 4] * 5, judge="9")
    rows.judged(["p" * 8] * 5, judge="9", visibility="private")
    rows.judged(["p" * 2] * 5, judge="10")
    rows.judged(["p" * 8] * 5, judge="10", proposed_model="Mine")
    rows.judged(["p" * 8] * 5, MHA, proposed_model="Mine")
    rebuild(at=AT)
    assert [(one.problem, one.turn_limit) for one in places()] == [(GEMM, 2)]


def test_an_empty_board_leads_to_where_as_many_rows_stand_as_it_says(
    client: Client, seeded: Seeded
) -> None:
    page = client.get("/boards/speed/h200/?language=triton").content.decode()
    strictly(page)
    links = [one for one in found_in(page).links if one.startswith(f"?problem={GEMM}")]
    assert links == [f"?problem={GEMM}"]
    there = client.get(f"/boards/speed/h200/{links[0]}").content.decode()
    assert '<table class="board">' in there
    said = text_of(page[page.index("Elsewhere on this kind") :])
    assert f"{GEMM} : T = 8, verified by us" in said
