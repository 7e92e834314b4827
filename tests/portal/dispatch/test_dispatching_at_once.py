"""Several dispatchers and several that store reports at once do what one would have done."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import TypeVar

import evaluation_rows as rows
import pytest
from dispatch_doubles import ACCEPTED, Site, half, worker
from django.db import connection
from test_hearing import run_of, sent_measure

from evaluation.models import Attempt, Run, Worker
from evaluation.services import cancel
from portal.dispatch import dispatch, send_next, sweep
from portal.reports import Word

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql",
        reason="SQLite lets one transaction write at a time, and its test database lies in memory",
    ),
]

T = TypeVar("T")


def at_once(acts: Sequence[Callable[[], T]]) -> list[T]:
    """What each of several threads got, all of which began together."""
    barrier = Barrier(len(acts))

    def one(act: Callable[[], T]) -> T:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=60)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(one, acts))


def test_six_dispatchers_send_each_run_once_and_no_more_than_workers_can_have() -> None:
    site = Site()
    for name in "abc":
        worker("prepare", name)
    for _ in range(20):
        rows.run()
    sent = at_once([partial(send_next, "prepare", site.desk, at=site.at)] * 6)
    assert sum(sent) == 6
    assert len({one.attempt.uuid for one in site.broker.sent}) == 6
    assert Run.objects.filter(state="preparing").count() == 6


def test_the_reports_of_a_half_that_are_stored_at_once_finish_the_run_once() -> None:
    for _ in range(5):
        site = Site()
        sent = sent_measure(site)
        messages = half(sent, ACCEPTED) * 2
        told = at_once([partial(site.hear, message) for message in messages])
        assert [one.word for one in told].count(Word.ENDED) == 1
        run = run_of(sent)
        assert (run.state, run.verdict, run.failures) == ("finished", "accepted", 0)
        Worker.objects.all().delete()  # the next round has its own


def cancel_all(runs: Sequence[Run]) -> int:
    return sum(cancel(run, at=rows.AT) for run in runs)


def test_runs_that_are_cancelled_sent_and_swept_at_once_end_with_no_attempt_left() -> None:
    for _ in range(5):
        site = Site()
        worker("prepare", f"w{Run.objects.count()}")
        runs = [rows.run() for _ in range(4)]

        acts: list[Callable[[], object]] = [
            partial(dispatch, site.desk, at=site.at),
            partial(dispatch, site.desk, at=site.at),
            partial(cancel_all, runs),
            partial(sweep, site.desk, at=site.at),
        ]
        at_once(acts)
        cancel_all(runs)
        assert not Attempt.objects.live().exists()
        assert set(Run.objects.values_list("state", flat=True)) == {"cancelled"}
