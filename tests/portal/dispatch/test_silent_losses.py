"""A machine that goes down with a kernel and never speaks again counts as a loss; one that speaks again does not."""

import evaluation_rows as rows
import pytest
from dispatch_doubles import ACCEPTED, Sent, Site, half, later, prepared, worker
from test_hearing import attempt_of, run_of, sent_measure

from evaluation.core.measure.damage import judge_losses
from evaluation.core.messages import (
    DeviceHeartbeat,
    HandedBack,
    Heartbeat,
    KernelLost,
    KernelNoted,
    MeasureJob,
    StageReported,
    Started,
    Versions,
)
from evaluation.core.verdict import Stage
from evaluation.models import Hold, Run
from evaluation.services import losses_of
from portal.dispatch import Swept, send_next, sweep
from portal.reports import Word

pytestmark = pytest.mark.django_db

OURS = Versions()


def plan_of(sent: Sent) -> str:
    assert isinstance(sent.job, MeasureJob)
    return sent.job.parts.plan.sha256


def launched(site: Site, sent: Sent, by: str) -> None:
    site.hear(Started(OURS, sent.attempt, by))
    noted = site.hear(KernelNoted(OURS, sent.attempt, by, plan_of(sent)))
    assert noted.word is Word.NOTED


def silence(site: Site) -> None:
    site.wait(61)
    assert sweep(site.desk, at=site.at) == Swept(lapsed=1)


def sent_again(site: Site) -> Sent:
    site.at = max(site.at, Run.objects.get().not_before or site.at)
    worker("measure.h200", f"other@{site.at.timestamp()}", last_heard_at=site.at)
    assert send_next("measure.h200", site.desk, at=site.at) == 1
    return site.broker.take("measure.h200")


def losses_told(sent: Sent) -> int:
    assert isinstance(sent.job, MeasureJob)
    return sent.job.losses


def test_a_machine_that_is_silent_after_the_launch_is_a_loss_and_a_second_one_the_verdict() -> None:
    site = Site()
    first = sent_measure(site)
    launched(site, first, "w@1")
    silence(site)
    second = sent_again(site)
    assert losses_told(second) == 1
    launched(site, second, "w@2")
    silence(site)
    third = sent_again(site)
    assert losses_told(third) == 2
    damage = judge_losses((), losses_told(third))
    assert damage is not None
    site.hear_all(half(third, (damage,), by="w@3"))
    run = Run.objects.get()
    assert (run.state, run.verdict, run.failures) == ("finished", "runtime_error", 0)
    assert Hold.objects.get().placed_by == "damages_the_device"


def test_a_worker_that_is_silent_before_the_launch_is_no_loss() -> None:
    site = Site()
    sent = sent_measure(site)
    site.hear(Started(OURS, sent.attempt, "w@1"))
    site.hear(Heartbeat(OURS, sent.attempt, "w@1", Stage.CHECK))
    silence(site)
    assert losses_told(sent_again(site)) == 0


def test_a_worker_that_is_heard_of_again_lost_nothing() -> None:
    """It was cut off: while nobody knows it counts, and no more when its beat is heard."""
    site = Site()
    sent = sent_measure(site)
    launched(site, sent, "w@1")
    silence(site)
    run = run_of(sent)
    assert losses_of(run) == 1
    site.hear(DeviceHeartbeat(OURS, "w@1", "h200", None, "", ""))
    assert losses_of(run) == 0


def test_a_beat_from_before_the_lease_ended_is_no_sign_of_life() -> None:
    site = Site()
    sent = sent_measure(site)
    launched(site, sent, "w@1")
    site.wait(50)
    site.hear(DeviceHeartbeat(OURS, "w@1", "h200", None, "", ""))
    site.wait(11)
    assert sweep(site.desk, at=site.at) == Swept(lapsed=1)
    assert losses_of(run_of(sent)) == 1


def test_a_loss_that_is_told_later_is_counted_once_and_stays() -> None:
    site = Site()
    sent = sent_measure(site)
    launched(site, sent, "w@1")
    silence(site)
    site.hear(KernelLost(OURS, sent.attempt, "w@1", plan_of(sent), 1, "the worker ended"))
    assert losses_of(run_of(sent)) == 1
    site.hear(DeviceHeartbeat(OURS, "w@1", "h200", None, "", ""))
    assert losses_of(run_of(sent)) == 1


def test_a_kernel_that_was_judged_before_the_machine_went_down_did_not_do_it() -> None:
    site = Site()
    sent = sent_measure(site)
    launched(site, sent, "w@1")
    for place, report in enumerate(ACCEPTED):
        site.hear(StageReported(OURS, sent.attempt, "w@1", place, report))
    silence(site)
    assert losses_of(run_of(sent)) == 0


def test_a_kernel_that_was_handed_back_after_its_note_was_not_lost() -> None:
    site = Site()
    sent = sent_measure(site)
    launched(site, sent, "w@1")
    site.hear(HandedBack(OURS, sent.attempt, "w@1", "the GPU rests"))
    assert losses_of(run_of(sent)) == 0


def test_a_silent_loss_counts_for_other_runs_of_the_kernel_until_a_person_clears_it() -> None:
    site = Site()
    sent = sent_measure(site)
    launched(site, sent, "w@1")
    silence(site)
    run = run_of(sent)
    other = rows.ready_run(kernel=run.kernel, owner="b", created_at=later(100))
    assert losses_of(other) == 1
    rows.hold(kernel=run.kernel, state="cleared", decided_at=later(90), decided_by="staff")
    assert losses_of(other) == 0


def test_another_worker_s_note_or_one_of_another_kernel_notes_nothing() -> None:
    site = Site()
    sent = sent_measure(site)
    site.hear(Started(OURS, sent.attempt, "w@1"))
    assert site.hear(KernelNoted(OURS, sent.attempt, "w@2", plan_of(sent))).word is Word.STALE
    assert site.hear(KernelNoted(OURS, sent.attempt, "w@1", "ab" * 32)).word is Word.STALE
    assert attempt_of(sent).noted_at is None


def test_a_note_that_overtakes_the_start_binds_the_attempt_and_its_moment_stays() -> None:
    site = Site()
    sent = sent_measure(site)
    note = KernelNoted(OURS, sent.attempt, "w@1", plan_of(sent))
    site.wait(5)
    assert site.hear(note).word is Word.NOTED
    site.wait(5)
    assert site.hear(note).word is Word.NOTED
    attempt = attempt_of(sent)
    assert (attempt.state, attempt.worker, attempt.noted_at) == ("started", "w@1", later(5))


def test_a_prepare_half_has_no_kernel_to_note() -> None:
    site = Site()
    rows.run()
    send_next("prepare", site.desk, at=site.at)
    sent = site.broker.take("prepare")
    note = KernelNoted(OURS, sent.attempt, "w@1", "ab" * 32)
    assert site.hear(note).word is Word.STALE
    site.hear_all(half(sent, prepared(site.store)))
    assert Run.objects.get().state == "ready"
