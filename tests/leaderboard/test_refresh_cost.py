"""What a refresh reads does not grow with entries that it has nothing to do with."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import judged_rows as rows
import pytest
from django.db import connection
from judged_rows import AT

from evaluation.models import Run, Turn
from leaderboard.projection import rebuild, refresh_kernels
from leaderboard.projection.refreshing import packaged_scope

WORDS = ["p---"] * 5


@dataclass(slots=True)
class Work:
    queries: int = 0
    rows: int = 0


@contextmanager
def counted() -> Iterator[Work]:
    """Count what is asked of the database, and the rows that it gives."""
    work = Work()

    def asked(execute: Any, *question: Any) -> Any:
        work.queries += 1
        return execute(*question)

    def given(_: Any, row: tuple[Any, ...]) -> tuple[Any, ...]:
        work.rows += 1
        return row

    connection.ensure_connection()
    assert connection.connection is not None
    connection.connection.row_factory = given
    try:
        with connection.execute_wrapper(asked):
            yield work
    finally:
        connection.connection.row_factory = None


def work_of_a_hold(others: int) -> Work:
    """Hold one kernel of one entry where so many others stand on the same boards."""
    for place in range(others):
        rows.judged(WORDS, ratio=0.125 * (1 + place % 5))
    entry = rows.judged(WORDS, ratio=0.5)
    turn = Turn.objects.filter(trajectory__entry=entry, number=0)[0]
    Run.objects.filter(kernel=turn.kernel).update(ratio=0.75, ratio_high=0.8125)  # its best
    rebuild(at=AT)
    rows.hold(turn)
    scope = packaged_scope()
    assert turn.kernel_id is not None
    with counted() as work:
        done = refresh_kernels([turn.kernel_id], at=AT, scope=scope)
    assert (done.entries, done.removed) == (1, 6)  # T = 1 and 4 on three boards
    return work


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's connection counts its rows")
def test_a_refresh_reads_as_much_among_many_entries_as_among_few() -> None:
    few = work_of_a_hold(others=2)
    many = work_of_a_hold(others=20)  # beside the three that are there
    assert many.queries == few.queries
    # Records follow from one row of each entry on the speed board; it held its best kernel.
    assert many.rows - few.rows == 21
