"""What pages show as files: the same rows, the same figures, for the same viewers."""

import csv
import io
import json
import re

import judged_rows as rows
import pytest
from django.http import HttpResponseBase
from django.test import Client
from judged_rows import AT, GEMM, LATER
from page_reading import text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Entry, Hold, Run, Trajectory
from evaluation.services import withdraw
from leaderboard.projection import rebuild, refresh, refresh_kernels
from leaderboard.selectors import BoardPage, BoardQuery, board_page
from leaderboard.templatetags.figures import ratio, share
from leaderboard.views import export_views

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

# 20 turns, 5 correct, of which 3 by the matrix path; 4 of 5 trajectories solved, 3 by the path.
FIVE = ["pf--", "p---", "----", "-p--", "f---"]
BOARDS = {
    "correctness": ("hopper", "correct"),
    "instruction": ("hopper", "family_correct"),
    "speed": ("h200", "correct"),
}


def content(answer: HttpResponseBase) -> bytes:
    assert answer.status_code == 200, answer
    if answer.streaming:
        return b"".join(answer.streaming_content)  # type: ignore[attr-defined]  # of streams alone
    found: bytes = answer.content  # type: ignore[attr-defined]  # of the others
    return found


def read_csv(client: Client, address: str) -> list[dict[str, str]]:
    text = content(client.get(address)).decode()
    return list(csv.DictReader(io.StringIO(text, newline="")))


def read_json(client: Client, address: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(content(client.get(address)))["rows"]
    return found


def table_rows(client: Client, address: str) -> list[str]:
    """The words of each row of a page's first table, without its head."""
    page = client.get(address).content.decode()
    body = page[page.index("<tbody>") : page.index("</tbody>")]
    return [text_of(one) for one in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)]


def percent(cell: str) -> str:
    return share(float(cell)).replace("\xa0", " ") if cell else "–"


def test_a_row_of_correctness_has_every_figure_in_full(client: Client) -> None:
    entry = rows.judged(FIVE, model=rows.model(name="Quartz", slug="quartz"))
    rebuild(at=AT)
    (row,) = read_csv(client, f"/boards/correctness/hopper.csv?problem={GEMM}&T=4")
    expected = {
        "board": "correctness-hopper-gemm-n7168-k5120-v1-cuda-judge-1",
        "provenance": "verified",
        "turn_limit": "4",
        "rank_low": "1",
        "rank_high": "1",
        "unranked_why": "",
        "model": "Quartz",
        "model_url": "http://testserver/models/quartz/",
        "entry_url": f"http://testserver/entries/{entry.uid}/",
        "correct_share": "0.25",
        "correct_unit": "turn",
        "correct_hits": "5",
        "correct_counted": "20",
        "correct_declared": "20",
        "correct_open": "0",
        "solved_share": "0.8",
        "solved_hits": "4",
        "beside_abandoned": "0",
        "measured_on": "h200",
    }
    assert {name: row[name] for name in expected} == expected
    assert 0 < float(row["correct_share_low"]) < 0.25 < float(row["correct_share_high"]) < 1
    assert "best_ratio" not in row


def test_a_row_of_speed_has_ratio_times_and_fast_p_at_the_p_that_was_asked_for(
    client: Client,
) -> None:
    rows.judged(FIVE, ratio=0.5)
    rebuild(at=AT)
    address = f"/boards/speed/h200.json?problem={GEMM}&T=4&p=0.25"
    (row,) = read_json(client, address)
    assert (row["best_ratio"], row["best_ratio_low"], row["best_ratio_high"]) == (
        0.5,
        0.4375,
        0.5625,
    )
    assert (row["candidate_ns"], row["vendor_ns"], row["timed_turns"]) == (400, 200, 5)
    assert (row["fast_p"], row["fast_share"], row["fast_hits"]) == (0.25, 0.25, 5)
    run = Run.objects.get(uid=str(row["run_url"]).split("/")[-2])
    assert row["kernel_url"] == f"http://testserver/kernels/{run.kernel.sha256}/"


@pytest.mark.parametrize("provenance", ["verified", "reported", "paper"])
@pytest.mark.parametrize("kind", BOARDS)
@pytest.mark.parametrize("scope", [f"problem={GEMM}&", ""], ids=["problem", "suite"])
def test_a_file_has_the_rows_of_its_page_in_their_order_with_the_same_figures(
    client: Client, seeded: Seeded, kind: str, provenance: str, scope: str
) -> None:
    place, rate = BOARDS[kind]
    if kind == "speed" and provenance != "verified":
        place = "h100"
    query = scope + "T=8" + ("" if provenance == "verified" else f"&provenance={provenance}")
    if "</tbody>" not in client.get(f"/boards/{kind}/{place}/?{query}").content.decode():
        assert read_csv(client, f"/boards/{kind}/{place}.csv?{query}") == []
        return
    shown = table_rows(client, f"/boards/{kind}/{place}/?{query}")
    saved = read_csv(client, f"/boards/{kind}/{place}.csv?{query}")
    assert len(shown) == len(saved) > 0
    for page, file in zip(shown, saved, strict=True):
        assert file["model"][:20] in page
        rank = file["rank_low"] or "–"
        if file["rank_high"] != file["rank_low"]:
            rank += f"–{file['rank_high']}"
        assert page.startswith(f"{rank} ")
        if kind == "speed":
            assert ratio(float(file["best_ratio"]) if file["best_ratio"] else None) in page
        elif f"{rate}_share" in file:
            assert percent(file[f"{rate}_share"]) in page
            if file[f"{rate}_hits"]:
                assert f"{file[f'{rate}_hits']} of {file[f'{rate}_counted']} turns" in page


def test_csv_and_json_of_a_page_say_the_same(client: Client, seeded: Seeded) -> None:
    one = read_csv(client, f"/boards/speed/h200.csv?problem={GEMM}")
    other = read_json(client, f"/boards/speed/h200.json?problem={GEMM}")
    assert [row["entry"] for row in one] == [row["entry"] for row in other] != []
    ratios = [float(row["best_ratio"]) if row["best_ratio"] else None for row in one]
    assert ratios == [row["best_ratio"] for row in other]


def test_a_question_that_no_page_answers_is_answered_by_no_file(client: Client) -> None:
    assert client.get("/boards/correctness/hopper.csv?problem=nothing").status_code == 400
    assert client.get("/boards/correctness/hopper.csv?format=x").status_code == 400
    assert client.get("/boards/correctness/voodoo.csv").status_code == 404
    assert client.get("/boards/speed/abacus.json").status_code == 404
    assert client.get("/boards/speed/h200.xml").status_code == 404
    answer = client.get(f"/boards/speed/h200.csv?p=1&problem={GEMM}")
    assert answer.headers["Location"] == f"/boards/speed/h200.csv?problem={GEMM}"
    assert read_csv(client, "/boards/correctness/hopper.csv") == []


def test_a_file_of_a_board_is_cached_like_its_page_and_costs_as_many_queries(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    entry = rows.judged(FIVE)
    rebuild(at=AT)
    address = f"/boards/correctness/hopper.csv?problem={GEMM}&T=4"
    with django_assert_max_num_queries(6):
        first = client.get(address)
    assert first["Cache-Control"] == "public, max-age=10"
    assert first["Content-Disposition"] == (
        'attachment; filename="correctness-hopper-gemm-n7168-k5120-v1-cuda-judge-1.csv"'
    )
    headers = {"If-None-Match": first["ETag"]}
    with django_assert_max_num_queries(1):
        assert client.get(address, headers=headers).status_code == 304
    rows.judged(["pppp"] * 5)
    rebuild(at=AT)
    assert client.get(address, headers=headers).status_code == 200
    mine = signed_in().get(f"/entries/{entry.uid}.csv")
    assert "private" in mine["Cache-Control"]
    assert "ETag" not in mine


def test_a_file_that_changed_while_it_was_read_is_had_by_nobody_after_a_withdrawal(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    refresh([rows.judged(FIVE).pk], at=AT)
    entry = rows.judged(FIVE, model=rows.model(name="Quartz"))
    address = f"/boards/correctness/hopper.csv?problem={GEMM}&T=4"
    before = client.get(address)["ETag"]
    read = board_page

    def read_late(query: BoardQuery, *, start: int) -> BoardPage:
        refresh([entry.pk], at=AT)
        return read(query, start=start)

    with monkeypatch.context() as patched:
        patched.setattr(export_views, "board_page", read_late)
        early = client.get(address)
    assert b"Quartz" in content(early)
    assert len({before, early["ETag"], client.get(address)["ETag"]}) == 3
    assert withdraw(entry, reason="A wrong file was handed in.", at=LATER)
    refresh([entry.pk], at=LATER)
    after = client.get(address, headers={"If-None-Match": early["ETag"]})
    assert b"Quartz" not in content(after)


def test_a_hostile_name_is_guarded_in_csv_and_kept_in_json(client: Client) -> None:
    name = "=cmd|' /C calc'!A0"
    rows.judged(FIVE, model=rows.model(name=name), harness="@SUM(A1)")
    rebuild(at=AT)
    address = f"/boards/correctness/hopper.{{}}?problem={GEMM}&T=4"
    (row,) = read_csv(client, address.format("csv"))
    assert (row["model"], row["harness"]) == (f"'{name}", "'@SUM(A1)")
    (kept,) = read_json(client, address.format("json"))
    assert kept["model"] == name


def test_the_cells_of_an_entry_and_of_its_model_are_those_of_their_pages(
    client: Client, seeded: Seeded
) -> None:
    assert seeded.whole.model is not None
    for page in (f"/entries/{seeded.whole.uid}", f"/models/{seeded.whole.model.slug}"):
        html = client.get(f"{page}/").content.decode()
        bodies = re.findall(r"<h2>(?:Correctness|Instruction|Speed), .*?</table>", html, re.DOTALL)
        shown = sum(one.count("<tr>") - 1 for one in bodies)
        saved = read_csv(client, f"{page}.csv")
        assert len(saved) == shown > 0
        assert {row["turn_limit"] for row in saved} == {"8"}
        assert {row["kind"] for row in saved} == {"correctness", "instruction", "speed"}
    (own,) = read_csv(client, f"/models/{seeded.whole.model.slug}/entries.csv")
    assert (own["entry"], own["harness"]) == (str(seeded.whole.uid), "mini-swe-agent")


def test_the_turns_of_a_trajectory_stand_one_a_row_with_both_words(
    client: Client, seeded: Seeded
) -> None:
    place = Trajectory.objects.filter(entry=seeded.whole, problem=GEMM, number=0).get()
    found = read_csv(client, f"/trajectories/{place.uid}.csv")
    assert [row["turn"] for row in found] == ["1", "2", "3", "4", "5", "6", "7", "8"]
    first, third = found[0], found[3]
    assert (first["state"], first["verdict"], first["h200_ratio"]) == ("judged", "accepted", "0.5")
    assert (first["reported_ratio"], first["reported_device"]) == ("0.75", "NVIDIA H100")
    assert (third["verdict"], third["correct"], third["h200_ratio"]) == ("wrong_result", "no", "")
    whole = read_csv(client, f"/entries/{seeded.whole.uid}/turns.csv")
    assert len(whole) == 20 * 8
    rest = read_csv(client, f"/entries/{seeded.whole.uid}/turns.csv?first=20")
    assert len(rest) == (5 * 6 - 20) * 8
    assert client.get(f"/entries/{seeded.whole.uid}/turns.csv?first=x").status_code == 400


def test_models_are_listed_with_their_numbers(client: Client, seeded: Seeded) -> None:
    found = {row["model"]: row for row in read_csv(client, "/models.csv")}
    assert found["Paper Model A"]["published_values"] == "15"
    assert found["Quartz 4"]["public_entries"] == "1"
    assert found["Onyx"]["public_entries"] == "0"


@pytest.mark.parametrize("which", ["private", "embargoed", "withdrawn"])
def test_what_is_not_public_is_in_no_file_but_its_owners(
    client: Client, seeded: Seeded, which: str
) -> None:
    entry: Entry = getattr(seeded, which)
    place = Trajectory.objects.filter(entry=entry)[0]
    files = [f"/entries/{entry.uid}/turns.csv", f"/trajectories/{place.uid}.json"]
    for visitor in (client, signed_in()):
        assert visitor.get(files[1]).status_code == 404
        if which == "withdrawn":
            assert read_csv(visitor, files[0]) == []
            assert read_csv(visitor, f"/entries/{entry.uid}.csv") == []
        else:
            assert visitor.get(files[0]).status_code == 404
            assert visitor.get(f"/entries/{entry.uid}.csv").status_code == 404
    for visitor in (signed_in(staff=True), signed_in(owns_all=True)):
        assert len(read_csv(visitor, files[0])) == 5
    for file in ("/models.csv", "/boards/correctness/hopper.csv?T=8"):
        assert str(entry.uid) not in content(client.get(file)).decode()


def test_a_held_turn_cannot_be_told_from_an_open_one_in_any_file(client: Client) -> None:
    entry = rows.judged(["p---", *["----"] * 4])
    (turn,) = (
        one
        for place in Trajectory.objects.filter(entry=entry, number=0)
        for one in place.turns.filter(number=0)
    )
    run = Run.objects.get(kernel=turn.kernel)
    place = turn.trajectory.uid
    files = [
        f"/boards/correctness/hopper.csv?problem={GEMM}&T=4",
        f"/boards/speed/h200.json?problem={GEMM}&T=4",
        f"/entries/{entry.uid}.csv",
        f"/entries/{entry.uid}/turns.json",
        f"/trajectories/{place}.csv",
    ]
    hold = rows.hold(turn)
    rebuild(at=AT)
    held = [content(client.get(one)) for one in files]
    Hold.objects.filter(pk=hold.pk).delete()
    Run.objects.filter(pk=run.pk).delete()
    rows.run(turn, "o")
    refresh_kernels([run.kernel_id], at=AT)
    rebuild(at=AT)
    assert [content(client.get(one)) for one in files] == held
    assert b"accepted" not in b"".join(held)
