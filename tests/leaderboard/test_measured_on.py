"""Where a row was measured: a verified one names what our runs ran on, and nothing that an upload says."""

import re
from typing import Any

import judged_rows as rows
import pytest
from chart_rows import cell, row
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import text_of

from leaderboard.charts.naming import devices_of, which_entry
from leaderboard.projection import rebuild
from leaderboard.ranking import Provenance
from leaderboard.standing import BoardKind
from leaderboard.views.cell_rows import CellLook, cell_rows

CORRECTNESS = f"/boards/correctness/hopper/?problem={GEMM}&T=1"
SPEED = f"/boards/speed/h200/?problem={GEMM}&T=1"
IN_EITHER_HALF = ["timeout", "runtime_error"]


def last_cell(client: Client, address: str, name: str) -> str:
    """What the row of this model has under “Measured on”."""
    page = client.get(address).content.decode()
    found = re.search(rf"<tr>(?:(?!</tr>).)*{name}.*?</tr>", page, re.DOTALL)
    assert found is not None, name
    return text_of(found[0][found[0].rindex("<td") :])


def handed_in(name: str, letter: str, **runs: Any) -> None:
    """One turn of an entry whose trajectory names an H100."""
    entry = rows.entry([letter], model=rows.model(name=name))
    (turn,) = rows.add_turns(entry, [letter], place={"reported_device": "H100"}, **runs)
    rows.reported(turn, correct=True)


def refused(verdict: str, **columns: Any) -> dict[str, Any]:
    return {"verdict": verdict, "device": "h200", **columns}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "verdict",
    ["policy_rejected", "build_failed", "not_recordable", "no_kernel", *IN_EITHER_HALF],
)
def test_a_kernel_that_no_gpu_ran_was_measured_nowhere(client: Client, verdict: str) -> None:
    handed_in("Quartz", "-", **refused(verdict))
    rebuild(at=AT)
    assert last_cell(client, CORRECTNESS, "Quartz") == "–"
    assert last_cell(client, SPEED, "Quartz") == "–"


@pytest.mark.django_db
@pytest.mark.parametrize("verdict", ["wrong_result", "memory_fault"])
def test_a_kernel_that_a_gpu_found_wrong_was_measured_there(client: Client, verdict: str) -> None:
    handed_in("Quartz", "-", **refused(verdict))
    rebuild(at=AT)
    assert last_cell(client, CORRECTNESS, "Quartz") == "H200"


@pytest.mark.django_db
@pytest.mark.parametrize("verdict", IN_EITHER_HALF)
def test_a_verdict_of_either_half_is_of_the_gpu_where_the_run_held_one(
    client: Client, verdict: str
) -> None:
    handed_in("Quartz", "-", **refused(verdict, gpu_seconds=2.5))
    rebuild(at=AT)
    assert last_cell(client, CORRECTNESS, "Quartz") == "H200"


@pytest.mark.django_db
def test_a_verified_row_that_waits_names_no_device_and_a_reported_one_names_its_own(
    client: Client,
) -> None:
    handed_in("Beryl", "o")
    handed_in("Quartz", "p", ratio=0.5)
    rebuild(at=AT)
    assert last_cell(client, CORRECTNESS, "Beryl") == "–"
    assert last_cell(client, CORRECTNESS, "Quartz") == "H200"
    assert last_cell(client, SPEED, "Quartz") == "H200"
    reported = f"{CORRECTNESS}&provenance=reported"
    assert last_cell(client, reported, "Beryl") == "H100, as reported"
    assert last_cell(client, reported, "Quartz") == "H100, as reported"


CORRECT = BoardKind.CORRECTNESS


@pytest.mark.parametrize(
    ("columns", "devices", "where"),
    [
        ({"devices": ("h200",)}, "H200", "Hopper measured on H200"),
        ({"devices": ()}, "not measured", "Hopper"),
        ({"devices": (), "provenance": Provenance.REPORTED}, "H100", "Hopper reported on H100"),
        (
            {"devices": (), "provenance": Provenance.PAPER, "publication": "A paper"},
            "H100",
            "Hopper published on H100",
        ),
    ],
    ids=["measured", "waits", "reported", "published"],
)
def test_tables_and_charts_name_a_reported_device_for_reported_values_alone(
    columns: dict[str, Any], devices: str, where: str
) -> None:
    whole = {"reported_device": "h100", "provenance": Provenance.VERIFIED} | columns
    assert devices_of(row(CORRECT, **whole)) == devices
    shown = cell_rows([cell(CORRECT, value=0.5, **whole)], CellLook.PLAIN, ("problem", "place"))
    assert text_of(shown.split("</td>")[0].split("<td>")[1]) == where


def test_two_subjects_of_an_entry_are_told_apart_without_a_claim_about_measuring() -> None:
    assert which_entry(row(reported_device="h100")) == "entry 111111, handed in for H100"
    reported = row(reported_device="h100", provenance=Provenance.REPORTED)
    assert which_entry(reported) == "entry 111111, reported on H100"
