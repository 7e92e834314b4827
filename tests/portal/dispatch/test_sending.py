"""What is sent, when, and to whom: late, shared out, never twice, never more than workers can have."""

from datetime import timedelta
from typing import Any

import evaluation_rows as rows
import pytest
from dispatch_doubles import AT, FakeBroker, Site, later, worker

from evaluation.core.messages import MeasureJob, PrepareJob
from evaluation.models import Attempt, QueueSwitch, Run
from evaluation.services import key_digest
from portal.dispatch import dispatch, send_next
from portal.dispatch.sending import used_seconds

pytestmark = pytest.mark.django_db


def send(site: Site, queue: str = "prepare") -> int:
    return send_next(queue, site.desk, at=site.at)


def runs_sent(site: Site) -> list[Run]:
    return [Attempt.objects.get(uid=one.attempt.uuid).run for one in site.broker.sent]


def test_a_message_has_what_the_worker_needs_and_the_database_only_the_digest_of_its_key() -> None:
    site, run = Site(), rows.run()
    assert send(site) == 1
    (sent,) = site.broker.sent
    assert isinstance(sent.job, PrepareJob)
    assert (sent.queue, sent.task) == ("prepare", "evaluation.prepare")
    assert (sent.job.source_sha256, sent.job.source_bytes) == (run.kernel.sha256, 3)
    assert (sent.job.problem, sent.job.problem_version) == ("gemm_n4096_k4096", 1)
    assert (sent.job.language, sent.job.target, sent.job.device) == ("cuda", "hopper", "h200")
    attempt = Attempt.objects.get()
    assert (attempt.number, attempt.state, attempt.sent_at) == (1, "sent", AT)
    assert attempt.key_digest == key_digest(sent.attempt.key)
    run.refresh_from_db()
    assert (run.state, run.device) == ("preparing", "h200")


def test_two_attempts_have_different_keys() -> None:
    site = Site()
    worker("prepare")
    rows.run(), rows.run()
    assert send(site) == 2
    first, second = site.broker.sent
    assert first.attempt.key != second.attempt.key


def test_a_measure_half_is_sent_to_the_queue_of_the_device_that_it_was_prepared_for() -> None:
    site = Site()
    worker("measure.h200")
    run = rows.ready_run(scan_family="absent", bulk_rows=7)
    assert send(site, "measure.b200") == 0
    assert send(site, "measure.h200") == 1
    (sent,) = site.broker.sent
    assert isinstance(sent.job, MeasureJob)
    assert (sent.task, sent.job.device) == ("evaluation.measure", "h200")
    assert run.plan is not None
    assert sent.job.parts.plan.sha256 == run.plan.sha256
    assert (sent.job.parts.family, sent.job.parts.bulk_rows, sent.job.losses) == ("absent", 7, 0)


def test_sending_again_sends_nothing() -> None:
    site = Site()
    rows.run()
    assert (send(site), send(site)) == (1, 0)


def test_two_messages_a_worker_are_out_and_one_where_no_prepare_worker_is_known() -> None:
    site = Site()
    for _ in range(9):
        rows.run()
    assert send(site) == 1
    worker("prepare", "one")
    assert send(site) == 1
    worker("prepare", "two")
    assert send(site) == 2
    assert Attempt.objects.live().count() == 4


@pytest.mark.parametrize(
    "columns",
    [
        {"last_heard_at": AT - timedelta(seconds=81)},
        {"resting": "Xid 79"},
        {"draining": True},
        {"schema": 1},
        {"judge": "0"},
    ],
    ids=["silent", "resting", "draining", "another schema", "another judge"],
)
def test_a_worker_that_takes_no_work_gets_no_message(columns: dict[str, Any]) -> None:
    site = Site()
    worker("measure.h200", **columns)
    rows.ready_run()
    assert send(site, "measure.h200") == 0
    assert Attempt.objects.count() == 0


def test_a_paused_queue_gets_nothing_until_it_goes_on() -> None:
    site = Site()
    rows.run()
    switch = rows.queue_switch(paused_at=AT, why="a new release")
    assert send(site) == 0
    QueueSwitch.objects.filter(pk=switch.pk).update(paused_at=None)
    assert send(site) == 1


def test_what_the_broker_does_not_take_stays_sent_and_no_more_is_tried() -> None:
    site = Site()
    worker("prepare")
    rows.run(), rows.run()
    site.broker.down = True
    assert send(site) == 0
    assert list(Attempt.objects.values_list("state", flat=True)) == ["sent"]


def test_a_run_that_came_back_waits_until_its_time() -> None:
    site = Site()
    rows.run(not_before=later(30))
    assert send(site) == 0
    site.wait(30)
    assert send(site) == 1
    assert Run.objects.get().not_before is None


def test_a_run_of_another_judge_is_left_for_its_release() -> None:
    site = Site()
    rows.run(judge="2")
    assert send(site) == 0


def test_owners_take_turns_and_a_lot_of_runs_is_no_advantage() -> None:
    """Alice asked for three before Bob asked for one; two may be out."""
    site = Site()
    worker("prepare")
    for second in range(3):
        rows.run(owner=rows.ALICE, created_at=later(second))
    rows.run(owner=rows.BOB, created_at=later(10))
    assert send(site) == 2
    assert [one.owner for one in runs_sent(site)] == [rows.ALICE, rows.BOB]


def test_the_oldest_run_of_an_owner_goes_first_but_for_priority() -> None:
    site = Site()
    worker("prepare")
    rows.run(created_at=later(2))
    oldest = rows.run(created_at=later(1))
    urgent = rows.run(created_at=later(3), priority=1)
    assert send(site) == 2
    assert runs_sent(site) == [urgent, oldest]


def test_a_run_of_the_problem_that_is_warm_goes_before_an_older_one_of_another() -> None:
    site = Site()
    worker("measure.h200")
    warm = rows.ready_run(problem="mha", created_at=later(0))
    rows.ready_run(problem="gemm", created_at=later(1))
    also_warm = rows.ready_run(problem="mha", created_at=later(2))
    assert send(site, "measure.h200") == 2
    assert runs_sent(site) == [warm, also_warm]


def test_but_not_before_one_that_waits_for_more_than_five_minutes() -> None:
    site = Site()
    worker("measure.h200")
    first = rows.ready_run(problem="mha", created_at=later(0))
    second = rows.ready_run(problem="gemm", created_at=later(1))
    rows.ready_run(problem="mha", created_at=later(2))
    site.wait(302)
    Run.objects.filter(pk=first.pk).update(priority=1)
    rows.worker(name="fresh", queue="measure.h200", device="h200", last_heard_at=site.at)
    assert send(site, "measure.h200") == 2
    assert runs_sent(site) == [first, second]


def test_what_an_owner_used_is_what_attempts_took_lately_and_thirty_seconds_for_each_that_is_out() -> (
    None
):
    ended = {"state": "done", "worker": "w", "started_at": later(10), "lease_until": later(60)}
    rows.attempt(run=rows.run(owner="a"), **ended, ended_at=later(52.5))
    rows.attempt(run=rows.run(owner="a"), **ended, ended_at=later(11), queue="elsewhere")
    rows.attempt(run=rows.run(owner="b"))
    rows.attempt(run=rows.run(owner="c"), sent_at=later(-3700), **ended, ended_at=later(11))
    rows.attempt(run=rows.ready_run(owner="d"), half="measure", **ended, ended_at=later(11))
    assert used_seconds("prepare", at=later(60)) == {"a": 43.5, "b": 30.0}


def test_a_run_for_any_hopper_is_prepared_for_the_one_with_the_shortest_wait() -> None:
    """Six runs are ahead for two H200, two for the one H100: 3 against 2 a worker."""
    site = Site()
    worker("measure.h200", "a")
    worker("measure.h200", "b")
    worker("measure.h100-sxm", "c")
    for _ in range(6):
        rows.ready_run()
    for _ in range(2):
        rows.ready_run(device="h100-sxm")
    run = rows.run()
    assert send(site) == 1
    run.refresh_from_db()
    assert run.device == "h100-sxm"


def test_a_device_that_rests_is_chosen_only_where_no_other_takes_work() -> None:
    site = Site()
    worker("measure.h100-sxm", "a", resting="Xid 79")
    run = rows.run()
    send(site)
    run.refresh_from_db()
    assert run.device == "h100-sxm"
    worker("measure.h200", "b")
    worker("prepare")
    other = rows.run()
    send(site)
    other.refresh_from_db()
    assert other.device == "h200"


def test_a_run_for_one_product_is_prepared_for_it_whoever_serves_it() -> None:
    site = Site()
    worker("measure.h200")
    run = rows.run(target="blackwell", device_wanted="b200")
    assert send(site) == 1
    run.refresh_from_db()
    assert run.device == "b200"


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({}, "waits for hardware: no Hopper worker is connected"),
        ({"device_wanted": "h200"}, "waits for hardware: no H200 worker is connected"),
    ],
    ids=["any of the target", "one product"],
)
def test_a_run_without_a_device_says_which_it_waits_for_until_one_is_there(
    columns: dict[str, str], sentence: str
) -> None:
    site, run = Site(), rows.ready_run(**columns)
    assert dispatch(site.desk, at=site.at) == 0
    run.refresh_from_db()
    assert run.waits_for == sentence
    assert Attempt.objects.count() == 0
    worker("measure.h200")
    assert dispatch(site.desk, at=site.at) == 1
    run.refresh_from_db()
    assert (run.state, run.waits_for) == ("measuring", "")


def test_a_run_says_why_its_only_device_rests_and_that_a_queue_is_paused() -> None:
    site, run = Site(), rows.ready_run(device_wanted="h200")
    rested = worker("measure.h200", resting="Xid 79 during the kernel")
    dispatch(site.desk, at=site.at)
    run.refresh_from_db()
    assert run.waits_for == (
        "waits for hardware: no H200 worker takes work: Xid 79 during the kernel"
    )
    switch = QueueSwitch.objects.filter(queue="measure.h200")
    switch.update(paused_at=AT, why="a new driver")
    dispatch(site.desk, at=site.at)
    run.refresh_from_db()
    assert run.waits_for == "waits: staff paused the queue measure.h200: a new driver"
    switch.update(paused_at=None)
    rested.delete()
    worker("measure.h200", "w2")
    rows.attempt(half="measure", queue="measure.h200")
    rows.attempt(half="measure", queue="measure.h200")
    dispatch(site.desk, at=site.at)
    run.refresh_from_db()
    assert (run.state, run.waits_for) == ("ready", "")


def test_losses_of_a_kernel_are_told_over_all_its_runs_since_a_person_cleared_it() -> None:
    site = Site()
    worker("measure.h200")
    kernel = rows.kernel()
    rows.finished_run(kernel=kernel, losses=2, created_at=later(-100))
    rows.hold(kernel=kernel, state="cleared", decided_at=later(-50), decided_by="staff")
    rows.finished_run(kernel=kernel, losses=1, created_at=later(-40))
    rows.finished_run(kernel=kernel, losses=8, problem="another")
    rows.ready_run(kernel=kernel)
    send(site, "measure.h200")
    (sent,) = site.broker.sent
    assert isinstance(sent.job, MeasureJob)
    assert sent.job.losses == 1


def test_only_the_queues_that_were_named_are_filled() -> None:
    site = Site(broker=FakeBroker())
    worker("measure.h200")
    rows.run(), rows.ready_run()
    assert dispatch(site.desk, at=site.at, only=["measure.h200", "no queue of ours"]) == 1
    assert [one.queue for one in site.broker.sent] == ["measure.h200"]
