"""A technical word on a page of boards or evidence is explained on that page, or by a link beside it, without scripts."""

import re

import pytest
from django.test import Client
from page_reading import text_of
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

OF_FINDINGS = {
    "Target instruction": "GMMA or a TMA transfer on Hopper, TCGEN05 on Blackwell",
    "Matrix path": "a coverage of 0.9 or more",
    "Coverage": "no other instruction can have done",
    "Speed, ratio": "The vendor library’s time over the kernel’s",
    "Floor": "need at least for the problem",
    "Judge series": "Results of one series compare with each other",
}
OF_CELLS = {
    "T": "How many turns of each trajectory count",
    "Rank": "these rows cannot be told apart",
    "Value": "GMMA or a TMA transfer on Hopper, TCGEN05 on Blackwell",
    "open": "Turns without a verdict to show yet",
    "Not in these numbers": "leave the denominator",
    "Judge series": "Results of one series compare with each other",
}
OF_A_BOARD = {
    "Rank": "Rows of equal value stand in the order in which they were handed in.",
    "T": "How many turns of each trajectory count",
    "Measured on": "on which our runs measured kernels of the row",
    "Not in these numbers": "leave the denominator",
    "Judge, problem version": "compare with each other",
}


def explained(client: Client, address: str) -> dict[str, str]:
    """The words of the page’s legends with what they say."""
    answer = client.get(address)
    assert answer.status_code == 200
    legends = re.findall(r'<dl class="legend">(.*?)</dl>', answer.content.decode(), re.DOTALL)
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", "".join(legends), re.DOTALL)
    return {text_of(word): text_of(says) for word, says in pairs}


def holds(legend: dict[str, str], expected: dict[str, str]) -> None:
    for word, says in expected.items():
        assert says in legend.get(word, ""), word


def test_pages_of_evidence_explain_each_finding(client: Client, seeded: Seeded) -> None:
    trajectory = seeded.whole.trajectory_rows.order_by("pk")[0]
    for address in (
        f"/trajectories/{trajectory.uid}/",
        f"/kernels/{seeded.evidence.kernel.sha256}/",
        f"/runs/{seeded.evidence.uid}/",
    ):
        holds(explained(client, address), OF_FINDINGS)


def test_tables_of_cells_explain_their_columns(client: Client, seeded: Seeded) -> None:
    model = seeded.whole.model
    assert model is not None
    for address in (
        f"/entries/{seeded.whole.uid}/",
        f"/entries/{seeded.whole.uid}/cells/",
        f"/models/{model.slug}/",
    ):
        holds(explained(client, address), OF_CELLS)


@pytest.mark.usefixtures("seeded")
def test_boards_explain_theirs(client: Client) -> None:
    for kind, more in (
        ("correctness/hopper", {"correct@T": "among the first T"}),
        ("instruction/hopper", {"family-correct@T": "GMMA or a TMA transfer on Hopper"}),
        ("speed/h200", {"Fast p @T": "strictly faster than p times the vendor"}),
    ):
        holds(explained(client, f"/boards/{kind}/?problem=gemm_n7168_k5120"), OF_A_BOARD | more)


@pytest.mark.usefixtures("seeded")
def test_the_first_page_says_what_the_number_beneath_a_share_is(client: Client) -> None:
    page = text_of(client.get("/").content.decode())
    assert "@8 beneath a value says T: the first eight turns of each trajectory." in page
    assert "The interval beneath a value is one of 95 %." in page
