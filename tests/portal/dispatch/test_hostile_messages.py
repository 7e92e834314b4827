"""Whatever the holder of a report key writes, it ends as a word: it is never raised, and no verdict comes of it."""

import json
from dataclasses import replace

import evaluation_rows as rows
import pytest
from dispatch_doubles import ACCEPTED, AT, CHECKED, Sent, Site, half, policy, prepared, worker

from evaluation.core import wire
from evaluation.core.messages import HalfFinished, Message, StageReported, Versions
from evaluation.core.records import ArtifactRef, Fact, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage, Verdict
from evaluation.models import Hold, Run
from evaluation.models import Signal as SignalRow
from evaluation.models import StageReport as ReportRow
from portal.dispatch import send_next
from portal.reports import Word, hear

pytestmark = pytest.mark.django_db

OURS = Versions()
HALF_A_CHARACTER = "\ud800"
SIGNAL = Signal("reads_the_clock", 1, Severity.HOLD, Stage.POLICY, "It reads the clock.")


def sent_prepare(site: Site) -> Sent:
    rows.run()
    assert send_next("prepare", site.desk, at=site.at) == 1
    return site.broker.take("prepare")


def policy_with(**changes: object) -> StageReport:
    return replace(policy(), **changes)  # type: ignore[arg-type]  # values of a table


STRANGE = {
    "half a character in the log": policy_with(log=HALF_A_CHARACTER),
    "half a character in the headline": policy_with(headline=HALF_A_CHARACTER),
    "half a character in a remark": policy_with(remarks=(Remark("P1", HALF_A_CHARACTER),)),
    "half a character in a signal": policy_with(
        signals=(replace(SIGNAL, sentence=HALF_A_CHARACTER),)
    ),
    "a NUL in the log": policy_with(log="a\0b"),
    "a NUL in a fact": policy_with(facts=(Fact("a\0", "\0"),)),
    "a signal that says a space": policy_with(signals=(replace(SIGNAL, sentence=" "),)),
    "a signal of a version beyond all": policy_with(signals=(replace(SIGNAL, version=2**70),)),
    "a signal of the longest word": policy_with(signals=(replace(SIGNAL, kind="a" * 48),)),
    "a long headline": policy_with(headline="x" * 100_000),
    "an artifact of less than nothing": policy_with(artifacts=(ArtifactRef("a", "b", -1),)),
    "an artifact that is no hash": policy_with(artifacts=(ArtifactRef("../a", "../b", 2**100),)),
    "a line beyond all lines": policy_with(remarks=(Remark("P1", "no", line=2**100),)),
    "seconds beyond all": policy_with(seconds=1e308),
}


@pytest.mark.parametrize("report", STRANGE.values(), ids=STRANGE.keys())
def test_a_strange_report_is_a_word(report: StageReport) -> None:
    site = Site()
    sent = sent_prepare(site)
    told = site.hear(StageReported(OURS, sent.attempt, "w@1", 0, report))
    assert told.word in {Word.NOTED, Word.ENDED, Word.REFUSED}
    assert Run.objects.get().verdict == ""


def test_half_a_character_is_kept_as_a_question_mark() -> None:
    site = Site()
    sent = sent_prepare(site)
    strange = policy_with(log=HALF_A_CHARACTER, headline=f"it is {HALF_A_CHARACTER}")
    whole = policy_with(log="a \U0001f600", headline="\\ud800 is written so")
    assert site.hear(StageReported(OURS, sent.attempt, "w@1", 0, strange)).word is Word.NOTED
    row = ReportRow.objects.get()
    assert row.log is not None
    assert (row.headline, site.store.kept[row.log.sha256]) == ("it is ?", b"?")
    assert site.hear(StageReported(OURS, sent.attempt, "w@1", 0, strange)).word is Word.AGAIN
    ReportRow.objects.all().delete()
    assert site.hear(StageReported(OURS, sent.attempt, "w@1", 0, whole)).word is Word.NOTED
    row = ReportRow.objects.get()
    assert row.log is not None
    assert site.store.kept[row.log.sha256] == "a \U0001f600".encode()
    assert row.headline == "\\ud800 is written so"


@pytest.mark.parametrize("place", [-1, 1, 2**31, 2**63, 2**100])
def test_a_place_that_no_half_has_is_our_failure(place: int) -> None:
    site = Site()
    sent = sent_prepare(site)
    told = site.hear(StageReported(OURS, sent.attempt, "w@1", place, policy()))
    assert (told.word, ReportRow.objects.count()) == (Word.ENDED, 0)
    assert Run.objects.get().failures == 1


def test_one_report_raises_no_flood_of_signals() -> None:
    site = Site()
    sent = sent_prepare(site)
    flood = tuple(replace(SIGNAL, kind=f"word_{number}") for number in range(20_000))
    told = site.hear(StageReported(OURS, sent.attempt, "w@1", 0, policy_with(signals=flood)))
    assert told.word is Word.ENDED
    assert (SignalRow.objects.count(), Hold.objects.count()) == (0, 0)
    assert Run.objects.get().failures == 1


@pytest.mark.parametrize("seconds", [-1.0, 1e308, 0.0])
def test_an_end_takes_as_long_as_we_waited_at_most(seconds: float) -> None:
    site = Site()
    site.hear_all(half(sent_prepare(site), prepared(site.store)))
    worker("measure.h200")
    assert send_next("measure.h200", site.desk, at=site.at) == 1
    sent = site.broker.take("measure.h200")
    site.hear_all(half(sent, ACCEPTED, seconds=seconds))
    run = Run.objects.get()
    assert (run.state, run.gpu_seconds) == ("finished", 0)


def test_an_end_without_a_report_ends_nothing() -> None:
    site = Site()
    sent = sent_prepare(site)
    for verdict in (None, Verdict.POLICY_REJECTED):
        told = site.hear(HalfFinished(OURS, sent.attempt, "w@1", verdict, (), 1.0))
        assert told.word in {Word.NOTED, Word.CONFLICT}
    assert Run.objects.get().state == "preparing"


def test_a_half_of_another_kind_of_job_gives_no_verdict() -> None:
    """The holder of a prepare key says what only a GPU can have seen."""
    site = Site()
    sent = sent_prepare(site)
    site.hear_all(half(sent, ACCEPTED))
    run = Run.objects.get()
    assert (run.state, run.verdict, run.failures) == ("waiting", "", 1)


@pytest.mark.parametrize("key", ["worker", "attempt", "report", "place"])
def test_a_message_that_lacks_a_part_is_refused(key: str) -> None:
    site = Site()
    sent = sent_prepare(site)
    whole = json.loads(wire.encode(StageReported(OURS, sent.attempt, "w@1", 0, CHECKED)))
    del whole[key]
    assert hear("StageReported", json.dumps(whole), site.store, at=AT).word is Word.REFUSED


def test_a_message_of_nine_megabytes_is_refused() -> None:
    site = Site()
    sent = sent_prepare(site)
    message: Message = StageReported(OURS, sent.attempt, "w@1", 0, policy_with(log="x" * (9 << 20)))
    assert site.hear(message).word is Word.REFUSED
