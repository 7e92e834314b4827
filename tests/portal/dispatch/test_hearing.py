"""What workers say moves only the attempt whose key they have, once, whatever else they write."""

import logging
from dataclasses import replace

import evaluation_rows as rows
import pytest
from dispatch_doubles import (
    ACCEPTED,
    AT,
    CHECKED,
    PROBED,
    TIMED,
    WRONG,
    Sent,
    Site,
    half,
    later,
    policy,
    prepared,
    worker,
)

from evaluation.core import wire
from evaluation.core.messages import (
    Attempt,
    DeviceHeartbeat,
    FailedByUs,
    HalfFinished,
    HandedBack,
    Heartbeat,
    KernelLost,
    StageReported,
    Started,
    Versions,
)
from evaluation.core.records import ArtifactRef, Fact, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage, Verdict
from evaluation.models import Attempt as AttemptRow
from evaluation.models import Hold, Run, Worker
from evaluation.models import StageReport as ReportRow
from portal.dispatch import send_next
from portal.reports import Word, hear

pytestmark = pytest.mark.django_db

OURS = Versions()


def sent_prepare(site: Site, **columns: object) -> Sent:
    rows.run(**columns)
    assert send_next("prepare", site.desk, at=site.at) == 1
    return site.broker.take("prepare")


def sent_measure(site: Site) -> Sent:
    """A run that was prepared, and its measure half."""
    site.hear_all(half(sent_prepare(site), prepared(site.store)))
    worker("measure.h200")
    assert send_next("measure.h200", site.desk, at=site.at) == 1
    return site.broker.take("measure.h200")


def run_of(sent: Sent) -> Run:
    return AttemptRow.objects.select_related("run").get(uid=sent.attempt.uuid).run


def attempt_of(sent: Sent) -> AttemptRow:
    return AttemptRow.objects.get(uid=sent.attempt.uuid)


def test_the_first_message_binds_the_attempt_and_starts_its_lease() -> None:
    site = Site()
    sent = sent_prepare(site)
    site.wait(5)
    assert site.hear(Started(OURS, sent.attempt, "w@1")).word is Word.NOTED
    attempt = attempt_of(sent)
    assert (attempt.state, attempt.worker) == ("started", "w@1")
    assert (attempt.started_at, attempt.lease_until) == (later(5), later(65))
    known = Worker.objects.get(name="w@1")
    assert (known.queue, known.device, known.last_heard_at) == ("prepare", "", later(5))


def test_a_worker_that_is_heard_of_for_the_first_time_has_room_for_another_message() -> None:
    site = Site()
    sent = sent_prepare(site)
    assert site.hear(Started(OURS, sent.attempt, "w@1")).queues == ("prepare",)
    assert site.hear(Started(OURS, sent.attempt, "w@1")).queues == ()
    site.wait(601)
    assert site.hear(Started(OURS, sent.attempt, "w@1")).queues == ("prepare",)


def test_every_later_message_of_the_same_worker_lengthens_the_lease() -> None:
    site = Site()
    sent = sent_prepare(site)
    site.hear(Started(OURS, sent.attempt, "w@1"))
    site.wait(10)
    site.hear(Heartbeat(OURS, sent.attempt, "w@1", Stage.POLICY))
    assert attempt_of(sent).lease_until == later(70)
    site.wait(10)
    site.hear(StageReported(OURS, sent.attempt, "w@1", 0, policy()))
    assert attempt_of(sent).lease_until == later(80)


def test_whichever_message_arrives_first_binds() -> None:
    site = Site()
    sent = sent_prepare(site)
    assert site.hear(StageReported(OURS, sent.attempt, "w@1", 0, policy())).word is Word.NOTED
    assert attempt_of(sent).worker == "w@1"
    assert site.hear(Started(OURS, sent.attempt, "w@1")).word is Word.NOTED


def test_a_second_worker_with_the_same_message_is_not_heard() -> None:
    site = Site()
    sent = sent_prepare(site)
    site.hear(Started(OURS, sent.attempt, "w@1"))
    others = half(sent, (policy(Verdict.POLICY_REJECTED),), by="w@2")
    told = [one.word for one in site.hear_all(others)]
    assert told == [Word.STALE] * 3
    back = HandedBack(OURS, sent.attempt, "w@2", "I rest")
    assert site.hear(back).word is Word.STALE
    assert (run_of(sent).state, ReportRow.objects.count()) == ("preparing", 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "x" * 32},
        {"number": 2},
        {"uuid": "00000000-0000-4000-8000-000000000000"},
    ],
    ids=["another key", "another number", "no such attempt"],
)
def test_without_the_attempt_s_own_key_and_number_nothing_is_heard(
    wrong: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    site = Site()
    sent = sent_prepare(site)
    named = replace(sent.attempt, **wrong)  # type: ignore[arg-type]  # values of a table
    with caplog.at_level(logging.WARNING):
        assert site.hear(Started(OURS, named, "w@1")).word is Word.UNKNOWN
    assert attempt_of(sent).state == "sent"
    assert not Worker.objects.exists()
    assert named.uuid in caplog.text
    assert named.key not in caplog.text


def test_an_ended_attempt_s_messages_are_not_heard() -> None:
    site = Site()
    sent = sent_prepare(site)
    site.hear(FailedByUs(OURS, sent.attempt, "w@1", Stage.BUILD, "the disk is full", ""))
    told = [one.word for one in site.hear_all(half(sent, (policy(Verdict.POLICY_REJECTED),)))]
    assert told == [Word.STALE] * 3
    assert run_of(sent).state == "waiting"


@pytest.mark.parametrize("versions", [Versions(schema=1), Versions(judge="0")], ids=str)
def test_of_another_version_only_the_handing_back_is_understood(versions: Versions) -> None:
    site = Site()
    sent = sent_prepare(site)
    assert site.hear(Started(versions, sent.attempt, "w@1")).word is Word.VERSION
    assert attempt_of(sent).state == "sent"
    told = site.hear(HandedBack(versions, sent.attempt, "w@1", "I speak another schema"))
    assert (told.word, told.queues) == (Word.ENDED, ("measure.h200", "prepare"))
    assert Worker.objects.get().judge == versions.judge


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("Attempt", "{}"),
        ("Started", "{}"),
        ("Started", "{" * 20),
        ("Started", '{"versions": NaN}'),
        (7, "{}"),
        ("Started", ["{}"]),
        ("Started", "\ud800"),
    ],
    ids=["no message", "empty", "no JSON", "NaN", "no kind", "no text", "half a character"],
)
def test_what_is_no_message_is_refused_and_logged(
    kind: object, text: object, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert hear(kind, text, rows.FakeArtifacts(), at=AT).word is Word.REFUSED
    assert "a message was refused" in caplog.text


@pytest.mark.parametrize("name", ["", "a\nb", "w" * 129, "\x1b[31m"], ids=repr)
def test_a_worker_without_a_proper_name_is_refused(name: str) -> None:
    site = Site()
    assert site.hear(Started(OURS, sent_prepare(site).attempt, name)).word is Word.REFUSED


def test_a_prepare_half_without_a_verdict_makes_the_run_ready_with_its_parts() -> None:
    site = Site()
    sent = sent_prepare(site)
    told = site.hear_all(half(sent, prepared(site.store, family="absent")))
    assert told[-1].word is Word.ENDED
    assert told[-1].queues == ("measure.h200", "prepare")
    run = run_of(sent)
    assert (run.state, run.device, run.scan_family, run.bulk_rows) == ("ready", "h200", "absent", 3)
    assert run.plan is not None
    assert run.cubin is not None
    assert run.facts is not None
    assert [site.store.kept[one.sha256] for one in (run.plan, run.cubin, run.facts)] == [
        b"plan",
        b"cubin",
        b"facts",
    ]
    assert attempt_of(sent).state == "done"


def test_a_verdict_of_the_prepare_half_finishes_the_run() -> None:
    site = Site()
    sent = sent_prepare(site)
    told = site.hear_all(half(sent, (policy(Verdict.POLICY_REJECTED),)))
    run = run_of(sent)
    assert told[-1].boards
    assert (run.state, run.verdict, run.correct) == ("finished", "policy_rejected", "no")
    assert run.speed_reason == "only a correct kernel has a speed"
    assert (run.finished_at, run.boards_due_at, run.gpu_seconds, run.failures) == (AT, AT, 0, 0)


def test_the_findings_of_a_finished_run_are_read_off_both_halves() -> None:
    """The prepare half's scan says absent; the probe of the measure half, which saw more, says yes."""
    site = Site()
    sent = sent_measure(site)
    messages = half(sent, ACCEPTED, seconds=2.5)
    site.hear_all(messages[:1])
    site.wait(4)
    site.hear_all(messages[1:])
    run = run_of(sent)
    assert (run.state, run.verdict, run.correct, run.family) == (
        "finished",
        "accepted",
        "yes",
        "yes",
    )
    assert (run.matrix_path, run.coverage, run.executed_share) == ("yes", 0.97, 1.02)
    assert (run.ratio, run.ratio_low, run.ratio_high) == (0.7621, 0.755, 0.77)
    assert (run.candidate_ns, run.vendor_ns, run.speed_reason) == (1_020_000, 777_000, "")
    assert (run.gpu_seconds, run.integrity, run.finished_at) == (2.5, "clear", later(4))


def test_what_the_scan_found_counts_where_no_probe_ran() -> None:
    site = Site()
    site.hear_all(half(sent_prepare(site), prepared(site.store, family="absent")))
    worker("measure.h200")
    send_next("measure.h200", site.desk, at=site.at)
    sent = site.broker.take("measure.h200")
    site.hear_all(half(sent, WRONG))
    run = run_of(sent)
    assert (run.verdict, run.family, run.ratio) == ("wrong_result", "absent", None)


def test_no_worker_makes_its_time_on_a_gpu_longer_than_we_waited_for_it() -> None:
    site = Site()
    sent = sent_measure(site)
    site.hear(Started(OURS, sent.attempt, "w@1"))
    site.wait(3)
    site.hear_all(half(sent, WRONG, seconds=1e9))
    assert run_of(sent).gpu_seconds == 3


def test_the_same_report_twice_is_stored_once_and_another_one_in_its_place_is_dropped() -> None:
    site = Site()
    sent = sent_prepare(site)
    first = StageReported(OURS, sent.attempt, "w@1", 0, replace(policy(), log="one\x00line"))
    assert site.hear(first).word is Word.NOTED
    assert site.hear(first).word is Word.AGAIN
    other = replace(first, report=policy(Verdict.POLICY_REJECTED))
    assert site.hear(other).word is Word.CONFLICT
    log_alone = replace(first, report=replace(first.report, log="another line"))
    assert site.hear(log_alone).word is Word.CONFLICT
    (stored,) = ReportRow.objects.all()
    assert (stored.verdict, stored.headline) == ("", "fine")


def test_of_two_ends_of_one_half_the_first_counts() -> None:
    site = Site()
    sent = sent_prepare(site)
    end = HalfFinished(OURS, sent.attempt, "w@1", Verdict.POLICY_REJECTED, (), 1.0)
    assert site.hear(end).word is Word.NOTED
    assert site.hear(end).word is Word.AGAIN
    assert site.hear(replace(end, verdict=Verdict.BUILD_FAILED)).word is Word.CONFLICT
    site.hear(StageReported(OURS, sent.attempt, "w@1", 0, policy(Verdict.POLICY_REJECTED)))
    assert run_of(sent).verdict == "policy_rejected"


def test_a_signal_that_holds_is_looked_at_by_the_boards_at_once() -> None:
    site = Site()
    sent = sent_prepare(site)
    signal = Signal("reads_the_clock", 1, Severity.HOLD, Stage.POLICY, "It reads the clock.")
    told = site.hear(
        StageReported(OURS, sent.attempt, "w@1", 0, replace(policy(), signals=(signal,)))
    )
    assert told.boards
    hold = Hold.objects.get()
    assert (hold.kernel, hold.source, hold.why) == (
        run_of(sent).kernel,
        "signal",
        "It reads the clock.",
    )


STRANGE_FACTS = {
    "a ratio that is no number": Fact("ratio", "fast"),
    "a ratio that is not finite": Fact("ratio", "inf"),
    "a ratio that is not a number": Fact("ratio", "nan"),
    "a ratio outside its interval": Fact("ratio", "9.0"),
    "a ratio beyond all ratios": Fact("ratio_high", "1e300"),
    "a ratio below nothing": Fact("ratio_low", "-1"),
    "a time of nothing": Fact("candidate_time", 0),
    "a time beyond all times": Fact("vendor_time", 2**70),
    "a time that is a word": Fact("vendor_time", "soon"),
}


@pytest.mark.parametrize("fact", STRANGE_FACTS.values(), ids=STRANGE_FACTS.keys())
def test_a_speed_that_no_honest_judge_found_is_our_failure_and_no_verdict(fact: Fact) -> None:
    site = Site()
    sent = sent_measure(site)
    facts = tuple(fact if one.name == fact.name else one for one in TIMED.facts)
    told = site.hear_all(half(sent, (CHECKED, PROBED, replace(TIMED, facts=facts))))
    assert told[-1].word is Word.ENDED
    run = run_of(sent)
    assert (run.state, run.verdict, run.failures) == ("ready", "", 1)
    assert attempt_of(sent).ended_why.startswith("what was reported does not fit: findings")


@pytest.mark.parametrize(
    "fact",
    [Fact("coverage", "1.5"), Fact("coverage", "nan"), Fact("family", "perhaps")],
    ids=["above one", "not a number", "no word of ours"],
)
def test_nor_is_an_instruction_finding_that_cannot_be(fact: Fact) -> None:
    site = Site()
    sent = sent_measure(site)
    facts = tuple(fact if one.name == fact.name else one for one in PROBED.facts)
    site.hear_all(half(sent, (CHECKED, replace(PROBED, facts=facts), TIMED)))
    assert (run_of(sent).state, run_of(sent).failures) == ("ready", 1)


def test_parts_that_the_store_does_not_have_are_our_failure() -> None:
    site = Site()
    sent = sent_prepare(site)
    reports = prepared(site.store)
    site.store.kept.clear()
    site.hear_all(half(sent, reports))
    run = run_of(sent)
    assert (run.state, run.failures, run.plan) == ("waiting", 1, None)
    assert attempt_of(sent).ended_why.endswith("is missing or too large")


@pytest.mark.parametrize("size", [3, 5, 2**40], ids=str)
def test_parts_of_another_size_than_was_said_are_our_failure(size: int) -> None:
    site = Site()
    sent = sent_prepare(site)
    policy_, build, record, scan = prepared(site.store)
    lying = replace(
        record, artifacts=tuple(ArtifactRef("plan", one.sha256, size) for one in record.artifacts)
    )
    site.hear_all(half(sent, (policy_, build, lying, scan)))
    assert (run_of(sent).state, run_of(sent).failures) == ("waiting", 1)


@pytest.mark.parametrize("rows_said", [-1, 2**31, "many"], ids=str)
def test_a_count_of_the_scan_that_cannot_be_is_our_failure(rows_said: int | str) -> None:
    site = Site()
    sent = sent_prepare(site)
    *before, scan = prepared(site.store)
    facts = (Fact("family_static", "unknown"), Fact("bulk_copy_rows", rows_said))
    site.hear_all(half(sent, (*before, replace(scan, facts=facts))))
    assert (run_of(sent).state, run_of(sent).failures) == ("waiting", 1)


def test_a_stage_of_the_other_half_is_our_failure_at_once() -> None:
    site = Site()
    sent = sent_prepare(site)
    report = StageReport(Stage.CHECK, "right")
    told = site.hear(StageReported(OURS, sent.attempt, "w@1", 0, report))
    assert (told.word, run_of(sent).failures) == (Word.ENDED, 1)
    assert ReportRow.objects.count() == 0


def test_handing_back_costs_nothing_and_the_next_one_waits_only_the_second_time() -> None:
    site = Site()
    sent = sent_prepare(site)
    site.hear(HandedBack(OURS, sent.attempt, "w@1", "this worker speaks another schema"))
    run = run_of(sent)
    assert (run.state, run.failures, run.device, run.not_before) == ("waiting", 0, "", AT)
    attempt = attempt_of(sent)
    assert (attempt.state, attempt.worker) == ("handed_back", "w@1")
    assert attempt.ended_why == "this worker speaks another schema"
    send_next("prepare", site.desk, at=site.at)
    again = site.broker.take("prepare")
    assert again.attempt.number == 2
    site.hear(Started(OURS, again.attempt, "w@1"))
    site.hear(HandedBack(OURS, again.attempt, "w@1", "this GPU rests"))
    assert run_of(sent).not_before == later(15)


def test_the_third_failure_of_ours_abandons_the_run_and_tells_staff(
    caplog: pytest.LogCaptureFixture,
) -> None:
    site = Site()
    run = rows.run()
    pauses = []
    for _ in range(3):
        assert send_next("prepare", site.desk, at=site.at) == 1
        sent = site.broker.take("prepare")
        message = FailedByUs(OURS, sent.attempt, "w@1", Stage.BUILD, "no disk", "make room")
        told = site.hear(message)
        assert told.boards
        run.refresh_from_db()
        pauses.append((run.not_before - site.at).total_seconds() if run.not_before else None)
        site.wait(60)
    assert pauses == [30, 60, None]
    assert (run.state, run.verdict, run.failures) == ("abandoned", "", 3)
    assert run.finished_at == later(120)
    assert "is abandoned: failed by us 3 times, the last time: build: no disk; make room" in (
        caplog.text
    )
    assert send_next("prepare", site.desk, at=site.at) == 0


def test_a_kernel_that_was_lost_is_counted_once_and_sent_again_with_its_losses() -> None:
    """The worker that tells is a new one, with the key that the machine has kept."""
    site = Site()
    sent = sent_measure(site)
    site.hear(Started(OURS, sent.attempt, "w@1"))
    run = run_of(sent)
    assert run.plan is not None
    lost = KernelLost(OURS, sent.attempt, "w@2", run.plan.sha256, 1, "the worker ended")
    told = site.hear(lost)
    assert (told.word, told.queues) == (Word.ENDED, ("measure.h200",))
    assert site.hear(lost).word is Word.STALE
    run.refresh_from_db()
    assert (run.state, run.losses, run.failures) == ("ready", 1, 0)
    send_next("measure.h200", site.desk, at=site.at)
    again = site.broker.take("measure.h200")
    assert getattr(again.job, "losses", None) == 1


def test_a_loss_that_is_told_after_the_lease_is_counted_all_the_same() -> None:
    site = Site()
    sent = sent_measure(site)
    attempt = attempt_of(sent)
    AttemptRow.objects.filter(pk=attempt.pk).update(state="lapsed", ended_at=AT)
    Run.objects.update(state="ready")
    plan = run_of(sent).plan
    assert plan is not None
    site.hear(KernelLost(OURS, sent.attempt, "w@2", plan.sha256, 1, "the worker ended"))
    assert (run_of(sent).state, run_of(sent).losses) == ("ready", 1)


def test_a_loss_of_another_kernel_is_not_put_down_to_this_one() -> None:
    site = Site()
    sent = sent_measure(site)
    lost = KernelLost(OURS, sent.attempt, "w@2", "ab" * 32, 1, "the worker ended")
    assert site.hear(lost).word is Word.STALE
    assert run_of(sent).losses == 0


def test_a_device_that_beats_is_known_with_its_gpu_and_staff_s_word_on_it_stays() -> None:
    site = Site()
    beat = DeviceHeartbeat(OURS, "m@1", "h200", None, "", "")
    assert site.hear(beat).queues == ("measure.h200",)
    assert site.hear(beat).queues == ()
    Worker.objects.update(draining=True)
    site.wait(20)
    site.hear(replace(beat, resting="Xid 79"))
    known = Worker.objects.get()
    assert (known.queue, known.device, known.resting) == ("measure.h200", "h200", "Xid 79")
    assert (known.draining, known.last_heard_at) == (True, later(20))
    assert site.hear(beat).queues == ("measure.h200",)


@pytest.mark.parametrize("device", ["", "h200; drop", "H" * 50, "../x"], ids=repr)
def test_a_device_without_a_proper_name_is_refused(device: str) -> None:
    beat = DeviceHeartbeat(OURS, "m@1", device, None, "", "")
    assert Site().hear(beat).word is Word.REFUSED
    assert not Worker.objects.exists()


def test_a_message_is_read_as_it_comes_over_the_wire() -> None:
    """Field by field, so that a change of the messages is seen here."""
    site = Site()
    sent = sent_prepare(site)
    assert wire.parse(wire.encode(Started(OURS, sent.attempt, "w@1")), where="test") == {
        "versions": {"schema": 2, "judge": "1"},
        "attempt": {"uuid": sent.attempt.uuid, "number": 1, "key": sent.attempt.key},
        "worker": "w@1",
    }
    assert isinstance(sent.attempt, Attempt)
