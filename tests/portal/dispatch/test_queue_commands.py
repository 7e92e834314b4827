"""Staff see and switch queues and workers on the command line, and are told why a run waits."""

from datetime import datetime
from io import StringIO
from typing import Any

import evaluation_rows as rows
import pytest
from dispatch_doubles import AT, TARGETS, FakeBroker, FakeStore, later, worker
from django.core.management import CommandError, call_command

from evaluation.models import QueueSwitch, Worker
from portal.dispatch import Desk
from portal.dispatch.overview import queue_lines, worker_lines
from portal.dispatch.waiting import why

pytestmark = pytest.mark.django_db


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_the_table_of_queues_says_what_waits_where_and_why() -> None:
    rows.run(created_at=AT)
    rows.run(created_at=later(10))
    rows.ready_run(created_at=AT)
    rows.attempt(run=rows.run(state="preparing", device="h200"))
    worker("measure.h200", "a")
    worker("measure.h200", "b", resting="Xid 79\x1b[31m")
    rows.queue_switch(queue="prepare", paused_at=AT, why="a new release")
    assert list(queue_lines(["b200", "h200"], at=later(60))) == [
        "queue               waiting   out  workers  oldest",
        "prepare                   2     1        0     60s  paused: a new release",
        "measure.b200              0     0        0       -",
        "measure.h200              1     0      1/2     60s  1 take no work: Xid 79 [31m",
    ]


def test_the_table_of_workers_has_the_one_that_was_heard_of_last_first() -> None:
    worker("prepare", "p@1", draining=True)
    worker("measure.h200", "m@1", last_heard_at=later(90), resting="Xid 79")
    assert list(worker_lines(at=later(130))) == [
        "worker                                    queue                heard",
        "m@1                                       measure.h200           40s  Xid 79",
        "p@1                                       prepare                 2m  draining",
    ]


def test_a_queue_is_paused_and_goes_on() -> None:
    pause = ("queue", "pause", "measure.h200", "--why", "a new driver", "--by", "staff")
    assert said(*pause) == "measure.h200 is paused; what is out goes on\n"
    switch = QueueSwitch.objects.get()
    assert (switch.why, switch.by, switch.paused_at is None) == ("a new driver", "staff", False)
    assert "paused: a new driver" in said("queue", "show")
    with pytest.raises(CommandError, match="is paused already"):
        said(*pause)
    said("queue", "resume", "measure.h200", "--by", "staff")
    with pytest.raises(CommandError, match="is not paused"):
        said("queue", "resume", "measure.h200", "--by", "staff")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("pause", "measure.h300", "--why", "w", "--by", "b"), "there are prepare, measure.b200"),
        (("pause", "prepare", "--why", " ", "--by", "b"), "--why is empty"),
    ],
    ids=["no such queue", "no reason"],
)
def test_a_pause_without_sense_is_refused(arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        said("queue", *arguments)
    assert not QueueSwitch.objects.exists()


def test_a_worker_is_drained_and_counted_again() -> None:
    worker("prepare", "p@1")
    assert said("worker", "drain", "p@1") == "p@1 is drained: end it when it is idle\n"
    assert Worker.objects.get().draining
    assert "draining" in said("worker", "show")
    with pytest.raises(CommandError, match="no worker 'p@1'"):
        said("worker", "drain", "p@1")
    said("worker", "undrain", "p@1")
    assert not Worker.objects.get().draining


def waits(at: datetime = AT, **columns: Any) -> str:
    run = rows.ready_run(**columns)
    return why(run, Desk(FakeBroker(), FakeStore(), TARGETS), at=at)


def test_a_run_whose_device_nobody_has_waits_for_it() -> None:
    assert waits() == "It waits for hardware: no Hopper worker is connected."


def test_a_run_in_line_says_how_many_came_before_it() -> None:
    worker("measure.h200")
    rows.ready_run(created_at=later(-1))
    rows.ready_run(created_at=later(1))
    assert waits() == (
        "It waits for its turn: 1 that came before it wait too, shared out by owners."
    )


def test_a_run_that_came_back_says_why_and_when_it_is_sent_again() -> None:
    run = rows.ready_run(not_before=later(90))
    ended = {"state": "failed", "ended_at": AT, "ended_why": "check: no disk"}
    rows.attempt(run=run, half="measure", **ended)
    desk = Desk(FakeBroker(), FakeStore(), TARGETS)
    assert why(run, desk, at=AT) == (
        "It came back (failed: check: no disk) and is sent again at 12:01:30 UTC."
    )


def test_a_run_that_is_out_says_with_whom() -> None:
    desk = Desk(FakeBroker(), FakeStore(), TARGETS)
    sent = rows.attempt(run=rows.run(state="preparing", device="h200"))
    assert why(sent.run, desk, at=AT) == (
        "Its prepare attempt 1 was sent to prepare at 12:00:00 UTC and no worker has taken it yet."
    )
    started = rows.attempt(
        run=rows.run(state="preparing", device="h200"),
        state="started",
        worker="p@1",
        started_at=AT,
        lease_until=later(60),
    )
    assert why(started.run, desk, at=AT) == (
        "Its prepare attempt 1 is with p@1 since 12:00:00 UTC;"
        " unless it is heard of, its lease ends at 12:01:00 UTC."
    )


def test_a_run_of_another_judge_and_one_that_ended_say_so() -> None:
    assert waits(judge="9") == "It is for judge 9, and this site sends to judge 1."
    desk = Desk(FakeBroker(), FakeStore(), TARGETS)
    assert why(rows.finished_run(), desk, at=AT) == (
        "It does not wait: it is finished since 2026-11-30 12:00 UTC."
    )


def test_the_command_takes_the_uid_that_pages_show() -> None:
    run = rows.finished_run()
    assert said("why", str(run.uid)).startswith("It does not wait: it is finished")
    with pytest.raises(CommandError, match="is no uid"):
        said("why", "nothing")
    with pytest.raises(CommandError, match="there is no run"):
        said("why", "00000000-0000-4000-8000-000000000000")
