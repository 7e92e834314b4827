"""Whoever has the bytes of a kernel can hand them in, and learns nothing of what became of them elsewhere."""

import evaluation_rows as rows
import pytest

from evaluation.core.records import StageReport
from evaluation.core.run_words import HoldState
from evaluation.core.signal import Signal
from evaluation.core.verdict import Integrity, Severity, Stage
from evaluation.models import Kernel, Run, Turn
from evaluation.selectors import ANYONE, KernelPage, Viewer, kernel_page
from evaluation.services import store_report

pytestmark = pytest.mark.django_db

BOB = Viewer(frozenset({rows.BOB}), staff=False)
HERE, ELSEWHERE = "gemm_n4096_k4096", "mha_bwd_d128"
NOTE = Signal("reads_the_clock", 1, Severity.NOTE, Stage.SCAN, "It reads the clock.")


def turn_of(kernel: Kernel, problem: str, owner: str, visibility: str = "public") -> Turn:
    entry = rows.entry(owner=owner, visibility=visibility)
    return rows.turn(trajectory=rows.trajectory(entry=entry, problem=problem), kernel=kernel)


def judged(kernel: Kernel, problem: str, owner: str) -> Run:
    run = rows.finished_run(kernel=kernel, problem=problem, owner=owner)
    scan = StageReport(Stage.SCAN, "fine", signals=(NOTE,))
    store_report(rows.FakeArtifacts(), rows.done_attempt(run=run), 0, scan, at=rows.AT)
    return run


def page(viewer: Viewer, kernel: Kernel) -> KernelPage:
    (found,) = kernel_page(viewer, kernel.sha256)
    return found


@pytest.fixture
def kernel() -> Kernel:
    """Alice's at another problem than Bob's, who keeps his to himself; both were judged."""
    kernel = rows.kernel()
    turn_of(kernel, ELSEWHERE, rows.ALICE)
    turn_of(kernel, HERE, rows.BOB, "private")
    judged(kernel, ELSEWHERE, rows.ALICE)
    judged(kernel, HERE, rows.BOB)
    return kernel


def test_at_another_problem_its_owner_is_a_visitor(kernel: Kernel) -> None:
    found = page(BOB, kernel)
    assert {one.problem for one in found.places} == {HERE, ELSEWHERE}
    signals = {run.problem: run.reports[0].report.signals for run in found.runs}
    assert signals == {HERE: (NOTE,), ELSEWHERE: ()}


def test_a_hold_at_another_problem_is_not_told_and_takes_its_run_away(kernel: Kernel) -> None:
    rows.hold(kernel=kernel, problem=ELSEWHERE)
    found = page(BOB, kernel)
    assert found.holds == ()
    assert [one.problem for one in found.places] == [HERE]
    assert [one.problem for one in found.runs] == [HERE]


def test_a_hold_where_it_is_ones_own_is_told(kernel: Kernel) -> None:
    rows.hold(kernel=kernel, problem=HERE)
    found = page(BOB, kernel)
    assert [(one.problem, one.state) for one in found.holds] == [(HERE, HoldState.OPEN)]
    integrity = {run.problem: run.findings.integrity for run in found.runs if run.findings}
    assert integrity == {HERE: Integrity.HELD, ELSEWHERE: Integrity.CLEAR}


def test_an_open_turn_of_somebody_else_is_not_found_by_its_bytes(kernel: Kernel) -> None:
    turn_of(kernel, "mha_with_lse_d128", rows.ALICE)
    assert {one.problem for one in page(BOB, kernel).places} == {HERE, ELSEWHERE}


def test_a_strike_is_told_to_everybody(kernel: Kernel) -> None:
    rows.hold(
        kernel=kernel, problem=ELSEWHERE, state="struck", decided_at=rows.AT, decided_by="zoe"
    )
    for viewer in (ANYONE, BOB):
        found = page(viewer, kernel)
        struck = [run for run in found.runs if run.problem == ELSEWHERE]
        assert [run.findings.integrity for run in struck if run.findings] == [Integrity.STRUCK]
        assert found.holds == ()
