"""What a visitor of a new site reads on its pages. All numbers are typed by hand."""

import re

import pytest
from django.test import Client

from evaluation.models import Entry, Turn
from portal.quickstart import sample_data

pytestmark = pytest.mark.django_db

GEMM = "problem=gemm_n7168_k5120"


@pytest.fixture(autouse=True)
def _seeded() -> None:
    sample_data.load()


def read(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]*>", " ", answer.content.decode()).split())


def table(client: Client, address: str) -> str:
    """The rows of a board, which is the first table of its page."""
    body = re.search(r"<tbody>(.*?)</tbody>", client.get(address).content.decode(), re.DOTALL)
    assert body is not None
    return " ".join(re.sub(r"<[^>]*>", " ", body[1]).split())


def test_the_home_page_shows_samples_and_published_figures(client: Client) -> None:
    home = read(client, "/")
    for word in ("PTXBoard samples", "H200", "0.9913×", "1.064×", "94.8 %"):
        assert word in home


def test_the_speed_board_shows_the_fastest_of_three_kernels_with_its_times(client: Client) -> None:
    row = table(client, f"/boards/speed/h200/?{GEMM}")
    assert "PTXBoard samples" in row
    assert "0.9913× 0.9853× to 0.9972×" in row
    assert "758.9 µs 752.4 µs" in row
    assert "Claude" not in row


def test_the_published_figures_stand_under_their_own_provenance_alone(client: Client) -> None:
    rows = table(client, f"/boards/correctness/hopper/?{GEMM}&provenance=paper")
    assert "Claude Opus 4.8 ptxbench-2608.17379 94.8 % 91 of 96 turns" in rows
    assert "PTXBoard samples" not in rows
    verified = table(client, f"/boards/correctness/hopper/?{GEMM}")
    assert "37.5 % 3 of 8 turns" in verified
    assert "Claude" not in verified


def test_the_entry_says_that_it_is_sample_data(client: Client) -> None:
    entry = read(client, f"/entries/{Entry.objects.get().uid}/")
    assert "sample data, each kernel measured on one NVIDIA H200 on 2026-11-30" in entry
    assert "Author known by handed in by this project" in entry
    assert "attested" not in entry
    assert "Track: written by hand" in read(client, "/models/ptxboard-samples/")


def test_a_kernels_page_has_the_reports_of_all_stages(client: Client) -> None:
    kernel = Turn.objects.get(event="gemm_wgmma_tma").kernel
    assert kernel is not None
    page = read(client, f"/kernels/{kernel.sha256}/")
    for said in (
        "5 includes, all allowed; 0 signals",
        "compiled for sm_90a",
        "recorded: 1 launch a call, 1 set-up step",
        "HGMMA in 1 of 1 launched functions (12 rows), TMA loads 14, TMA stores 4",
        "all outputs of 3 calls are within tolerance",
        "executed 1.0000 of the required products, coverage 0.9988",
        "0.9913 of the vendor&#x27;s speed (0.9853 to 0.9972)",
    ):
        assert said in page


def test_every_artifact_that_a_report_names_can_be_had(client: Client) -> None:
    kernel = Turn.objects.get(event="mha_bwd_wgmma").kernel
    assert kernel is not None
    folder = f"/runs/{kernel.runs.get().uid}/artifacts"
    names = [
        "build",
        "cubin",
        "facts",
        "ptx",
        "library",
        "plan",
        "sass_evidence",
        "check_seen",
        "first_measure_seen",
        "measure_seen",
    ]
    assert {name: client.get(f"{folder}/{name}").status_code for name in names} == dict.fromkeys(
        names, 200
    )
