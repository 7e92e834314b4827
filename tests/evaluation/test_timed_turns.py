"""The timed turns of an entry, for charts: which of them are chosen, by which run, and who may see them."""

from datetime import timedelta
from typing import Any

import evaluation_rows as rows
import pytest
from pytest_django import DjangoAssertNumQueries

from evaluation.models import Entry, Kernel, Trajectory, Turn
from evaluation.selectors import ANYONE, Viewer
from evaluation.selectors.timed_turns import TIMED_AT_A_PLACE, timed_turns

pytestmark = pytest.mark.django_db

ALICE = Viewer(frozenset({rows.ALICE}), staff=False)
STAFF = Viewer(frozenset(), staff=True)


@pytest.fixture
def place() -> Trajectory:
    """A trajectory of a public entry."""
    return rows.trajectory(entry=rows.entry(visibility="public"))


def timed(place: Trajectory, number: int = 0, **run: Any) -> Turn:
    """A turn that was timed, and whose tokens are known."""
    turn = rows.turn(trajectory=place, number=number, completion_tokens=100 + number)
    rows.accepted_run(kernel=turn.kernel, **run)
    return turn


def numbers(entry: Entry, viewer: Viewer = ANYONE) -> list[int]:
    return [one.turn for one in timed_turns(viewer, entry.uid).turns]


def kernel_of(turn: Turn) -> Kernel:
    assert turn.kernel is not None
    return turn.kernel


def test_a_timed_turn_has_our_speed_and_what_the_upload_says_of_it(place: Trajectory) -> None:
    turn = timed(place, 3)
    Turn.objects.filter(pk=turn.pk).update(reasoning_tokens=40)
    rows.reported(turn=turn, speedup=2.5, device="NVIDIA H200")
    (found,) = timed_turns(ANYONE, place.entry.uid).turns
    assert (found.trajectory, found.problem) == (str(place.uid), "gemm_n4096_k4096")
    assert (found.prompt, found.number, found.turn, found.device) == (0, 0, 3, "h200")
    assert (found.speed.ratio, found.speed.low, found.speed.high) == (1.5, 1.4, 1.6)
    assert (found.completion_tokens, found.reasoning_tokens) == (103, 40)
    assert (found.reported_ratio, found.reported_device) == (2.5, "NVIDIA H200")


def test_where_a_turn_names_no_device_its_trajectory_s_counts() -> None:
    place = rows.trajectory(entry=rows.entry(visibility="public"), reported_device="h200")
    rows.reported(turn=timed(place), speedup=2.5)
    (found,) = timed_turns(ANYONE, place.entry.uid).turns
    assert found.reported_device == "h200"


@pytest.mark.parametrize("viewer", [ANYONE, ALICE, STAFF], ids=["anyone", "owner", "staff"])
def test_what_is_held_or_struck_is_told_to_nobody_and_counted_nowhere(
    place: Trajectory, viewer: Viewer
) -> None:
    timed(place, 0)
    rows.hold(kernel=timed(place, 1).kernel)
    struck = {"state": "struck", "decided_at": rows.AT, "decided_by": "zoe"}
    rows.hold(kernel=timed(place, 2).kernel, **struck)
    cleared = {"state": "cleared", "decided_at": rows.AT, "decided_by": "zoe"}
    rows.hold(kernel=timed(place, 3).kernel, **cleared)
    rows.hold(kernel=timed(place, 4).kernel, target="blackwell")
    found = timed_turns(viewer, place.entry.uid)
    assert [one.turn for one in found.turns] == [0, 3, 4]
    assert (found.chosen, found.total) == (3, 3)


def test_a_turn_without_a_speed_that_counts_is_not_timed(place: Trajectory) -> None:
    wrong = rows.turn(trajectory=place, number=0, completion_tokens=1)
    rows.finished_run(kernel=wrong.kernel)
    waits = rows.turn(trajectory=place, number=1, completion_tokens=1)
    rows.run(kernel=waits.kernel)
    timed(place, 2, applied=False)
    timed(place, 3, problem_version=2)
    timed(place, 4, owner=rows.BOB)
    rows.turn(trajectory=place, number=5, missing="no_code", missing_said="No code.")
    silent = rows.turn(trajectory=place, number=6)
    rows.accepted_run(kernel=silent.kernel)
    timed(place, 7, owner=rows.BOB, shared=True)
    assert numbers(place.entry) == [7]


def test_the_newest_run_on_each_device_says_how_fast(place: Trajectory) -> None:
    kernel = kernel_of(timed(place))
    later = rows.AT + timedelta(days=1)
    rows.accepted_run(kernel=kernel, finished_at=later, ratio=1.25, ratio_low=1.2, judge="2")
    rows.accepted_run(kernel=kernel, device="h100-sxm", ratio=1.45)
    found = timed_turns(ANYONE, place.entry.uid)
    assert [(one.device, one.speed.ratio) for one in found.turns] == [
        ("h100-sxm", 1.45),
        ("h200", 1.25),
    ]
    assert (found.chosen, found.total) == (1, 1)
    rows.finished_run(kernel=kernel, finished_at=later + timedelta(days=1), judge="3")
    assert [one.device for one in timed_turns(ANYONE, place.entry.uid).turns] == ["h100-sxm"]


def test_of_many_turns_each_problem_gives_as_many_at_even_distances() -> None:
    entry = rows.entry(visibility="public")
    for problem, turns in (("first", 2 * TIMED_AT_A_PLACE), ("second", 3)):
        place = rows.trajectory(entry=entry, problem=problem)
        for number in range(turns):
            timed(place, number, problem=problem)
    found = timed_turns(ANYONE, entry.uid)
    at_first = [one.turn for one in found.turns if one.problem == "first"]
    assert at_first == list(range(1, 2 * TIMED_AT_A_PLACE, 2))
    assert [one.turn for one in found.turns if one.problem == "second"] == [0, 1, 2]
    assert (found.chosen, found.total) == (TIMED_AT_A_PLACE + 3, 2 * TIMED_AT_A_PLACE + 3)


@pytest.mark.parametrize(
    "columns",
    [
        {"visibility": "private"},
        {"visibility": "embargoed", "embargo_until": rows.AT + timedelta(days=36_500)},
        {"visibility": "public", "withdrawn_at": rows.AT, "withdrawn_reason": "A mistake."},
    ],
    ids=["private", "embargoed", "withdrawn"],
)
def test_of_what_others_may_not_see_they_are_told_nothing(columns: dict[str, Any]) -> None:
    place = rows.trajectory(entry=rows.entry(**columns))
    timed(place)
    assert (numbers(place.entry), numbers(place.entry, ALICE)) == ([], [0])
    assert timed_turns(ANYONE, place.entry.uid).total == 0


@pytest.mark.parametrize("turns", [1, 20])
def test_timed_turns_are_read_in_two_queries_however_many_there_are(
    place: Trajectory, turns: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(turns):
        timed(place, number)
    with django_assert_num_queries(2):
        timed_turns(ANYONE, place.entry.uid)
