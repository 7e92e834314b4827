"""What the first page shows as files: every leader a row, verified and published, and the new records."""

import csv
import io
import json
import re
from datetime import timedelta

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Run, Turn
from leaderboard.projection import rebuild
from leaderboard.templatetags.figures import ratio, share

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

FIVE = ["pf--", "p---", "----", "-p--", "f---"]


def read(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200, answer
    assert answer["Content-Disposition"].startswith("attachment; ")
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def test_a_leader_stands_with_place_value_interval_rank_and_evidence(client: Client) -> None:
    """20 turns, 5 correct, all of them with the family; the best of them twice as slow as the vendor."""
    entry = rows.judged(FIVE, model=rows.model(name="Quartz", slug="quartz"), ratio=0.5)
    rebuild(at=AT)
    found = {(one["kind"], one["problem"]): one for one in read(client, "/leaders.csv")}
    assert found.keys() == {(kind, GEMM) for kind in ("correctness", "instruction", "speed")}
    correct = found["correctness", GEMM]
    expected = {
        "provenance": "verified",
        "target": "hopper",
        "suite": "",
        "device": "",
        "board": "correctness-hopper-gemm-n7168-k5120-v1-cuda-judge-1",
        "board_url": f"http://testserver/boards/correctness/hopper/?problem={GEMM}&T=4",
        "turn_limit": "4",
        "model": "Quartz",
        "model_url": "http://testserver/models/quartz/",
        "entry_url": f"http://testserver/entries/{entry.uid}/",
        "share": "0.25",
        "ratio": "",
        "rank_low": "1",
        "rank_high": "1",
        "unranked_why": "",
        "kernel_url": "",
    }
    assert {name: correct[name] for name in expected} == expected
    assert 0 < float(correct["share_low"]) < 0.25 < float(correct["share_high"]) < 1
    fast = found["speed", GEMM]
    assert [fast[name] for name in ("device", "ratio", "ratio_low", "ratio_high", "share")] == [
        *("h200", "0.5", "0.4375", "0.5625", "")
    ]
    run = Run.objects.get(uid=fast["run_url"].split("/")[-2])
    assert fast["kernel_url"] == f"http://testserver/kernels/{run.kernel.sha256}/"


def test_every_leader_of_the_page_is_a_row_in_its_order_with_the_same_figures(
    client: Client, seeded: Seeded
) -> None:
    page = client.get("/").content.decode()
    shown = re.findall(r'<div class="leader">.*?</div>', page, re.DOTALL)
    saved = read(client, "/leaders.csv")
    assert len(shown) == len(saved) > 20
    for leader, row in zip(shown, saved, strict=True):
        figure = ratio(float(row["ratio"])) if row["ratio"] else share(float(row["share"]))
        assert text_of(leader).startswith(figure.replace("\xa0", " "))
        assert row["model"][:20] in text_of(leader)
        assert row["board_url"].removeprefix("http://testserver") in leader.replace("&amp;", "&")
    assert {one["provenance"] for one in saved} == {"verified", "paper"}
    assert page.count('href="/leaders.csv"') == page.count('href="/leaders.json"') == 2
    same = json.loads(client.get("/leaders.json").getvalue())
    assert same["page"] == "http://testserver/"
    assert [one["board_url"] for one in same["rows"]] == [one["board_url"] for one in saved]


def test_new_records_are_the_ten_newest_of_the_page(client: Client) -> None:
    for number in range(12):
        entry = rows.judged(["p"] * 5, model=rows.model(name=f"M{number}"), ratio=0.25 + number / 8)
        at = AT + timedelta(hours=number)
        Run.objects.filter(owner=entry.owner, kernel__turns__trajectory__entry=entry).update(
            finished_at=at
        )
    rebuild(at=AT + timedelta(days=1))
    saved = read(client, "/records.csv")
    assert [one["model"] for one in saved] == [f"M{number}" for number in range(11, 1, -1)]
    first = saved[0]
    assert (first["problem"], first["device"], first["ratio"], first["before"]) == (
        *(GEMM, "h200", "1.625", "1.5"),
    )
    page = client.get("/").content.decode()
    table = page[page.index("New records of speed") :]
    words = [text_of(one) for one in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)[1:11]]
    for row, line in zip(saved, words, strict=True):
        assert row["at"][:16].replace("T", " ") in line
        assert f" {row['model']} {ratio(float(row['ratio']))} " in line
    assert 'href="/records.json"' in page


def test_who_is_held_leads_nothing_and_broke_no_record_in_any_file(client: Client) -> None:
    entry = rows.judged(["p"], model=rows.model(name="Quartz"))
    rebuild(at=AT)
    for address in ("/leaders.csv", "/records.csv"):
        assert [one["model"] for one in read(client, address)][:1] == ["Quartz"]
    rows.hold(Turn.objects.get(trajectory__entry=entry))
    rebuild(at=AT)
    for visitor in (client, signed_in(staff=True)):
        for address in ("/leaders.csv", "/records.csv"):
            assert [one["model"] for one in read(visitor, address)] == []


def test_files_of_the_first_page_are_cached_as_it_is_and_by_nobody_for_who_signed_in(
    client: Client, seeded: Seeded, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for address in ("/leaders.csv", "/records.csv"):
        with django_assert_max_num_queries(5):
            first = client.get(address)
        assert first["Cache-Control"] == client.get("/")["Cache-Control"]
        headers = {"If-None-Match": first["ETag"]}
        with django_assert_max_num_queries(1):
            assert client.get(address, headers=headers).status_code == 304
        rows.judged(["p"] * 5, ratio=3.0)
        rebuild(at=AT)
        assert client.get(address, headers=headers).status_code == 200
        mine = signed_in().get(address)
        assert "private" in mine["Cache-Control"]
        assert "ETag" not in mine
