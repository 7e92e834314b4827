"""What pages of problems show as files: the list of them, how each is called, its devices and the first rows of its boards."""

import csv
import io
import json
import re

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

from evaluation.models import Turn
from leaderboard.projection import rebuild
from leaderboard.templatetags.figures import ratio, share

__all__ = ["artifacts", "seeded"]  # fixtures


def read(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200, answer
    assert answer["Content-Disposition"].startswith("attachment; ")
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def rows_of(html: str) -> list[str]:
    """The words of each row of the bodies of tables."""
    bodies = re.findall(r"<tbody>(.*?)</tbody>", html, re.DOTALL)
    rows = (one for body in bodies for one in re.findall(r"<tr>.*?</tr>", body, re.DOTALL))
    return [text_of(one) for one in rows]


def test_problems_stand_in_their_file_as_on_their_page_with_their_suite(client: Client) -> None:
    shown = rows_of(client.get("/problems/").content.decode())
    saved = read(client, "/problems.csv")
    assert len(shown) == len(saved) == 21
    for page, file in zip(shown, saved, strict=True):
        words = [file["title"], file["problem"], file["kind"].replace("_", " ")]
        whole = " ".join([*words, file["targets"].replace(" ", ", "), file["version"]])
        assert page.casefold() == whole.casefold()
    assert [one["suite"] for one in saved] == ["paper"] * 5 + ["neighbours"] * 16
    assert [one["ranked"] for one in saved] == ["yes"] * 5 + ["no"] * 16
    found = {one["problem"]: one for one in saved}["gemm_n7168_k5120"]
    assert found == {
        "suite": "paper",
        "ranked": "yes",
        "title": "GEMM 8192 x 7168 x 5120, bf16",
        "problem": "gemm_n7168_k5120",
        "problem_url": "http://testserver/problems/gemm_n7168_k5120/",
        "kind": "gemm",
        "targets": "hopper blackwell",
        "version": "1",
    }


def test_the_list_of_problems_is_cached_as_its_page_is(client: Client) -> None:
    first = client.get("/problems.json")
    assert first["Cache-Control"] == client.get("/problems/")["Cache-Control"]
    assert json.loads(first.getvalue())["page"] == "http://testserver/problems/"
    assert client.get("/problems.json", headers={"If-None-Match": first["ETag"]}).status_code == 304


@pytest.mark.django_db
def test_the_arguments_of_a_problem_stand_in_the_order_of_the_call(client: Client) -> None:
    normal = "independent normal values, mean 0, standard deviation 1"
    assert [tuple(one.values()) for one in read(client, f"/problems/{GEMM}/arguments.csv")] == [
        ("A", "input", "bfloat16", "M K", "8192 5120", "", "83886080", normal),
        ("B", "input", "bfloat16", "N K", "7168 5120", "", "73400320", normal),
        ("C", "output", "bfloat16", "M N", "8192 7168", "", "117440512", "written"),
    ]
    page = client.get(f"/problems/{GEMM}/").content.decode()
    table = page[page.index("Table of arguments") :]
    first = rows_of(table[: table.index("</table>")])[0]
    assert first == f"A input bfloat16 M × K = 8192 × 5120 83,886,080 {normal}"


@pytest.mark.django_db
def test_the_devices_of_a_problem_have_the_vendor_s_time_and_the_floor_in_nanoseconds(
    client: Client,
) -> None:
    found = {one["device"]: one for one in read(client, f"/problems/{GEMM}/devices.csv")}
    h200 = found["h200"]
    # 0.97 * 7/8 * 601,295,421,440 FLOP / 957 TFLOP/s = 533,280.5 ns
    assert (h200["vendor_ns"], h200["floor_ns"]) == ("752000", "533280")
    assert h200["bound_by"] == "the matrix units at 957 TFLOP/s"
    assert float(h200["ratio_at_floor"]) == pytest.approx(752_000 / 533_280)
    unmeasured = {"vendor_ns": "", "floor_ns": "", "bound_by": "", "ratio_at_floor": ""}
    assert found["h100-nvl"] == {"device": "h100-nvl", **unmeasured, "source": ""}
    page = client.get(f"/problems/{GEMM}/").content.decode()
    table = page[page.index("Table of devices") :]
    assert len(rows_of(table[: table.index("</table>")])) == len(found)
    for ending in ("csv", "json"):
        for name in ("arguments", "devices"):
            assert f'href="/problems/{GEMM}/{name}.{ending}"' in page


@pytest.mark.django_db
def test_the_first_rows_of_every_board_stand_in_one_file_board_after_board(
    client: Client, seeded: Seeded
) -> None:
    page = client.get(f"/problems/{GEMM}/").content.decode()
    part = page[page.index("<h2>Who leads</h2>") : page.index(f"/problems/{GEMM}/boards.csv")]
    shown = rows_of(part)
    saved = read(client, f"/problems/{GEMM}/boards.csv")
    assert len(shown) == len(saved) > 10
    assert {one["kind"] for one in saved} == {"correctness", "instruction", "speed"}
    for line, row in zip(shown, saved, strict=True):
        assert row["model"][:20] in line
        if row["kind"] == "speed":
            best = float(row["best_ratio"]) if row["best_ratio"] else None
            assert ratio(best) in line
        else:
            rate = "correct" if row["kind"] == "correctness" else "family_correct"
            assert share(float(row[f"{rate}_share"])).replace("\xa0", " ") in line


@pytest.mark.django_db
def test_published_leaders_of_a_problem_are_those_of_its_page_alone(
    client: Client, seeded: Seeded
) -> None:
    page = client.get(f"/problems/{GEMM}/").content.decode()
    saved = read(client, f"/problems/{GEMM}/leaders.csv")
    assert len(saved) == page.count('<div class="leader">') > 0
    assert {(one["provenance"], one["problem"]) for one in saved} == {("paper", GEMM)}


@pytest.mark.django_db
def test_a_held_kernel_is_in_no_file_of_its_problem_and_a_changed_board_is_a_changed_file(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    entry = rows.judged(["p"], model=rows.model(name="Quartz"), ratio=0.5)
    rebuild(at=AT)
    address = f"/problems/{GEMM}/boards.csv"
    first = client.get(address)
    saved = {one["kind"]: one for one in csv.DictReader(io.StringIO(first.getvalue().decode()))}
    assert (saved["speed"]["model"], saved["speed"]["best_ratio"]) == ("Quartz", "0.5")
    assert first["Cache-Control"] == client.get(f"/problems/{GEMM}/")["Cache-Control"]
    headers = {"If-None-Match": first["ETag"]}
    with django_assert_max_num_queries(1):
        assert client.get(address, headers=headers).status_code == 304
    rows.hold(Turn.objects.get(trajectory__entry=entry))
    rebuild(at=AT)
    after = client.get(address, headers=headers)
    assert b"0.5" not in after.getvalue()


@pytest.mark.django_db
def test_a_problem_that_is_not_there_has_no_file(client: Client) -> None:
    for table in ("arguments", "devices", "boards", "leaders"):
        assert client.get(f"/problems/nothing/{table}.csv").status_code == 404
        assert client.get(f"/problems/{GEMM}/{table}.xml").status_code == 404
