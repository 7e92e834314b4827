"""From every number of a board's row a link leads to what it counts; who follows it can count again."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import html5lib
import pytest
from django.test import Client
from judged_rows import GEMM
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

BOARDS = (
    "/boards/correctness/hopper/",
    "/boards/instruction/hopper/",
    "/boards/speed/h200/",
    f"/boards/correctness/hopper/?problem={GEMM}",
    f"/boards/correctness/hopper/?problem={GEMM}&T=2",
    f"/boards/correctness/hopper/?problem={GEMM}&provenance=paper",
    f"/boards/correctness/hopper/?problem={GEMM}&provenance=reported",
    f"/boards/instruction/hopper/?problem={GEMM}",
    f"/boards/instruction/hopper/?problem={GEMM}&provenance=paper",
    f"/boards/speed/h200/?problem={GEMM}",
    f"/boards/speed/h100/?problem={GEMM}&provenance=reported",
    f"/boards/speed/h100/?problem={GEMM}&provenance=paper",
)
# A rank follows from the rows around it, and a product is a name.
NO_NUMBER = {"Rank", "Measured on"}


@dataclass(frozen=True, slots=True)
class Cell:
    said: str
    links: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeenTurn:
    """A turn on the page of its trajectory."""

    correct: bool
    family: bool
    matrix_path: bool
    ratio: float | None


COUNTED: dict[str, Callable[[SeenTurn], bool]] = {
    "correct@T": lambda one: one.correct,
    "family-correct@T": lambda one: one.correct and one.family,
    "path-correct@T": lambda one: one.correct and one.matrix_path,
}


@pytest.mark.parametrize("address", BOARDS)
def test_every_number_of_a_row_is_beside_a_link_to_a_page(
    client: Client, seeded: Seeded, address: str
) -> None:
    rows = board(client, address)
    assert rows
    for row in rows:
        for head, cell in row.items():
            if head not in NO_NUMBER and any(one.isdigit() for one in cell.said):
                assert cell.links, (head, cell.said)
            for link in cell.links:
                assert client.get(link).status_code == 200, (head, link)


def test_shares_of_a_row_are_what_who_follows_their_links_counts_on_the_pages_of_the_turns(
    client: Client, seeded: Seeded
) -> None:
    followed = 0
    for kind in ("correctness", "instruction"):
        for row in board(client, f"/boards/{kind}/hopper/?problem={GEMM}"):
            for head, cell in row.items():
                if head in COUNTED:
                    hits = sum(map(COUNTED[head], turns_of(client, cell.links[0])))
                    assert f" {hits} of " in cell.said, (head, cell.said)
                    followed += 1
    assert followed > 10


def test_figures_of_speed_are_on_the_pages_that_they_lead_to(
    client: Client, seeded: Seeded
) -> None:
    rows = board(client, f"/boards/speed/h200/?problem={GEMM}&p=0.4")
    measured = [row for row in rows if row["Best ratio"].said != "–"]
    assert len(measured) == 5
    assert "1.000 ms a call" in words(client, measured[0]["Kernel / vendor"].links[0])
    for row in measured:
        kernel, turn = row["Best ratio"].links[:2]
        ratio = row["Best ratio"].said.split()[0]
        assert ratio in words(client, kernel)
        assert ratio in words(client, turn)
        ours, ours_unit, theirs, theirs_unit = row["Kernel / vendor"].said.split()
        times = f"{ours} {ours_unit} a call against the vendor’s {theirs} {theirs_unit}"
        assert times in words(client, turn)
        run = words(client, row["Kernel / vendor"].links[0])
        assert times in run or "No stage has reported yet" in run  # as of rows that tests made
        ratios = [
            one.ratio
            for one in turns_of(client, row["Fast 0.4 @8"].links[0])
            if one.ratio is not None
        ]
        faster = sum(one > 0.4 for one in ratios)
        assert f" {faster} of " in row["Fast 0.4 @8"].said
        median = row["Median of correct turns"]
        assert float(median.said.split("×")[0]) == pytest.approx(
            statistics.median(ratios), abs=1e-4
        )
        assert median.said.endswith(f"of {len(ratios)}")
        assert median.links == row["Fast 0.4 @8"].links


def test_what_an_upload_reported_is_on_the_page_of_its_turn(client: Client, seeded: Seeded) -> None:
    rows = board(client, f"/boards/speed/h100/?problem={GEMM}&provenance=reported")
    assert len(rows) == 2
    for row in rows:
        ratio = row["Best ratio"].said.split()[0]
        turn = next(one for one in row["Best ratio"].links if one.startswith("/trajectories/"))
        assert f"Ratio {ratio} on NVIDIA H100" in words(client, turn)


def board(client: Client, address: str) -> list[dict[str, Cell]]:
    """The rows of a board's table, each cell under the words of its head."""
    (table,) = (one for one in page(client, address).iter("table") if one.get("class") == "board")
    heads = [said(one) for one in table.iter("th") if one.get("scope") == "col"]
    body = table.find("tbody")
    assert body is not None
    return [
        dict(
            zip(
                heads,
                (
                    Cell(said(cell), tuple(a.get("href", "") for a in cell.iter("a")))
                    for cell in row
                ),
                strict=True,
            )
        )
        for row in body
    ]


def turns_of(client: Client, entry: str) -> list[SeenTurn]:
    """Every turn that the pages of an entry lead to, of those at the problem."""
    found, address = [], entry
    while address:
        root = page(client, address)
        for table in (one for one in root.iter("table") if one.get("class") == "turns"):
            for link in table.iterfind("tbody/tr/th/a"):
                found += _turns_on(page(client, link.get("href", "")))
        more = [a.get("href", "") for a in root.iter("a") if said(a) == "The next trajectories"]
        address = f"{entry}{more[0]}" if more else ""
    return found


def _turns_on(trajectory: Element) -> list[SeenTurn]:
    if GEMM not in said(next(trajectory.iter("h1"))):
        return []
    return [_turn(one) for one in trajectory.iter("article") if one.get("class") == "turn"]


def _turn(article: Element) -> SeenTurn:
    ours = next(one for one in article.iter("section"))
    names = [said(one) for one in ours.iter("dt")]
    told = dict(zip(names, (said(one) for one in ours.iter("dd")), strict=True))
    counts = "counts as not correct" not in said(article)
    speed = told.get("Speed, H200", "none")
    return SeenTurn(
        correct=counts and told.get("Correctness") == "correct",
        family=told.get("Target instruction") == "executed",
        matrix_path=told.get("Matrix path", "").startswith("did the work"),
        ratio=None if not counts or speed.startswith("none") else float(speed.split("×")[0]),
    )


def page(client: Client, address: str) -> Element:
    answer = client.get(address)
    assert answer.status_code == 200, address
    root: Element = html5lib.parse(answer.content.decode(), namespaceHTMLElements=False)
    return root


def words(client: Client, address: str) -> str:
    return said(page(client, address.partition("#")[0]))


def said(one: Element) -> str:
    return " ".join(" ".join(one.itertext()).split())
