"""What is heard of no more is sent again; what only waits, or may yet be heard of, is left alone."""

import evaluation_rows as rows
import pytest
from dispatch_doubles import Site, half, later, prepared, worker
from test_hearing import attempt_of, run_of, sent_measure, sent_prepare

from evaluation.core.messages import Heartbeat, Started, Versions
from evaluation.core.verdict import Stage
from evaluation.models import Attempt, Run, Worker
from portal.dispatch import Swept, dispatch, send_next, sweep

pytestmark = pytest.mark.django_db

OURS = Versions()


def swept(site: Site) -> Swept:
    return sweep(site.desk, at=site.at)


def test_a_lease_that_lapsed_gives_the_run_back_at_once() -> None:
    site = Site()
    sent = sent_prepare(site)
    site.hear(Started(OURS, sent.attempt, "w@1"))
    site.wait(60)
    assert swept(site) == Swept()
    site.wait(1)
    assert swept(site) == Swept(lapsed=1)
    attempt = attempt_of(sent)
    assert (attempt.state, attempt.ended_at) == ("lapsed", later(61))
    assert attempt.ended_why == "nothing was heard of w@1 until its lease ended"
    run = run_of(sent)
    assert (run.state, run.failures, run.not_before) == ("waiting", 0, later(61))
    assert swept(site) == Swept()


def test_a_heartbeat_keeps_a_lease_for_as_long_as_a_job_takes() -> None:
    site = Site()
    sent = sent_prepare(site)
    for _ in range(100):
        site.wait(59)
        site.hear(Heartbeat(OURS, sent.attempt, "w@1", Stage.RECORD))
        assert swept(site) == Swept()


def test_the_next_lapses_of_one_run_cost_it_longer_and_longer_pauses() -> None:
    """0, 60 s, 120 s: a kernel whose workers keep dying must not take one after the other."""
    site = Site()
    run = rows.run()
    pauses = []
    for _ in range(3):
        send_next("prepare", site.desk, at=site.at)
        site.hear(Started(OURS, site.broker.take("prepare").attempt, "w@1"))
        site.wait(61)
        assert swept(site) == Swept(lapsed=1)
        run.refresh_from_db()
        assert run.not_before is not None
        pauses.append((run.not_before - site.at).total_seconds())
        site.at = run.not_before
    assert pauses == [0, 60, 120]
    assert (run.state, run.failures, run.verdict) == ("waiting", 0, "")


def test_while_reports_wait_to_be_stored_leases_get_ten_minutes_more() -> None:
    site = Site()
    sent = sent_prepare(site)
    site.hear(Started(OURS, sent.attempt, "w@1"))
    site.broker.backlog = 1
    site.wait(660)
    assert swept(site) == Swept()
    site.wait(1)
    assert swept(site) == Swept(lapsed=1)


def test_nothing_is_swept_while_the_broker_is_away() -> None:
    site = Site()
    sent = sent_prepare(site)
    site.hear(Started(OURS, sent.attempt, "w@1"))
    site.broker.down = True
    site.wait(99999)
    assert swept(site) == Swept()


def test_a_message_that_the_broker_lost_is_sent_again_after_a_minute() -> None:
    site = Site()
    rows.run()
    send_next("prepare", site.desk, at=site.at)
    site.broker.lose()
    site.wait(60)
    assert swept(site) == Swept()
    site.wait(1)
    assert swept(site) == Swept(lost=1)
    assert send_next("prepare", site.desk, at=site.at) == 1


def test_a_message_that_waits_in_the_broker_for_a_worker_is_left_there() -> None:
    site = Site()
    rows.run()
    send_next("prepare", site.desk, at=site.at)
    site.wait(3600)
    assert swept(site) == Swept()
    site.wait(61)
    assert swept(site) == Swept(lost=1)


def test_a_message_behind_a_long_job_is_not_lost_the_moment_it_is_taken() -> None:
    """Its worker was busy until a second ago; what it says of the second job is on its way."""
    site = Site()
    worker("prepare")
    rows.run(), rows.run()
    send_next("prepare", site.desk, at=site.at)
    first = site.broker.take("prepare")
    site.hear(Started(OURS, first.attempt, "w@1"))
    for _ in range(5):
        site.wait(50)
        site.hear(Heartbeat(OURS, first.attempt, "w@1", Stage.BUILD))
    site.hear_all(half(first, prepared(site.store)))
    second = site.broker.take("prepare")
    assert swept(site) == Swept()
    site.wait(1)
    site.hear(Started(OURS, second.attempt, "w@1"))
    assert attempt_of(second).state == "started"


def test_a_message_that_later_ones_overtook_is_lost_though_the_queue_is_busy() -> None:
    site = Site()
    worker("prepare")
    rows.run()
    send_next("prepare", site.desk, at=site.at)
    overtaken = site.broker.take("prepare")
    site.wait(1)
    rows.run(created_at=later(1))
    send_next("prepare", site.desk, at=site.at)
    taken = site.broker.take("prepare")
    site.hear(Started(OURS, taken.attempt, "w@1"))
    site.wait(50)
    site.hear(Heartbeat(OURS, taken.attempt, "w@1", Stage.BUILD))
    site.wait(11)
    assert swept(site) == Swept(lost=1)
    assert attempt_of(overtaken).state == "lapsed"
    assert attempt_of(taken).state == "started"


def test_a_message_that_was_lost_in_sending_is_found_when_the_broker_is_back() -> None:
    site = Site()
    rows.run()
    site.broker.down = True
    assert dispatch(site.desk, at=site.at) == 0
    assert Attempt.objects.get().state == "sent"
    site.broker.down = False
    site.wait(61)
    swept(site)
    assert dispatch(site.desk, at=site.at) == 1


def test_a_run_for_any_hopper_moves_to_one_that_is_served_after_a_quarter_of_an_hour() -> None:
    site = Site()
    sent_run = rows.ready_run()
    gone = worker("measure.h200", "gone")
    worker("measure.h100-sxm", "there")
    site.wait(900)
    Worker.objects.filter(name="there").update(last_heard_at=site.at)
    assert swept(site) == Swept()
    site.wait(1)
    assert swept(site) == Swept(moved=1)
    sent_run.refresh_from_db()
    assert (sent_run.state, sent_run.device, sent_run.plan) == ("waiting", "", None)
    assert dispatch(site.desk, at=site.at) == 1
    sent_run.refresh_from_db()
    assert (sent_run.state, sent_run.device) == ("preparing", "h100-sxm")
    assert gone.device == "h200"


def test_a_run_for_one_product_never_moves() -> None:
    site = Site()
    rows.ready_run(device_wanted="h200")
    worker("measure.h100-sxm")
    assert swept(site) == Swept()


def test_the_findings_of_a_run_that_moved_are_of_its_newest_prepare_half() -> None:
    site = Site()
    first = sent_measure(site)
    run = run_of(first)
    Attempt.objects.filter(uid=first.attempt.uuid).update(state="lapsed", ended_at=site.at)
    Run.objects.filter(pk=run.pk).update(state="ready")
    Worker.objects.all().delete()
    worker("measure.h100-sxm", "there")
    assert swept(site).moved == 1
    send_next("prepare", site.desk, at=site.at)
    again = site.broker.take("prepare")
    site.hear_all(half(again, prepared(site.store, family="absent")))
    run.refresh_from_db()
    assert (run.state, run.device, run.scan_family) == ("ready", "h100-sxm", "absent")
