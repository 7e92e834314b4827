"""What one turn counts as on a board, without a database: runs and holds are written down by hand."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from evaluation.core.run_words import TurnState
from evaluation.core.verdict import FamilyExecuted, MatrixPath
from leaderboard.marks import marks
from leaderboard.projection.counting import counted, counted_as_reported, turn_limits
from leaderboard.projection.past import (
    EntryPast,
    ReportedFact,
    RunFact,
    Scope,
    Subject,
    TrajectoryPast,
    TurnPast,
)
from leaderboard.projection.turn_states import (
    as_reported,
    devices_of,
    judged,
    judges_of,
    on_device,
    on_target,
)
from leaderboard.statistics import Interval
from leaderboard.turns import Layout

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENTRY = EntryPast(1, "e", "me", 1, True, "cuda", Layout(1, 1, 1), False, AT)  # noqa: FBT003 (a fact of the entry)
SCOPE = Scope({"gemm": 1}, frozenset({"gemm"}), {}, {"h200": "hopper", "h100-sxm": "hopper"}, "7")

# The newest first, as they are read. A finished run of an accepted kernel; the others differ from it.
RIGHT = RunFact(
    key=1,
    uid="right",
    judge="1",
    device="h200",
    device_wanted="",
    counts=True,
    abandoned=False,
    correct=True,
    family=FamilyExecuted.YES,
    matrix_path=MatrixPath.NO,
    ratio=0.5,
    low=0.4,
    high=0.6,
    candidate_ns=200,
    vendor_ns=100,
    ended_at=AT,
    measured=True,
)
WRONG = RIGHT._replace(uid="wrong", correct=False, ratio=None, low=None, high=None)
WAITS = WRONG._replace(uid="waits", device="", counts=False, ended_at=None)
GIVEN_UP = WAITS._replace(uid="given up", abandoned=True, ended_at=AT)
CANCELLED = WAITS._replace(uid="cancelled", ended_at=AT)
ON_H100 = RIGHT._replace(uid="h100", device="h100-sxm", ratio=0.75, low=0.7, high=0.8)


def subject(*runs: RunFact, missing: str = "", hold: str = "") -> Subject:
    turn = TurnPast(0, "" if missing else "k", missing, hold, runs, None)
    return of(turn)


def of(*turns: TurnPast, device: str = "H100") -> Subject:
    entry = replace(ENTRY, layout=Layout(1, 1, max(1, len(turns))))
    return Subject(entry, "gemm", 1, "hopper", device, (TrajectoryPast("t", 0, 0, False, turns),))  # noqa: FBT003 (a fact of the trajectory)


def state(*runs: RunFact, missing: str = "", hold: str = "", judge: str = "1") -> TurnState:
    there = subject(*runs, missing=missing, hold=hold)
    (fact,) = on_target(there, judged(there, judge))
    return fact.state


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([], "open", id="nobody-asked"),
        pytest.param([WAITS], "open", id="waits"),
        pytest.param([RIGHT], "judged", id="right"),
        pytest.param([WRONG], "judged", id="wrong"),
        pytest.param([GIVEN_UP], "abandoned", id="given-up"),
        pytest.param([CANCELLED], "open", id="cancelled"),
        pytest.param([WAITS, GIVEN_UP], "open", id="asked-again"),
        pytest.param([CANCELLED, GIVEN_UP], "abandoned", id="given-up-and-cancelled"),
        pytest.param([GIVEN_UP, RIGHT], "judged", id="a-verdict-stays"),
        pytest.param([RIGHT._replace(counts=False)], "open", id="not-applied"),
    ],
)
def test_runs_decide_where_judging_stands(runs: list[RunFact], expected: str) -> None:
    assert state(*runs) == expected


def test_holds_and_missing_kernels_come_before_runs() -> None:
    assert state(RIGHT, hold="open") is TurnState.HELD
    assert state(RIGHT, hold="struck") is TurnState.STRUCK
    assert state(GIVEN_UP, hold="open") is TurnState.HELD
    assert state(missing="source_missing") is TurnState.SOURCE_MISSING
    assert state(missing="no_code") is TurnState.JUDGED


def test_a_turn_without_code_or_with_a_changed_kernel_is_not_correct() -> None:
    for missing in ("no_code", "scrubbed", "too_large", "unreadable"):
        there = subject(missing=missing)
        (fact,) = on_target(there, judged(there, "1"))
        assert (fact.state, fact.is_correct, marks([fact])) == (TurnState.JUDGED, False, b"-")


def test_another_judge_series_says_nothing() -> None:
    assert state(RIGHT, judge="2") is TurnState.OPEN


def test_the_newest_run_decides_what_is_right_and_each_device_how_fast() -> None:
    there = subject(ON_H100, RIGHT)
    turns = judged(there, "1")
    assert devices_of(turns) == ("h100-sxm", "h200")
    (on_h200,) = on_device(there, turns, "h200")
    assert (on_h200.ratio, on_h200.interval) == (0.5, Interval(0.4, 0.6))
    (on_h100,) = on_device(there, turns, "h100-sxm")
    assert on_h100.ratio == 0.75
    (on_hopper,) = on_target(there, turns)
    assert on_hopper.ratio is None


def test_a_kernel_found_wrong_anywhere_is_wrong_on_every_device() -> None:
    there = subject(WRONG._replace(device="h100-sxm"), RIGHT)
    (fact,) = on_device(there, judged(there, "1"), "h200")
    assert (fact.state, fact.is_correct) == (TurnState.JUDGED, False)


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        pytest.param([], "open", id="never-asked-there"),
        pytest.param([WAITS._replace(device_wanted="h200")], "open", id="waits-there"),
        pytest.param([GIVEN_UP._replace(device_wanted="h200")], "abandoned", id="given-up-there"),
    ],
)
def test_what_is_right_elsewhere_has_to_be_timed_here(others: list[RunFact], expected: str) -> None:
    there = subject(*others, ON_H100)
    (fact,) = on_device(there, judged(there, "1"), "h200")
    assert fact.state == expected


def test_a_held_or_struck_turn_names_no_device() -> None:
    for hold in ("open", "struck"):
        assert devices_of(judged(subject(RIGHT, hold=hold), "1")) == ()


def test_the_series_are_those_that_were_asked_or_else_the_one_at_work() -> None:
    assert judges_of(subject(WAITS._replace(judge="2"), RIGHT), "7") == ("1", "2")
    assert judges_of(subject(missing="no_code"), "7") == ("7",)


def reported(said: ReportedFact | None, missing: str = "", hold: str = "") -> TurnState | bool:
    (fact,) = as_reported(of(TurnPast(0, "k", missing, hold, (), said)))
    return fact.is_correct if fact.state is TurnState.JUDGED else fact.state


def test_what_an_upload_says_counts_by_its_word_alone() -> None:
    right = ReportedFact(correct=True, speedup=0.5)
    assert reported(right) is True
    assert reported(right, missing="source_missing") is True
    assert reported(ReportedFact(correct=False, speedup=None)) is False
    assert reported(None) is TurnState.OPEN
    assert reported(None, missing="no_code") is False


def test_a_strike_takes_the_uploads_word_away_and_an_open_hold_leaves_it() -> None:
    right = ReportedFact(correct=True, speedup=0.5)
    assert reported(right, hold="struck") is TurnState.STRUCK
    assert reported(right, hold="open") is True


def test_an_upload_that_says_nothing_has_no_reported_cell() -> None:
    assert list(counted_as_reported(of(TurnPast(0, "k", "", "", (), None)))) == []


def test_cells_are_counted_for_the_target_and_for_each_device() -> None:
    turns = [
        TurnPast(number, "k", "", "", (run,), None)
        for number, run in enumerate([WRONG, RIGHT, ON_H100, RIGHT._replace(uid="b", ratio=0.6)])
    ]
    found = {(one.device, one.turn_limit): one for one in counted(of(*turns), SCOPE)}
    assert sorted(found) == [
        (where, limit) for where in ("", "h100-sxm", "h200") for limit in (1, 4)
    ]
    assert (found["", 4].cell.correct.hits, found["", 4].devices) == (3, ("h100-sxm", "h200"))
    h200 = found["h200", 4]
    assert (h200.cell.ratios, h200.best and h200.best.turn, h200.cell.median_ratio) == (
        (0.5, 0.6),
        3,
        0.55,
    )
    assert (h200.cell.correct.hits, h200.cell.correct.open) == (2, 1)
    assert found["h100-sxm", 4].cell.ratios == (0.75,)


def test_a_cell_names_the_devices_that_ran_a_kernel_within_its_turns() -> None:
    unbuilt = WRONG._replace(device="h100-nvl", measured=False)
    turns = [
        TurnPast(number, "k", "", "", (run,), None)
        for number, run in enumerate([unbuilt, WRONG, unbuilt, RIGHT, ON_H100])
    ]
    found = {one.turn_limit: one.devices for one in counted(of(*turns), SCOPE) if not one.device}
    assert found == {1: (), 4: ("h200",), 5: ("h100-sxm", "h200")}


def test_only_the_runs_that_beat_all_before_them_are_advances() -> None:
    def timed(number: int, hour: int, ratio: float) -> TurnPast:
        run = RIGHT._replace(uid=f"r{number}", ratio=ratio, ended_at=AT.replace(hour=hour))
        return TurnPast(number, "k", "", "", (run._replace(low=ratio, high=ratio),), None)

    there = of(timed(0, 15, 0.5), timed(1, 14, 0.4), timed(2, 16, 0.45), timed(3, 17, 0.9))
    found = {one.turn_limit: one.advances for one in counted(there, SCOPE) if one.device}
    assert [(one.run, one.at.hour) for one in found[4]] == [("r1", 14), ("r0", 15), ("r3", 17)]
    assert found[1] == ()


def test_nothing_could_be_seen_before_the_entry_was_shown() -> None:
    there = of(TurnPast(0, "k", "", "", (RIGHT,), None))
    later = replace(there.entry, shown_since=AT.replace(day=29, month=12))
    (found,) = (one for one in counted(replace(there, entry=later), SCOPE) if one.device)
    assert [one.at for one in found.advances] == [AT.replace(day=29, month=12)]


@pytest.mark.parametrize(
    ("declared", "limits"),
    [
        (1, (1,)),
        (3, (1, 3)),
        (8, (1, 4, 8)),
        (12, (1, 4, 8, 12)),
        (100, (1, 4, 8, 16, 32, 64, 100)),
    ],
)
def test_turn_limits_are_the_usual_ones_and_the_declared_one(
    declared: int, limits: tuple[int, ...]
) -> None:
    entry = replace(ENTRY, layout=Layout(1, 1, declared))
    assert turn_limits(replace(subject(), entry=entry)) == limits


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("H100", "h100"),
        ("h100-sxm", "h100-sxm"),
        ("H200", "h200"),
        ("B200", ""),
        ("", ""),
        ("h", ""),
    ],
)
def test_a_reported_device_is_one_of_the_target_or_none(word: str, expected: str) -> None:
    assert SCOPE.device_said(word, "hopper") == expected
