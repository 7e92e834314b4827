"""The feed of records and changed results, and badges: what they say, and of what they say nothing."""

from datetime import timedelta
from typing import Any
from xml.etree import ElementTree as ET

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, LATER
from pytest_django import DjangoAssertNumQueries
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.models import Entry, Hold, Run, Turn
from evaluation.selectors.verdict_changes import verdict_changes
from leaderboard.exports.badge import badge
from leaderboard.projection import rebuild

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"
BOARD = "correctness-hopper-gemm-n7168-k5120-v1-cuda-judge-1"
SPEED = "speed-h200-gemm-n7168-k5120-v1-cuda-judge-1"


def items(client: Client) -> list[tuple[str, str]]:
    """Title and text of each."""
    tree = ET.fromstring(client.get("/feed/").content)  # noqa: S314 (our own)
    found = tree.findall(f"{ATOM}entry")
    return [(str(e.findtext(f"{ATOM}title")), str(e.findtext(f"{ATOM}summary"))) for e in found]


def first_turn(entry: Entry) -> Turn:
    return Turn.objects.get(trajectory__entry=entry, trajectory__number=0, number=0)


def test_the_feed_tells_records_with_what_they_beat_the_newest_first(client: Client) -> None:
    rows.judged(["p"], single_kernel=True, ratio=0.5, model=rows.model(name="First"))
    second = rows.model(name="Second")
    rows.judged(["p"], single_kernel=True, model=second, ratio=0.75, created_at=LATER)
    rebuild(at=LATER)
    assert items(client) == [
        (
            "Record: 0.7500× at gemm_n7168_k5120 on H200, by Second",
            "0.7500× the vendor’s speed, 0.6875× to 0.8125×; before: 0.5000×.",
        ),
        (
            "Record: 0.5000× at gemm_n7168_k5120 on H200, by First",
            "0.5000× the vendor’s speed, 0.4375× to 0.5625×; the first one there.",
        ),
    ]


def test_a_run_that_found_something_else_than_the_one_before_is_told(client: Client) -> None:
    turn = first_turn(rows.judged(["-"] * 5))
    run = rows.run(turn, "p", ratio=None, judge="2", finished_at=LATER)
    (change,) = verdict_changes(at=LATER)
    assert (change.run, change.judge, change.at) == (str(run.uid), "2", LATER)
    assert (change.before and change.before.verdict) == "wrong_result"
    ((title, text),) = items(client)
    assert title == f"Judged again: kernel {change.kernel[:12]} at gemm_n7168_k5120 on H200"
    assert text.startswith("Now accepted, family yes, matrix path yes; before wrong result, ")


@pytest.mark.parametrize(
    ("letter", "columns"),
    [
        ("p", {}),
        ("-", {"applied": False}),
        ("-", {"device": "h100-sxm"}),
        ("o", {}),
    ],
    ids=["found the same", "not in effect", "on another device", "still waits"],
)
def test_what_changed_nothing_is_not_told(letter: str, columns: dict[str, Any]) -> None:
    turn = first_turn(rows.judged(["p"] * 5, ratio=None))
    extra = {"ratio": None} if letter == "p" else {}
    rows.run(turn, letter, judge="2", **extra, **columns)
    assert verdict_changes(at=LATER) == ()


def test_an_instruction_finding_that_changed_is_told_with_the_same_verdict() -> None:
    turn = first_turn(rows.judged(["f"] * 5, ratio=None))
    rows.run(turn, "p", ratio=None, judge="2")
    (change,) = verdict_changes(at=LATER)
    assert change.before is not None
    assert change.now is not None
    assert (change.before.matrix_path, change.now.matrix_path) == ("no", "yes")


@pytest.mark.parametrize(
    "columns",
    [
        {"visibility": "private"},
        {"visibility": "embargoed", "embargo_until": AT + timedelta(days=3650)},
        {"withdrawn_at": AT, "withdrawn_reason": "A mistake."},
    ],
    ids=["private", "embargoed", "withdrawn"],
)
def test_nothing_is_told_of_what_is_not_public(client: Client, columns: dict[str, Any]) -> None:
    entry = rows.judged(["-", "p", "p", "p", "s"], **columns)
    rows.run(first_turn(entry), "p", judge="2")
    rebuild(at=AT)
    assert verdict_changes(at=LATER) == ()
    assert items(client) == []
    assert items(signed_in(owns_all=True)) == []


def test_a_kernel_that_is_held_is_told_as_little_as_one_that_waits(client: Client) -> None:
    turn = first_turn(rows.judged(["-"] * 5))
    rows.run(turn, "p", judge="2")
    rebuild(at=AT)
    assert len(items(client)) == 2
    rows.hold(turn)
    rebuild(at=AT)
    held = client.get("/feed/").content
    Hold.objects.all().delete()
    Run.objects.filter(kernel=turn.kernel).delete()
    rows.run(turn, "o")
    rebuild(at=AT)
    assert client.get("/feed/").content == held


def test_a_strike_is_told_without_who_and_why(client: Client) -> None:
    turn = first_turn(rows.judged(["s", "-", "-", "-", "-"]))
    rebuild(at=AT)
    assert turn.kernel is not None
    assert items(client) == [
        (
            f"Struck: kernel {turn.kernel.sha256[:12]} at gemm_n7168_k5120",
            "After review it counts as not correct on every board.",
        )
    ]
    assert "zoe" not in client.get("/feed/").content.decode()


def test_a_feed_stays_the_same_while_nothing_happens_and_costs_few_queries(
    client: Client, seeded: Seeded, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(5):
        first = client.get("/feed/")
    assert first["Content-Type"] == "application/atom+xml; charset=utf-8"
    unchanged = client.get("/feed/", headers={"If-None-Match": first["ETag"]})
    assert unchanged.status_code == 304
    names = [one.text for one in ET.fromstring(first.content).iter(f"{ATOM}id")]  # noqa: S314 (the same)
    assert len(names) == len(set(names)) > 2
    Entry.objects.update(withdrawn_at=AT, withdrawn_reason="Everything.")
    rebuild(at=AT)
    empty = client.get("/feed/")
    assert items(client) == []
    assert client.get("/feed/", headers={"If-None-Match": empty["ETag"]}).status_code == 304


def test_a_hostile_name_does_not_break_the_feed(client: Client) -> None:
    name = "</title><script>\x07\u202e&amp;"
    rows.judged(["p"], single_kernel=True, model=rows.model(name=name))
    rebuild(at=AT)
    ((title, _),) = items(client)
    assert title.endswith("by </title><script>⟨U+0007⟩⟨U+202E⟩&amp;")


def test_a_badge_says_the_rank_as_a_range_and_the_judge(client: Client) -> None:
    one = rows.judged(["pf--", "p---", "----", "-p--", "f---"])
    rows.judged(["pf--", "p---", "----", "-p--", "f---"])
    rebuild(at=AT)
    answer = client.get(f"/badges/{one.uid}/{BOARD}.svg")
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Cache-Control"] == "public, max-age=300"
    texts = [e.text for e in ET.fromstring(answer.content).iter() if e.text]  # noqa: S314 (ours)
    said = "PTXBoard correctness Hopper gemm_n7168_k5120"
    value = "rank 1–2 · judge 1"
    assert texts == [f"{said}, first 4 turns: {value}", said, value]


def test_a_badge_of_what_has_no_rank_says_so(client: Client) -> None:
    one = rows.judged(["pf--", "p---"])
    rebuild(at=AT)
    assert "not ranked · judge 1" in client.get(f"/badges/{one.uid}/{BOARD}.svg").content.decode()


@pytest.mark.parametrize("which", ["private", "embargoed", "withdrawn"])
def test_what_is_not_public_has_no_badge_for_anybody(
    client: Client, seeded: Seeded, which: str
) -> None:
    entry: Entry = getattr(seeded, which)
    for visitor in (client, signed_in(owns_all=True), signed_in(staff=True)):
        assert visitor.get(f"/badges/{entry.uid}/{BOARD}.svg").status_code == 404
    assert client.get(f"/badges/{seeded.whole.uid}/{BOARD}.svg").status_code == 200
    assert client.get(f"/badges/{seeded.whole.uid}/nowhere.svg").status_code == 404
    Entry.objects.filter(pk=seeded.whole.pk).update(visibility="private")
    assert client.get(f"/badges/{seeded.whole.uid}/{BOARD}.svg").status_code == 404


def test_a_badge_of_a_held_kernel_is_that_of_an_open_one(client: Client) -> None:
    entry = rows.judged(["h---", *["----"] * 4])
    turn = first_turn(entry)
    rebuild(at=AT)
    pages = [f"/badges/{entry.uid}/{board}.svg" for board in (BOARD, SPEED)]
    held = [client.get(one).content for one in pages]
    Hold.objects.all().delete()
    Run.objects.filter(kernel=turn.kernel).delete()
    rows.run(turn, "o")
    rebuild(at=AT)
    assert [client.get(one).content for one in pages] == held


def test_a_badge_escapes_what_it_is_told() -> None:
    drawn = badge('<script>"&', "</text>", title='"><script>', is_ranked=True)
    texts = [e.text for e in ET.fromstring(drawn).iter() if e.text]  # noqa: S314 (ours)
    assert texts == ['"><script>', '<script>"&', "</text>"]
    assert len(badge("x" * 10_000, "y" * 10_000, title="", is_ranked=False)) < 1200
