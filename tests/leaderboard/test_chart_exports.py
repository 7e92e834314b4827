"""What charts show as files: the numbers of the tables behind them, to whom their pages show them."""

import csv
import io
import re
from itertools import pairwise

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import text_of
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Entry, Run, Turn
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


def chart_rows(client: Client, page: str, name: str) -> list[list[str]]:
    """The words of the cells of a chart's table, and the file that the chart leads to as the last row."""
    html = client.get(page).content.decode()
    chart = html[html.index(f'id="chart-{name}"') :]
    chart = chart[: chart.index("</figure>")]
    body = chart[chart.index("<tbody>") : chart.index("</tbody>")]
    found = [
        [text_of(cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
        for row in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)
    ]
    (file,) = re.findall(r'href="([^"]*\.csv[^"]*)"', chart)
    assert file.replace(".csv", ".json") in chart
    return [*found, [file.replace("&amp;", "&")]]


def plain(text: str) -> str:
    return text.replace("\xa0", " ")


def first_turn(entry: Entry) -> Turn:
    return Turn.objects.get(trajectory__entry=entry, trajectory__number=0, number=0)


def test_a_curve_of_fast_p_has_its_steps_with_how_many_turns_are_faster(client: Client) -> None:
    """Of 20 turns 5 are correct, all of them at half the vendor's speed."""
    entry = rows.judged(FIVE, model=rows.model(name="Quartz"), ratio=0.5)
    rebuild(at=AT)
    page = f"/boards/speed/h200/?problem={GEMM}&T=4"
    *shown, (file,) = chart_rows(client, page, "fast")
    assert file == f"/boards/speed/h200/fast.csv?problem={GEMM}&T=4"
    names = ("model", "entry", "turn_limit", "from_p", "fast_share", "fast_hits", "fast_counted")
    assert [tuple(one[name] for name in names) for one in read(client, file)] == [
        ("Quartz", str(entry.uid), "4", "0.0", "0.25", "5", "20"),
        ("Quartz", str(entry.uid), "4", "0.5", "0.0", "0", "20"),
    ]
    assert [row[3] for row in shown] == ["5 of 20", "0 of 20"]


def test_a_board_without_curves_has_a_file_without_rows_and_a_wrong_question_has_none(
    client: Client,
) -> None:
    assert read(client, "/boards/speed/h200/fast.csv") == []
    assert client.get("/boards/speed/h200/fast.csv?p=much").status_code == 400
    assert client.get("/boards/speed/abacus/fast.csv").status_code == 404
    moved = client.get(f"/boards/speed/h200/fast.csv?p=1&problem={GEMM}")
    assert moved.headers["Location"] == f"/boards/speed/h200/fast.csv?problem={GEMM}"


def test_curves_over_turns_have_value_and_counts_of_each_turn_limit(client: Client) -> None:
    """Correct are 3 of the first turns, and 5 of all 20."""
    model = rows.model(name="Quartz", slug="quartz")
    entry = rows.judged(FIVE, model=model)
    rebuild(at=AT)
    for page in ("/models/quartz/", f"/entries/{entry.uid}/"):
        *shown, (file,) = chart_rows(client, page, "over-turns-correctness")
        assert file == f"{page}over-turns.csv"
        saved = [one for one in read(client, file) if one["kind"] == "correctness"]
        found = {one["turn_limit"]: (one["hits"], one["counted"]) for one in saved}
        assert found == {"1": ("3", "5"), "4": ("5", "20")}
        assert {one["entry"] for one in saved} == {str(entry.uid)}
        assert len(shown) == len(saved)
        for line, row in zip(shown, saved, strict=True):
            assert line[1] == row["turn_limit"]
            assert line[2] == plain(share(float(row["share"])))
            assert line[4] == f"{row['hits']} of {row['counted']}"


def test_timed_turns_stand_with_what_was_reported_of_the_same_device_and_with_tokens(
    client: Client,
) -> None:
    entry = rows.judged(["p", "p"], ratio=0.5)
    turns = Turn.objects.filter(trajectory__entry=entry).order_by("trajectory__number")
    rows.reported(turns[0], correct=True, speedup=0.75, device="NVIDIA H200")
    rows.reported(turns[1], correct=True, speedup=2.0, device="NVIDIA H100")
    Turn.objects.filter(pk=turns[1].pk).update(completion_tokens=3400)
    rebuild(at=AT)
    page = f"/entries/{entry.uid}/"
    names = ("number", "turn", "device", "ratio", "reported_ratio", "completion_tokens")
    *reported, (file,) = chart_rows(client, page, "reported")
    assert file == f"{page}timed-turns.csv"
    assert [tuple(one[name] for name in names) for one in read(client, file)] == [
        ("1", "1", "h200", "0.5", "0.75", ""),
        ("2", "1", "h200", "0.5", "", "3400"),
    ]
    *tokens, (same,) = chart_rows(client, page, "tokens")
    assert same == file
    assert [row[2:4] for row in reported] == [[ratio(0.75), ratio(0.5)]]
    assert [row[2] for row in tokens] == ["3,400"]


def test_the_map_of_a_model_has_a_row_a_cell_with_what_it_was_chosen_from(client: Client) -> None:
    model = rows.model(name="Quartz", slug="quartz")
    best = rows.judged(FIVE, model=model, ratio=0.5)
    rows.judged(["p---", *["----"] * 4], model=model, ratio=0.25)
    rebuild(at=AT)
    names = ("problem", "device", "turn_limit", "share", "ratio", "entries_not_shown")
    saved = {one["kind"]: one for one in read(client, "/models/quartz/map.csv")}
    assert tuple(saved["correctness"][name] for name in names) == (GEMM, "", "4", "0.25", "", "1")
    assert saved["correctness"]["measured_on"] == "h200"
    assert tuple(saved["speed"][name] for name in names) == (GEMM, "h200", "4", "", "0.5", "1")
    assert saved["speed"]["entry_url"] == f"http://testserver/entries/{best.uid}/"
    page = client.get("/models/quartz/").content.decode()
    maps = re.findall(r'<table class="map">.*?</table>', page, re.DOTALL)
    assert ["25.0 % T = 4, best of 2" in text_of(one) for one in maps] == [True, True, False]
    assert 'href="/models/quartz/map.json"' in page


def test_the_newest_entries_of_a_model_are_those_of_its_page(client: Client) -> None:
    model = rows.model(name="Quartz", slug="quartz")
    found = [rows.judged(["p"], model=model, harness=f"h{number}") for number in range(12)]
    rebuild(at=AT)
    saved = read(client, "/models/quartz/newest.csv")
    page = client.get("/models/quartz/").content.decode()
    part = page[page.index("<h2>Public entries</h2>") :]
    assert re.findall(r'<th scope="row"><a href="/entries/([^/]+)/"', part) == [
        one["entry"] for one in saved
    ]
    assert len(saved) == 10
    assert {one["entry"] for one in saved} < {str(one.uid) for one in found}
    assert 'href="/models/quartz/newest.json"' in part


def test_the_charts_of_a_run_have_their_numbers_in_files(client: Client, seeded: Seeded) -> None:
    uid = seeded.evidence.uid
    saved = read(client, f"/runs/{uid}/times.csv")
    for name, side in (("times-run-kernel", "kernel"), ("times-run-vendor", "vendor")):
        *shown, (file,) = chart_rows(client, f"/runs/{uid}/", name)
        assert file == f"/runs/{uid}/times.csv"
        bins = [one for one in saved if one["side"] == side]
        assert [row[2].replace(",", "") for row in shown] == [one["calls"] for one in bins]
        for low, high in pairwise(bins):
            assert int(low["from_ns"]) < int(low["below_ns"]) == int(high["from_ns"])
    pairs = {
        side: sum(int(one["calls"]) for one in saved if one["side"] == side)
        for side in ("kernel", "vendor")
    }
    assert pairs["kernel"] == pairs["vendor"] > 0
    *shown, (file,) = chart_rows(client, f"/runs/{uid}/", "clocks-run")
    clocks = read(client, file)
    assert len(shown) == len(clocks) > 0
    for line, row in zip(shown, clocks, strict=True):
        assert line == [
            f"{int(row['since_first_ns']) / 1e9:.3f} s",
            f"{int(row['sm_mhz']):,} MHz",
            f"{int(row['memory_mhz']):,} MHz",
            f"{row['temperature_c']} °C",
            f"{int(row['power_mw']) / 1000:.1f} W",
            row["clock_event_reasons"],
        ]
    *shown, (file,) = chart_rows(client, f"/runs/{uid}/", "opcodes-run")
    opcodes = read(client, file)
    assert [row[:2] for row in shown] == [
        [one["opcode"], f"{int(one['rows']):,}"] for one in opcodes
    ]
    assert sum(float(one["share"]) for one in opcodes) == pytest.approx(1)


def test_charts_on_the_page_of_a_kernel_lead_to_the_files_of_its_newest_run(
    client: Client, seeded: Seeded
) -> None:
    page = f"/kernels/{seeded.evidence.kernel.sha256}/"
    for name in ("times-cuda-kernel", "clocks-cuda", "opcodes-cuda"):
        file = chart_rows(client, page, name)[-1][0]
        assert file.startswith(f"/runs/{seeded.evidence.uid}/")
        assert read(client, file) != []


def test_a_run_without_samples_has_files_without_rows(client: Client, seeded: Seeded) -> None:
    for table in ("times", "clocks", "opcodes"):
        assert read(client, f"/runs/{seeded.refused.uid}/{table}.csv") == []


@pytest.mark.parametrize("which", ["private", "embargoed"])
def test_files_of_charts_are_there_for_those_who_see_their_page(
    client: Client, seeded: Seeded, which: str
) -> None:
    entry: Entry = getattr(seeded, which)
    run = Run.objects.filter(kernel__turns__trajectory__entry=entry)[0]
    files = [
        *(f"/entries/{entry.uid}/{table}.csv" for table in ("over-turns", "timed-turns")),
        *(f"/runs/{run.uid}/{table}.csv" for table in ("times", "clocks", "opcodes")),
    ]
    for one in files:
        for visitor in (client, signed_in()):
            assert visitor.get(one).status_code == 404
        for visitor in (signed_in(staff=True), signed_in(owns_all=True)):
            answer = visitor.get(one)
            assert answer.status_code == 200
            assert "private" in answer["Cache-Control"]


def test_a_held_kernel_is_in_no_file_of_a_chart(client: Client) -> None:
    model = rows.model(name="Quartz", slug="quartz")
    entry = rows.judged(["p", *["-"] * 4], model=model, ratio=0.5)
    turn = first_turn(entry)
    rows.reported(turn, correct=True, speedup=0.75, device="NVIDIA H200")
    rebuild(at=AT)
    files = (
        f"/boards/speed/h200/fast.csv?problem={GEMM}&T=1",
        f"/entries/{entry.uid}/timed-turns.csv",
        "/models/quartz/map.csv",
    )
    assert ["0.5" in client.get(one).getvalue().decode() for one in files] == [True] * 3
    rows.hold(turn)
    rebuild(at=AT)
    assert ["0.5" in client.get(one).getvalue().decode() for one in files] == [False] * 3


def test_files_of_charts_take_as_many_queries_as_there_are_reads_on_the_page(
    client: Client, seeded: Seeded, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    single = Entry.objects.get(trajectory_rows__turns__kernel=seeded.evidence.kernel)
    for address in (
        f"/boards/speed/h200/fast.csv?problem={GEMM}",
        "/models/quartz-4/over-turns.csv",
        "/models/quartz-4/map.csv",
        "/models/quartz-4/newest.csv",
        f"/entries/{seeded.whole.uid}/over-turns.csv",
        f"/entries/{single.uid}/timed-turns.csv",
        f"/runs/{seeded.evidence.uid}/times.csv",
    ):
        with django_assert_max_num_queries(8):
            assert read(client, address) != []
