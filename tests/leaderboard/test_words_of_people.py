"""What somebody wrote is followed by one full stop, and languages are called by their names on every page."""

import re

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import text_of
from site_fixtures import signed_in

from evaluation.models import Entry, Hold, Kernel
from leaderboard.projection import rebuild
from leaderboard.templatetags.figures import said, sentence

FIVE = ["pf--", "p---", "----", "-p--", "f---"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Wrong model", "Wrong model."),
        ("Wrong model.", "Wrong model."),
        (" Wrong model. ", "Wrong model."),
        ("Really?", "Really?"),
        ("It said “no.”", "It said “no.”"),
        ("(it was mine)", "(it was mine)."),
        ("cut off…", "cut off…"),
        ("模型错了。", "模型错了。"),
        ("", ""),
        (" . ", ""),
    ],
)
def test_a_sentence_ends_once(written: str, expected: str) -> None:
    assert sentence(written) == expected


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("Wrong model.", "withdrawn on 2026-11-30 : Wrong model. It stands on no board."),
        ("Wrong model", "withdrawn on 2026-11-30 : Wrong model. It stands on no board."),
        ("<b>Oops!</b>", "withdrawn on 2026-11-30 : <b>Oops!</b>. It stands on no board."),
        (".", "withdrawn on 2026-11-30 . It stands on no board."),
    ],
)
def test_a_tombstone_says_its_reason_with_one_full_stop(
    client: Client, reason: str, expected: str
) -> None:
    entry = rows.judged(["p"])
    Entry.objects.filter(pk=entry.pk).update(withdrawn_at=AT, withdrawn_reason=reason)
    page = text_of(client.get(f"/entries/{entry.uid}/").content.decode())
    _, _, told = page.partition("This entry was ")
    assert told.startswith(expected)


@pytest.mark.django_db
@pytest.mark.parametrize("why", ["It reads the clock", "It reads the clock."])
def test_the_reason_of_a_hold_and_its_decision_are_sentences(why: str) -> None:
    rows.judged(["s"])
    Hold.objects.update(why=why, note="Read twice")
    kernel = Hold.objects.get().kernel.sha256
    page = text_of(signed_in(staff=True).get(f"/kernels/{kernel}/").content.decode())
    assert ": It reads the clock. Decided: Read twice. Only you and staff read this." in page


def test_languages_are_written_as_their_makers_do() -> None:
    assert (said("cuda", "language"), said("triton", "language")) == ("CUDA", "Triton")


@pytest.mark.django_db
def test_no_page_writes_the_name_of_a_language_in_capitals_only(client: Client) -> None:
    entry = rows.judged(FIVE, language="triton", model=rows.model(name="Quartz", slug="quartz"))
    rebuild(at=AT)
    Kernel.objects.update(language="triton")
    kernel = Kernel.objects.order_by("pk")[0].sha256
    board = f"/boards/correctness/hopper/?problem={GEMM}&T=4&language=triton"
    for address, expected in (
        (board, "first 4 turns, Triton, values verified"),
        (f"/boards/correctness/hopper/?problem={GEMM}&T=4", ", Triton, verified by us"),
        (f"/problems/{GEMM}/", "First 4 turns, Triton, verified by us"),
        (f"/entries/{entry.uid}/", "5 trajectories × 4 turns, Triton"),
        (f"/entries/{entry.uid}/cells/", "judge 1, Triton"),
        ("/models/quartz/", "Triton"),
        ("/models/quartz/entries/", "Triton"),
        ("/gap/", "Triton"),
        (f"/compare/?kernel={kernel}", "bytes, Triton"),
        (f"/kernels/{kernel}/", "Where it was written (Triton)"),
        ("/boards/", "Triton"),
    ):
        page = text_of(client.get(address).content.decode())
        assert expected in page, address
        assert not re.search(r"\bTRITON\b", page), address
