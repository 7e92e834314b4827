"""Two that write the same thing at once store it once; where the database lets two write at once at all."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import evaluation_rows as rows
import pytest
from django.db import connection

from evaluation.core.run_words import HoldSource
from evaluation.core.verdict import Language, Target
from evaluation.models import Entry, Hold, Kernel, Run, Trajectory, Turn
from evaluation.services import (
    NewEntry,
    NewTrajectory,
    NewTurn,
    add_entry,
    add_trajectory,
    place_hold,
    request_runs,
)

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql",
        reason="SQLite lets one transaction write at a time, and its test database lies in memory",
    ),
]

T = TypeVar("T")
WRITERS = 6


def at_once(act: Callable[[], T]) -> list[T]:
    """What each of several threads got, all of which began together."""
    barrier = Barrier(WRITERS)

    def one(_: int) -> T:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=60)
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS) as threads:
        return list(threads.map(one, range(WRITERS)))


def test_an_entry_is_handed_in_by_many_hands_once() -> None:
    new = NewEntry(
        owner=rows.ALICE, digest="d" * 64, language=Language.CUDA, proposed_model="a model"
    )
    found = at_once(lambda: add_entry(new, at=rows.AT).created)
    assert sorted(found) == [False] * (WRITERS - 1) + [True]
    assert Entry.objects.count() == 1


def test_a_trajectory_is_imported_by_many_hands_once() -> None:
    entry, store = rows.entry(turns=8), rows.FakeArtifacts()
    turns = tuple(NewTurn(number=number, kernel=b"abc%d" % number) for number in range(8))
    new = NewTrajectory(problem="p", problem_version=1, target=Target.HOPPER, turns=turns)
    found = at_once(lambda: add_trajectory(store, entry, new, at=rows.AT).created)
    assert sorted(found) == [False] * (WRITERS - 1) + [True]
    assert (Trajectory.objects.count(), Turn.objects.count(), Kernel.objects.count()) == (1, 8, 8)


def test_runs_are_requested_by_many_hands_once() -> None:
    entry = rows.entry()
    trajectory = rows.trajectory(entry=entry)
    for number in range(8):
        rows.turn(trajectory=trajectory, number=number, kernel=rows.kernel())
    found = at_once(lambda: request_runs(entry, judge="1", at=rows.AT))
    assert sum(len(one.new) for one in found) == 8
    assert all(len(one.new) + one.reused == 8 for one in found)
    assert Run.objects.count() == 8


def test_a_hold_is_placed_by_many_hands_once() -> None:
    kernel = rows.kernel()

    def place() -> bool:
        placed = place_hold(
            kernel, "p", Target.HOPPER, why="Why.", source=HoldSource.STAFF, at=rows.AT
        )
        return placed is not None

    assert sorted(at_once(place)) == [False] * (WRITERS - 1) + [True]
    assert Hold.objects.count() == 1
