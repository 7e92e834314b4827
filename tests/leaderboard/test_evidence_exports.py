"""What pages of kernels, comparisons, problems and the gap chart show as files, and to whom."""

import csv
import io
import json

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import found_in, strictly, text_of
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Entry, Run, Turn
from leaderboard.projection import rebuild

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db


def read(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200, answer
    assert answer["Content-Disposition"].startswith("attachment; ")
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def kernels_of(entry: Entry) -> list[str]:
    """The kernels of an entry's first trajectory."""
    turns = Turn.objects.filter(trajectory__entry=entry, trajectory__number=0).order_by("number")
    return [one.kernel.sha256 for one in turns if one.kernel]


def test_the_runs_of_a_kernel_have_every_figure_in_full(client: Client) -> None:
    entry = rows.judged(["p", *["-"] * 4], ratio=0.5)
    rebuild(at=AT)
    (sha256,) = kernels_of(entry)
    run = Run.objects.get(kernel__sha256=sha256)
    (row,) = read(client, f"/kernels/{sha256}/runs.csv")
    expected = {
        "kernel_url": f"http://testserver/kernels/{sha256}/",
        "run": str(run.uid),
        "problem": GEMM,
        "device": "h200",
        "judge": "1",
        "in_effect": "yes",
        "state": "finished",
        "verdict": "accepted",
        "correct": "yes",
        "matrix_path": "yes",
        "ratio": "0.5",
        "ratio_low": "0.4375",
        "ratio_high": "0.5625",
        "candidate_ns": "400",
        "vendor_ns": "200",
    }
    assert {name: row[name] for name in expected} == expected
    page = client.get(f"/kernels/{sha256}/").content.decode()
    assert f"/kernels/{sha256}/runs.json" in found_in(page).links
    about = json.loads(client.get(f"/kernels/{sha256}/runs.json").content)
    assert about["page"] == f"http://testserver/kernels/{sha256}/"


def test_the_runs_of_a_kernel_that_others_may_not_see_are_in_no_file_of_theirs(
    client: Client,
) -> None:
    held = kernels_of(rows.judged(["h", *["-"] * 4]))
    private = kernels_of(rows.judged(["p", *["-"] * 4], visibility="private"))
    rebuild(at=AT)
    for sha256 in (*held, *private):
        address = f"/kernels/{sha256}/runs.csv"
        assert client.get(address).status_code == 404
        assert signed_in().get(address).status_code == 404
        compared = f"/compare.csv?kernel={sha256}&kernel={held[0]}"
        assert client.get(compared).status_code == 404
    owner = signed_in(owns_all=True)
    for sha256 in (*held, *private):
        answer = owner.get(f"/kernels/{sha256}/runs.csv")
        assert answer.status_code == 200
        assert "private" in answer["Cache-Control"]


def test_a_comparison_of_models_is_saved_as_it_stands(client: Client) -> None:
    for name, ratio in (("Quartz", 0.5), ("Opal", 1.0)):
        rows.judged(["pf--"] * 5, model=rows.model(name=name, slug=name.lower()), ratio=ratio)
    rebuild(at=AT)
    query = "model=quartz&model=opal&T=4"
    page = client.get(f"/compare/?{query}").content.decode()
    strictly(page)
    assert f"/compare.csv?{query}" in found_in(page).links
    found = read(client, f"/compare.csv?{query}")
    speed = [
        (one["model"], one["best_ratio"])
        for one in found
        if one["kind"] == "speed" and one["problem"] == GEMM
    ]
    assert speed == [("Quartz", "0.5"), ("Opal", "1.0")]
    assert {one["kind"] for one in found} == {"correctness", "instruction", "speed"}


def test_a_comparison_of_kernels_is_saved_by_its_runs(client: Client) -> None:
    entry = rows.judged(["pf", *["--"] * 4], ratio=0.5)
    rebuild(at=AT)
    first, second = kernels_of(entry)
    found = read(client, f"/compare.csv?kernel={second}&kernel={first}")
    assert [(one["kernel_sha256"], one["matrix_path"]) for one in found] == [
        (second, "no"),
        (first, "yes"),
    ]


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/compare.csv", "Nothing is compared here yet"),
        ("/compare.csv?model=a&kernel=b", "not of several"),
        ("/gap.csv?T=none", "takes a whole number"),
    ],
    ids=["nothing", "several kinds", "no number"],
)
def test_a_question_that_no_page_answers_has_no_file(
    client: Client, address: str, sentence: str
) -> None:
    answer = client.get(address)
    assert answer.status_code == 400
    assert sentence in text_of(answer.content.decode())


def test_records_over_time_are_saved_oldest_first(client: Client, seeded: Seeded) -> None:
    page = client.get(f"/problems/{GEMM}/").content.decode()
    assert f"/problems/{GEMM}/records.csv" in found_in(page).links
    found = read(client, f"/problems/{GEMM}/records.csv")
    ratios = [float(one["ratio"]) for one in found]
    assert ratios == sorted(ratios)
    assert ratios[-1] == 0.78
    assert found[-1]["model"] == "A. Mason"
    assert found[-1]["kernel_url"].endswith(f"/kernels/{seeded.evidence.kernel.sha256}/")
    assert client.get("/problems/nothing/records.csv").status_code == 404
    assert read(client, "/problems/gemm_n128_k2048/records.csv") == []


def test_both_shares_of_a_dot_are_saved_with_what_they_are_counted_of(client: Client) -> None:
    rows.judged(["pf--", "p---", "----", "-p--", "f---"], model=rows.model(name="Quartz"))
    rows.judged(["p---"] * 5, model=rows.model(name="Onyx"), visibility="private")
    rebuild(at=AT)
    address = f"/gap.csv?problem={GEMM}&T=4"
    (row,) = read(client, address)
    expected = {
        "provenance": "verified",
        "turn_limit": "4",
        "model": "Quartz",
        "problem": GEMM,
        "target": "hopper",
        "correct_share": "0.25",
        "correct_hits": "5",
        "correct_counted": "20",
        "family_correct_share": "0.25",
        "family_correct_hits": "5",
    }
    assert {name: row[name] for name in expected} == expected
    page = client.get(f"/gap/?problem={GEMM}&T=4").content.decode()
    assert address in found_in(page).links
    moved = client.get(f"/gap.csv?T=4&problem={GEMM}&track=")
    assert (moved.status_code, moved["Location"]) == (302, address)
