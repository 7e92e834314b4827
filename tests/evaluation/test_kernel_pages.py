"""Pages of kernels and runs: evidence for whoever may see it, and nothing that gives a hold away."""

from dataclasses import replace
from uuid import uuid4

import evaluation_rows as rows
import pytest
from pytest_django import DjangoAssertNumQueries

from evaluation.core.records import Fact, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Integrity, RunState, Severity, Stage, Verdict
from evaluation.models import Run, Turn
from evaluation.selectors import ANYONE, KernelPage, NotVisible, Viewer, kernel_page, run_progress
from evaluation.services import store_report

pytestmark = pytest.mark.django_db

ALICE = Viewer(frozenset({rows.ALICE}), staff=False)
BOB = Viewer(frozenset({rows.BOB}), staff=False)
STAFF = Viewer(frozenset(), staff=True)

SIGNAL = Signal("reads_the_clock", 1, Severity.NOTE, Stage.SCAN, "It reads the clock.", ("CS2R",))
SCAN = StageReport(Stage.SCAN, "fine", signals=(SIGNAL,), facts=(Fact("rows", 3),))
CHECK = StageReport(Stage.CHECK, "C is wrong", Verdict.WRONG_RESULT, log="abc")


def turn_in(visibility: str = "public", owner: str = rows.ALICE) -> Turn:
    entry = rows.entry(visibility=visibility, owner=owner)
    return rows.turn(trajectory=rows.trajectory(entry=entry))


def judged(turn: Turn) -> Run:
    """A finished run with a report of each half."""
    run = rows.finished_run(kernel=turn.kernel)
    prepare = rows.done_attempt(run=run)
    measure = rows.done_attempt(run=run, half="measure", queue="measure.h200")
    store = rows.FakeArtifacts()
    store_report(store, measure, 0, CHECK, at=rows.AT)
    store_report(store, prepare, 0, SCAN, at=rows.AT)
    return run


def page(viewer: Viewer, turn: Turn) -> KernelPage:
    assert turn.kernel is not None
    (found,) = kernel_page(viewer, turn.kernel.sha256)
    return found


def is_hidden(viewer: Viewer, turn: Turn) -> bool:
    assert turn.kernel is not None
    try:
        kernel_page(viewer, turn.kernel.sha256)
    except NotVisible:
        return True
    return False


def test_a_hash_that_nobody_handed_in_is_not_visible() -> None:
    with pytest.raises(NotVisible):
        kernel_page(STAFF, "0" * 64)


def test_a_kernel_shows_where_it_was_written_and_every_judging_with_its_reports() -> None:
    turn = turn_in()
    run = judged(turn)
    found = page(ANYONE, turn)
    (place,) = found.places
    assert (place.entry, place.trajectory) == (
        str(turn.trajectory.entry.uid),
        str(turn.trajectory.uid),
    )
    assert (place.turn, place.author, place.problem) == (0, "a model", "gemm_n4096_k4096")
    (row,) = found.runs
    assert (row.uid, row.verdict, row.state) == (str(run.uid), "wrong_result", RunState.FINISHED)
    scan, check = row.reports
    assert scan.report == replace(SCAN, signals=())
    assert check.report == replace(CHECK, log="")
    # printf 'abc' | sha256sum
    assert check.log.startswith("ba7816bf8f01cfea")
    assert check.log_bytes == 3


def test_signals_and_holds_are_for_the_owner_and_staff() -> None:
    turn = turn_in()
    judged(turn)
    rows.hold(kernel=turn.kernel, state="cleared", decided_at=rows.AT, decided_by="staff")
    for viewer in (ALICE, STAFF):
        found = page(viewer, turn)
        assert found.insider
        assert found.runs[0].reports[0].report.signals == (SIGNAL,)
        assert [one.why for one in found.holds] == ["It reads the clock."]
    for viewer in (ANYONE, BOB):
        found = page(viewer, turn)
        assert not found.insider
        assert found.runs[0].reports[0].report.signals == ()
        assert found.holds == ()


def test_a_private_kernel_is_its_owner_s() -> None:
    turn = turn_in("private")
    judged(turn)
    assert is_hidden(ANYONE, turn)
    assert is_hidden(BOB, turn)
    assert not is_hidden(ALICE, turn)
    assert not is_hidden(STAFF, turn)


def test_a_held_kernel_is_hidden_from_others_like_one_without_a_verdict() -> None:
    held, fresh = turn_in(), turn_in()
    judged(held)
    rows.hold(kernel=held.kernel)
    rows.run(kernel=fresh.kernel)
    for turn in (held, fresh):
        assert is_hidden(ANYONE, turn)
        assert is_hidden(BOB, turn)
        assert not is_hidden(ALICE, turn)
    assert page(ALICE, held).runs[0].findings is not None


def test_a_kernel_that_is_held_at_one_problem_is_shown_at_the_other_alone() -> None:
    turn = turn_in()
    run = judged(turn)
    entry = turn.trajectory.entry
    elsewhere = rows.trajectory(entry=entry, problem="gemm_n128_k2048")
    rows.turn(trajectory=elsewhere, kernel=turn.kernel)
    held = rows.finished_run(kernel=turn.kernel, problem="gemm_n128_k2048")
    rows.hold(kernel=turn.kernel, problem="gemm_n128_k2048")
    found = page(ANYONE, turn)
    assert [one.uid for one in found.runs] == [str(run.uid)]
    assert [one.problem for one in found.places] == ["gemm_n4096_k4096"]
    assert run_progress(ANYONE, run.uid).verdict == "wrong_result"
    with pytest.raises(NotVisible):
        run_progress(ANYONE, held.uid)
    assert len(page(ALICE, turn).runs) == 2


def test_a_struck_kernel_is_shown_as_struck() -> None:
    turn = turn_in()
    judged(turn)
    rows.hold(kernel=turn.kernel, state="struck", decided_at=rows.AT, decided_by="staff")
    (row,) = page(ANYONE, turn).runs
    assert row.findings is not None
    assert row.findings.integrity is Integrity.STRUCK


def test_of_a_public_kernel_another_owner_s_private_judging_stays_private() -> None:
    turn = turn_in()
    judged(turn)
    rows.finished_run(kernel=turn.kernel, owner=rows.BOB)
    hidden = rows.entry(owner=rows.BOB)
    rows.turn(trajectory=rows.trajectory(entry=hidden), kernel=turn.kernel)
    assert len(page(ANYONE, turn).runs) == 1
    assert len(page(ANYONE, turn).places) == 1
    assert len(page(BOB, turn).runs) == 2
    assert len(page(BOB, turn).places) == 2
    assert len(page(ALICE, turn).runs) == 1


def test_runs_that_have_not_ended_are_for_their_owner() -> None:
    turn = turn_in()
    judged(turn)
    rows.run(kernel=turn.kernel, waits_for="a Hopper worker")
    assert [one.state for one in page(ANYONE, turn).runs] == [RunState.FINISHED]
    newest = page(ALICE, turn).runs[0]
    assert (newest.state, newest.waits_for) == (RunState.WAITING, "a Hopper worker")
    assert newest.findings is None


def test_of_each_half_the_attempt_that_was_done_is_shown() -> None:
    run = rows.finished_run(kernel=turn_in().kernel)
    store = rows.FakeArtifacts()
    lapsed = rows.attempt(run=run, state="lapsed", ended_at=rows.AT, number=1)
    done = rows.done_attempt(run=run, number=2)
    late = rows.attempt(run=run, state="dropped", ended_at=rows.AT, number=3)
    for attempt, headline in ((lapsed, "lapsed"), (done, "done"), (late, "late")):
        store_report(store, attempt, 0, StageReport(Stage.POLICY, headline), at=rows.AT)
    (report,) = run_progress(ALICE, run.uid).reports
    assert (report.report.headline, report.attempt) == ("done", 2)


@pytest.mark.parametrize("runs", [1, 20])
def test_a_kernel_page_asks_as_often_for_twenty_runs_as_for_one(
    runs: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    turn = turn_in()
    for _ in range(runs):
        judged(turn)
        rows.turn(
            trajectory=rows.trajectory(entry=rows.entry(visibility="public")), kernel=turn.kernel
        )
    assert turn.kernel is not None
    with django_assert_num_queries(6):
        kernel_page(ALICE, turn.kernel.sha256)
    with django_assert_num_queries(7):
        kernel_page(BOB, turn.kernel.sha256)


def test_a_run_that_is_not_there_is_not_visible() -> None:
    with pytest.raises(NotVisible):
        run_progress(STAFF, uuid4())


def test_the_owner_follows_a_run_and_others_see_how_it_ended() -> None:
    turn = turn_in()
    run = rows.run(kernel=turn.kernel, state="preparing", device="h200")
    attempt = rows.attempt(
        run=run, state="started", worker="w1", started_at=rows.AT, lease_until=rows.AT
    )
    store_report(rows.FakeArtifacts(), attempt, 0, SCAN, at=rows.AT)
    found = run_progress(ALICE, run.uid)
    assert (found.state, found.half, found.attempt) == (RunState.PREPARING, "prepare", 1)
    assert (found.attempt_state, found.worker, found.has_ended) == ("started", "w1", False)
    assert [one.report.headline for one in found.reports] == ["fine"]
    with pytest.raises(NotVisible):
        run_progress(ANYONE, run.uid)
    done = judged(turn)
    seen = run_progress(ANYONE, done.uid)
    assert (seen.verdict, seen.has_ended, seen.worker) == ("wrong_result", True, "")
    assert [one.report.signals for one in seen.reports] == [(), ()]


def test_a_held_run_and_a_private_one_are_not_there_for_others() -> None:
    held, private = turn_in(), turn_in("private")
    rows.hold(kernel=held.kernel)
    for turn in (held, private):
        run = judged(turn)
        assert run_progress(ALICE, run.uid).verdict == "wrong_result"
        for viewer in (ANYONE, BOB):
            with pytest.raises(NotVisible):
                run_progress(viewer, run.uid)
