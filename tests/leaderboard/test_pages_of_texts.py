"""Pages of texts, problems and machines, and the filters that write figures."""

import tomllib
from datetime import timedelta

import evaluation_rows
import pytest
from django.test import Client
from django.utils import timezone
from page_reading import found_in, strictly, text_of
from site_fixtures import signed_in

from evaluation.core.verdict import Verdict
from leaderboard.templatetags import figures
from leaderboard.views.text_views import html_of

pytestmark = pytest.mark.django_db


def words(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    strictly(answer.content.decode())
    return text_of(answer.content.decode())


def test_every_verdict_and_rule_that_evidence_links_to_has_its_place(client: Client) -> None:
    names = found_in(client.get("/verdicts/").content.decode()).names
    assert set(Verdict) <= names
    assert {"include-library", "l1", "c2", "undefined_name", "launch_failed"} <= names
    assert {"signals-of-policy", "signals-of-time"} <= names
    assert "the-interval" in found_in(client.get("/method/").content.decode()).names
    assert "t6" in found_in(client.get("/rules/").content.decode()).names


@pytest.mark.parametrize(
    "address", ["/method/", "/verdicts/", "/rules/", "/published/", "/upload-format/", "/programs/"]
)
def test_a_text_is_not_sent_again_to_who_has_it(client: Client, address: str) -> None:
    words(client, address)
    tag = client.get(address)["ETag"]
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 304


def test_who_hands_in_is_led_to_the_formats_the_problems_and_the_api(client: Client) -> None:
    pages = {
        one: found_in(signed_in().get(one).content.decode())
        for one in ("/submissions/new/", "/tokens/")
    }
    assert {"/upload-format/", "/problems/", "/programs/"} <= set(pages["/submissions/new/"].links)
    assert {"/programs/", "/api/v1/schema"} <= set(pages["/tokens/"].links)
    assert "ptxboard-trajectory" in words(client, "/upload-format/")
    assert "/api/v1/submissions/$SUBMISSION/confirm" in words(client, "/programs/")


def test_html_inside_a_text_is_text() -> None:
    assert html_of("a <b>c</b>") == "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"
    assert "javascript" not in html_of("[a](javascript:alert(1))").split(">", 1)[0]


def test_columns_of_figures_end_at_one_line_and_columns_of_words_do_not() -> None:
    table = "| a | b | c |\n| - | - | - |\n| 8 | 0.47 (0.46 to 0.48) | 6 |\n| x | none | 5 of 9 |"
    assert [row.split("\n")[1:4] for row in html_of(table).split("<tr>")[1:]] == [
        ["<th>a</th>", '<th class="figure">b</th>', "<th>c</th>"],
        ["<td>8</td>", '<td class="figure">0.47 (0.46 to 0.48)</td>', "<td>6</td>"],
        ["<td>x</td>", '<td class="figure">none</td>', "<td>5 of 9</td>"],
    ]


def test_a_problem_says_what_to_compute_on_what_and_how_exactly(client: Client) -> None:
    said = words(client, "/problems/gemm_n7168_k5120/")
    for one in (
        "C[m,n] = sum over k of A[m,k] * B[n,k]",
        "601,295,421,440 FLOPs",  # 2 x 8192 x 7168 x 5120
        "157,286,400 bytes",  # 2 x (8192 x 5120 + 7168 x 5120)
        "117,440,512 bytes",  # 2 x 8192 x 7168
        "max(0.01, 0.01 |y|)",
        "Hopper: at least one of gmma, tma; Blackwell: at least one of tcgen05",
        "cuBLAS",
        "M × K = 8192 × 5120",
    ):
        assert one in said, one


def test_the_definition_of_a_problem_can_be_saved(client: Client) -> None:
    answer = client.get("/problems/gemm_n7168_k5120.toml")
    assert tomllib.loads(answer.content.decode())["name"] == "gemm_n7168_k5120"
    assert "attachment" in answer["Content-Disposition"]


def test_the_status_says_which_device_nobody_serves_and_names_workers_to_staff_alone(
    client: Client,
) -> None:
    now = timezone.now()
    evaluation_rows.worker(name="host-7", queue="measure.h200", device="h200", last_heard_at=now)
    evaluation_rows.worker(
        name="host-8", queue="measure.b200", last_heard_at=now - timedelta(hours=1)
    )
    evaluation_rows.device(product="h200", driver="580.159.04", last_heard_at=now)
    evaluation_rows.queue_switch(queue="prepare", paused_at=now, why="the disk is full")
    evaluation_rows.run()
    said = words(client, "/status/")
    assert "measuring on H200 serving 1 0 0" in said
    assert "measuring on B200 no B200 worker is heard 0 0 0" in said
    assert "measuring on H100-SXM no H100-SXM worker 0 0 0 never" in said
    assert "preparing (no GPU) paused: the disk is full 0 0 1 never" in said
    assert "H200 1 0 580.159.04" in said
    assert "host-7" not in said
    assert "host-7: judge 1, schema 2" in words(signed_in(staff=True), "/status/")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (999, "999 ns"),
        (15_400, "15.40 µs"),
        (752_904, "752.9 µs"),
        (2_428_672, "2.429 ms"),
        (12_000_000_000, "12.00 s"),
        (None, "–"),
    ],
)
def test_a_time_is_written_in_the_unit_that_suits(value: int | None, written: str) -> None:
    assert figures.duration(value).replace("\xa0", " ") == written


@pytest.mark.parametrize(
    ("number", "noun", "written"),
    [
        (0, "turn", "0 turns"),
        (1, "turn", "1 turn"),
        (1, "trajectory trajectories", "1 trajectory"),
        (12_345, "trajectory trajectories", "12,345 trajectories"),
    ],
)
def test_a_noun_follows_its_number(number: int, noun: str, written: str) -> None:
    assert figures.counted(number, noun) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.9945, "0.9945×"),
        (1.0646, "1.065×"),
        (0.00907, "0.009070×"),
        (12.5, "12.50×"),
        (None, "–"),
    ],
)
def test_a_ratio_has_four_figures(value: float | None, written: str) -> None:
    assert figures.ratio(value) == written


def test_a_share_and_a_size_have_their_units() -> None:
    assert figures.share(0.125).replace("\xa0", " ") == "12.5 %"
    assert figures.share(None) == "–"
    assert figures.steps("P = A B; O = P V") == "P = A B\nO = P V"
    assert figures.size(1023).replace("\xa0", " ") == "1023 B"
    assert figures.size(157_286_400).replace("\xa0", " ") == "150 MiB"
    assert figures.size(1_572_864).replace("\xa0", " ") == "1.500 MiB"


def test_a_name_is_one_line_cut_with_what_hides_in_it_spelled_out() -> None:
    assert figures.shown("a\n b\u202ec") == "a b⟨U+202E⟩c"
    assert figures.shown("x" * 200, 5) == "xxxx…"
    assert figures.visible("a\tb\0") == "a\tb⟨U+0000⟩"
