"""Where figures lead: the address of a board is written without the resolver, and has to be the resolver's."""

import pytest
from django.urls import reverse

from leaderboard.selectors import BoardHead
from leaderboard.standing import BoardKind
from leaderboard.templatetags.addresses import board_address


def head(kind: BoardKind, place: str) -> BoardHead:
    on_device = kind is BoardKind.SPEED
    return BoardHead(
        slug="b",
        kind=kind,
        target="hopper",
        device=place if on_device else "",
        problem="gemm_n7168_k5120",
        suite="",
        language="cuda",
        problem_version=1,
        judge="1",
        revision=1,
    )


@pytest.mark.parametrize("kind", list(BoardKind))
def test_a_board_s_address_is_the_resolver_s(kind: BoardKind) -> None:
    place = "h100-sxm" if kind is BoardKind.SPEED else "hopper"
    path, query = board_address(head(kind, place), turn_limit=4).split("?")
    assert path == reverse(f"{kind}_board", args=[place])
    assert query == "problem=gemm_n7168_k5120&T=4"


@pytest.mark.parametrize("place", ["NVIDIA H100", "h100/../..", "é", "a?b"])
def test_a_device_whose_name_is_no_part_of_an_address_has_none(place: str) -> None:
    assert board_address(head(BoardKind.SPEED, place)) == ""
