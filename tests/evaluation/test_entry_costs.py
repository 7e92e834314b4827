"""What judging an entry took: of which runs, and nothing that tells of a hold."""

import evaluation_rows as rows
import pytest
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Trajectory
from evaluation.selectors import ANYONE, Viewer
from evaluation.selectors.entry_costs import gpu_seconds

pytestmark = pytest.mark.django_db

ALICE = Viewer(frozenset({rows.ALICE}), staff=False)
BOB = Viewer(frozenset({rows.BOB}), staff=False)


@pytest.fixture
def place() -> Trajectory:
    return rows.trajectory(entry=rows.entry(visibility="public"))


def test_every_run_that_counts_is_in_the_sum_once(
    place: Trajectory, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    turn = rows.turn(trajectory=place)
    rows.turn(trajectory=place, number=1, kernel=turn.kernel)
    rows.accepted_run(kernel=turn.kernel, gpu_seconds=2.5)
    rows.finished_run(kernel=turn.kernel, gpu_seconds=1.0, judge="2")
    shared = rows.turn(trajectory=place, number=2)
    rows.accepted_run(kernel=shared.kernel, gpu_seconds=4.0, owner=rows.BOB, shared=True)
    with django_assert_num_queries(1):
        assert gpu_seconds(ANYONE, place.entry.uid) == 7.5


def test_runs_that_do_not_count_for_its_turns_are_not_in_the_sum(place: Trajectory) -> None:
    kernel = rows.turn(trajectory=place).kernel
    rows.run(kernel=kernel, gpu_seconds=1.0)
    rows.accepted_run(kernel=kernel, gpu_seconds=1.0, applied=False)
    rows.accepted_run(kernel=kernel, gpu_seconds=1.0, problem="another")
    rows.accepted_run(kernel=kernel, gpu_seconds=1.0, problem_version=2)
    rows.accepted_run(kernel=kernel, gpu_seconds=1.0, target="blackwell", device="b200")
    rows.accepted_run(kernel=kernel, gpu_seconds=1.0, owner=rows.BOB)
    assert gpu_seconds(ANYONE, place.entry.uid) == 0


@pytest.mark.parametrize("viewer", [ANYONE, ALICE], ids=["anyone", "owner"])
def test_a_held_kernel_s_run_is_in_nobody_s_sum(place: Trajectory, viewer: Viewer) -> None:
    for number in range(2):
        turn = rows.turn(trajectory=place, number=number)
        rows.accepted_run(kernel=turn.kernel, gpu_seconds=3.0)
    assert gpu_seconds(viewer, place.entry.uid) == 6
    rows.hold(kernel=turn.kernel)
    assert gpu_seconds(viewer, place.entry.uid) == 3


def test_who_does_not_see_an_entry_learns_nothing_of_its_cost() -> None:
    place = rows.trajectory(entry=rows.entry(visibility="private"))
    rows.accepted_run(kernel=rows.turn(trajectory=place).kernel, gpu_seconds=3.0)
    assert [gpu_seconds(one, place.entry.uid) for one in (ANYONE, BOB, ALICE)] == [0, 0, 3]
