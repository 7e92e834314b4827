"""A kernel is judged once for everybody who may rest on it."""

import evaluation_rows as rows
import pytest

from evaluation.models import Entry, Kernel, Run
from evaluation.services import request_runs, withdraw

pytestmark = pytest.mark.django_db


def entry_with(kernel: Kernel, **columns: object) -> Entry:
    """An entry of one trajectory with this kernel in its only turn."""
    entry = rows.entry(**columns)
    rows.turn(trajectory=rows.trajectory(entry=entry), kernel=kernel)
    return entry


def request(entry: Entry, judge: str = "1", device_wanted: str = "") -> tuple[int, int]:
    """How many runs are new and how many are reused."""
    found = request_runs(entry, judge=judge, at=rows.AT, device_wanted=device_wanted)
    return len(found.new), found.reused


def test_a_run_is_made_with_what_it_needs() -> None:
    kernel = rows.kernel(language="triton")
    entry = entry_with(kernel)
    (run,) = request_runs(entry, judge="1", at=rows.AT, priority=5).new
    assert (run.kernel, run.language, run.owner, run.state) == (
        kernel,
        "triton",
        rows.ALICE,
        "waiting",
    )
    assert (run.problem, run.problem_version, run.target) == ("gemm_n4096_k4096", 1, "hopper")
    assert (run.device_wanted, run.device, run.judge, run.priority) == ("", "", "1", 5)


def test_asking_again_makes_nothing_new() -> None:
    entry = entry_with(rows.kernel())
    assert request(entry) == (1, 0)
    assert request(entry) == (0, 1)
    assert Run.objects.count() == 1


def test_a_kernel_in_many_turns_is_judged_once() -> None:
    kernel = rows.kernel()
    trajectory = rows.trajectory()
    for number in range(3):
        rows.turn(trajectory=trajectory, number=number, kernel=kernel)
    assert request(trajectory.entry) == (1, 0)


def test_one_trajectory_can_be_asked_for_alone() -> None:
    entry = entry_with(rows.kernel())
    other = rows.trajectory(entry=entry, number=1)
    rows.turn(trajectory=other, kernel=rows.kernel())
    assert len(request_runs(other, judge="1", at=rows.AT).new) == 1
    assert request(entry) == (1, 1)


def test_a_turn_without_a_kernel_and_a_scrubbed_one_are_not_judged() -> None:
    trajectory = rows.trajectory()
    rows.turn(trajectory=trajectory, missing="no_code", missing_said="No code.")
    rows.turn(
        trajectory=trajectory,
        number=1,
        missing="scrubbed",
        missing_said="A key was in it.",
        kernel=rows.kernel(),
    )
    assert request(trajectory.entry) == (0, 0)


def test_a_finished_run_of_the_same_owner_is_reused() -> None:
    run = rows.finished_run()
    assert request(entry_with(run.kernel)) == (0, 1)


@pytest.mark.parametrize("state", ["abandoned", "cancelled"])
def test_a_run_that_ended_without_a_verdict_is_made_again(state: str) -> None:
    run = rows.run(state=state, finished_at=rows.AT)
    assert request(entry_with(run.kernel)) == (1, 0)


def test_a_result_that_nobody_put_into_effect_is_not_reused() -> None:
    run = rows.finished_run(applied=False)
    assert request(entry_with(run.kernel)) == (1, 0)


def test_another_owner_s_private_run_is_not_reused() -> None:
    run = rows.finished_run(owner=rows.BOB)
    entry_with(run.kernel, owner=rows.BOB)
    assert request(entry_with(run.kernel)) == (1, 0)


def test_another_owner_s_pending_run_is_not_waited_for() -> None:
    run = rows.run(owner=rows.BOB)
    entry_with(run.kernel, owner=rows.BOB, visibility="public")
    assert request(entry_with(run.kernel)) == (1, 0)


def test_a_finished_run_of_a_public_kernel_is_reused_and_stays_so_when_its_entry_is_withdrawn() -> (
    None
):
    run = rows.finished_run(owner=rows.BOB)
    public = entry_with(run.kernel, owner=rows.BOB, visibility="public")
    mine = entry_with(run.kernel)
    assert request(mine) == (0, 1)
    withdraw(public, reason="a mistake", at=rows.AT)
    assert request(mine) == (0, 1)
    assert list(Run.objects.filter(shared=True)) == [run]


def test_a_public_entry_of_a_third_owner_opens_no_private_run() -> None:
    run = rows.finished_run(owner=rows.BOB)
    entry_with(run.kernel, owner="carol", visibility="public")
    assert request(entry_with(run.kernel)) == (1, 0)


def test_an_embargoed_kernel_is_not_public_before_its_day() -> None:
    run = rows.finished_run(owner=rows.BOB)
    entry_with(
        run.kernel,
        owner=rows.BOB,
        visibility="embargoed",
        embargo_until=rows.AT.replace(year=2027),
    )
    assert request(entry_with(run.kernel)) == (1, 0)


@pytest.mark.parametrize(
    ("judge", "device", "version", "answer"),
    [
        ("1", "", 1, (0, 1)),
        ("2", "", 1, (1, 0)),
        ("1", "h200", 1, (0, 1)),
        ("1", "h100-sxm", 1, (1, 0)),
        ("1", "", 2, (1, 0)),
    ],
    ids=["the same", "another judge", "its device", "another device", "another problem version"],
)
def test_a_run_is_reused_for_the_same_question_only(
    judge: str, device: str, version: int, answer: tuple[int, int]
) -> None:
    run = rows.finished_run()
    entry = rows.entry()
    rows.turn(trajectory=rows.trajectory(entry=entry, problem_version=version), kernel=run.kernel)
    assert request(entry, judge=judge, device_wanted=device) == answer


def test_more_kernels_than_one_statement_takes_are_all_asked_for() -> None:
    entry = rows.entry(turns=250)
    trajectory = rows.trajectory(entry=entry)
    for number in range(250):
        rows.turn(trajectory=trajectory, number=number, kernel=rows.kernel())
    assert request(entry) == (250, 0)
    assert Run.objects.values("kernel").distinct().count() == 250
