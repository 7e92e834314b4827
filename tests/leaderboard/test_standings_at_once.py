"""Refreshes that overlap end at the newest state, whichever is written last."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import judged_rows as rows
import pytest
from django.db import connection
from judged_rows import AT

from evaluation.models import Entry, Turn
from leaderboard.models import Board, Standing
from leaderboard.projection import rebuild, refresh, refresh_kernels, tickets
from leaderboard.projection.past import Scope
from leaderboard.projection.refreshing import packaged_scope

WORDS = ["p---"] * 5


class Interrupted(Scope):
    """A catalogue during whose first question, which is after the reading began, something else happens."""

    meanwhile: Callable[[], Any]

    def has(self, problem: str, version: int) -> bool:
        act, Interrupted.meanwhile = Interrupted.meanwhile, lambda: None
        answer = super().has(problem, version)
        act()
        return answer


def interrupted(act: Callable[[], Any]) -> Scope:
    Interrupted.meanwhile = staticmethod(act)
    usual = packaged_scope()
    return Interrupted(usual.versions, usual.ranked, usual.suites, usual.devices, usual.judge)


@pytest.mark.django_db
def test_what_was_read_before_is_not_written_over_what_was_read_after() -> None:
    entry = rows.judged(WORDS)

    def withdraw() -> None:
        Entry.objects.filter(pk=entry.pk).update(withdrawn_at=AT, withdrawn_reason="A mistake.")
        refresh([entry.pk], at=AT)

    # The first refresh has read the entry as public when it is withdrawn and refreshed by somebody else.
    refresh([entry.pk], at=AT, scope=interrupted(withdraw))
    assert not Standing.objects.exists()


@pytest.mark.django_db
def test_a_late_writer_keeps_the_other_entries_of_its_batch() -> None:
    first, second = rows.judged(WORDS), rows.judged(WORDS)

    def withdraw() -> None:
        Entry.objects.filter(pk=first.pk).update(withdrawn_at=AT, withdrawn_reason="A mistake.")
        refresh([first.pk], at=AT)

    refresh([first.pk, second.pk], at=AT, scope=interrupted(withdraw))
    assert set(Standing.objects.values_list("entry", flat=True)) == {second.pk}


@pytest.mark.django_db
def test_tickets_and_revisions_only_rise() -> None:
    assert [tickets.ticket() for _ in range(3)] == [1, 2, 3]
    entry = rows.judged(WORDS)
    refresh([entry.pk], at=AT)
    assert set(Board.objects.values_list("revision", flat=True)) == {5}  # 4 was the ticket


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(
    connection.vendor != "postgresql",
    reason="SQLite lets one transaction write at a time, and its test database lies in memory",
)
def test_many_refreshes_at_once_end_where_a_rebuild_does() -> None:
    entries = [rows.judged(WORDS, ratio=(place + 1) / 8) for place in range(6)]
    kernels = list(
        Turn.objects.filter(trajectory__entry=entries[0]).values_list("kernel", flat=True)
    )
    barrier = threading.Barrier(6)

    def one(place: int) -> None:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=60)
            if place == 0:
                rows.hold(Turn.objects.filter(trajectory__entry=entries[0], number=0)[0])
                refresh_kernels(kernels, at=AT)
            refresh([entries[place].pk], at=AT)
            refresh([entry.pk for entry in entries], at=AT)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(one, range(6)))
    left = rows.everything()
    assert len(left[0]) == 6 * 2 * 3  # rows for T = 1 and 4 on three boards
    done = rebuild(at=AT)
    assert (done.boards, rows.everything()) == (0, left)
