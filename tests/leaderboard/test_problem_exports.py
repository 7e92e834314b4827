"""What pages of problems show as files: the list of them, how each is called, its devices and the first rows of its boards."""

import csv
import io
import json
import re

from django.test import Client
from page_reading import text_of


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
        assert page == " ".join([*words, file["targets"].replace(" ", ", "), file["version"]])
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
