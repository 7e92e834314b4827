"""Pages of entries and trajectories: what each viewer sees of them, with as many queries for twenty turns as for one."""

from uuid import uuid4

import evaluation_rows as rows
import pytest
from pytest_django import DjangoAssertNumQueries

from evaluation.core.judgement import Speed
from evaluation.core.run_words import TurnState
from evaluation.core.verdict import Correct, FamilyExecuted, Integrity, MatrixPath
from evaluation.models import Entry, Trajectory, Turn
from evaluation.selectors import (
    ANYONE,
    NotVisible,
    TurnRow,
    Viewer,
    entry_page,
    my_entries,
    trajectory_page,
)

pytestmark = pytest.mark.django_db

ALICE = Viewer(frozenset({rows.ALICE}), staff=False)
BOB = Viewer(frozenset({rows.BOB}), staff=False)
STAFF = Viewer(frozenset(), staff=True)


def public_trajectory() -> Trajectory:
    return rows.trajectory(entry=rows.entry(visibility="public"))


def only_turn(viewer: Viewer, turn: Turn) -> TurnRow:
    (row,) = trajectory_page(viewer, turn.trajectory.uid).trajectory.turns
    return row


def test_a_viewer_owns_no_entry_without_an_owner() -> None:
    with pytest.raises(ValueError, match="no owner"):
        Viewer(frozenset({""}), staff=False)


def test_what_is_not_there_is_not_visible_to_staff_either() -> None:
    with pytest.raises(NotVisible):
        entry_page(STAFF, uuid4())
    with pytest.raises(NotVisible):
        trajectory_page(STAFF, uuid4())


@pytest.mark.parametrize(
    ("columns", "seen"),
    [
        ({"visibility": "private"}, False),
        ({"visibility": "public"}, True),
        ({"visibility": "embargoed", "embargo_until": rows.AT.replace(year=2999)}, False),
        ({"visibility": "embargoed", "embargo_until": rows.AT.replace(year=2001)}, True),
    ],
    ids=["private", "public", "embargoed", "embargoed until a day that is over"],
)
def test_others_see_an_entry_when_it_is_public(columns: dict[str, object], seen: bool) -> None:
    trajectory = rows.trajectory(entry=rows.entry(**columns))
    for viewer in (ALICE, STAFF):
        assert entry_page(viewer, trajectory.entry.uid).head.insider
        assert trajectory_page(viewer, trajectory.uid).head.insider
    for viewer in (ANYONE, BOB):
        if seen:
            assert not entry_page(viewer, trajectory.entry.uid).head.insider
            assert not trajectory_page(viewer, trajectory.uid).head.insider
            continue
        with pytest.raises(NotVisible):
            entry_page(viewer, trajectory.entry.uid)
        with pytest.raises(NotVisible):
            trajectory_page(viewer, trajectory.uid)


def test_of_a_withdrawn_entry_others_see_the_tombstone_alone() -> None:
    entry = rows.entry(visibility="public", withdrawn_at=rows.AT, withdrawn_reason="a mistake")
    trajectory = rows.trajectory(entry=entry)
    page = entry_page(ANYONE, entry.uid)
    assert (page.head.withdrawn_reason, page.trajectories) == ("a mistake", ())
    with pytest.raises(NotVisible):
        trajectory_page(ANYONE, trajectory.uid)
    assert len(entry_page(ALICE, entry.uid).trajectories) == 1


def test_a_private_entry_leaves_no_tombstone() -> None:
    entry = rows.entry(withdrawn_at=rows.AT, withdrawn_reason="a mistake")
    with pytest.raises(NotVisible):
        entry_page(ANYONE, entry.uid)


def test_a_turn_shows_the_findings_of_its_run_and_beside_them_what_was_reported() -> None:
    turn = rows.turn(trajectory=public_trajectory(), reasoning_tokens=7000)
    rows.reported(turn=turn, correct=True, speedup=0.8, device="H100")
    assert turn.kernel is not None
    run = rows.accepted_run(kernel=turn.kernel)
    row = only_turn(ANYONE, turn)
    assert (row.state, row.verdict, row.kernel) == (
        TurnState.JUDGED,
        "accepted",
        turn.kernel.sha256,
    )
    assert row.findings is not None
    assert row.findings.correct is Correct.YES
    assert row.findings.instruction.family is FamilyExecuted.YES
    assert row.findings.instruction.matrix_path is MatrixPath.YES
    assert row.findings.instruction.coverage == pytest.approx(0.97)
    (speed,) = row.speeds
    assert (speed.device, speed.run) == ("h200", str(run.uid))
    assert speed.speed == Speed(1.5, 1.4, 1.6, 200, 300)
    assert row.reported is not None
    assert (row.reported.speedup, row.reported.device) == (0.8, "H100")
    assert row.reasoning_tokens == 7000


def test_the_newest_run_counts_and_each_device_has_its_own_speed() -> None:
    turn = rows.turn(trajectory=public_trajectory())
    first = rows.accepted_run(kernel=turn.kernel, device="h100-sxm", finished_at=rows.AT)
    second = rows.accepted_run(kernel=turn.kernel, finished_at=rows.AT.replace(hour=13))
    third = rows.finished_run(kernel=turn.kernel, finished_at=rows.AT.replace(hour=14))
    rows.accepted_run(kernel=turn.kernel, applied=False, finished_at=rows.AT.replace(hour=15))
    row = only_turn(ANYONE, turn)
    assert (row.run, row.verdict) == (str(third.uid), "wrong_result")
    assert [(one.device, one.run) for one in row.speeds] == [
        ("h100-sxm", str(first.uid)),
        ("h200", str(third.uid)),
    ]
    assert str(second.uid) not in {one.run for one in row.speeds}


def test_a_run_of_another_problem_target_or_version_says_nothing_about_a_turn() -> None:
    turn = rows.turn(trajectory=public_trajectory())
    rows.accepted_run(kernel=turn.kernel, problem="gemm_n128_k2048")
    rows.accepted_run(kernel=turn.kernel, target="blackwell")
    rows.accepted_run(kernel=turn.kernel, problem_version=2)
    assert only_turn(ALICE, turn).state is TurnState.OPEN


def test_another_owner_s_run_counts_only_once_it_is_shared() -> None:
    turn = rows.turn(trajectory=public_trajectory())
    run = rows.accepted_run(kernel=turn.kernel, owner=rows.BOB)
    assert only_turn(ALICE, turn).state is TurnState.OPEN
    run.shared = True
    run.save()
    assert only_turn(ALICE, turn).verdict == "accepted"


def test_the_owner_reads_why_a_run_waits_and_others_see_an_open_turn_without_its_kernel() -> None:
    turn = rows.turn(trajectory=public_trajectory(), reply=rows.artifact())
    run = rows.run(kernel=turn.kernel, waits_for="a Hopper worker")
    mine, theirs = only_turn(ALICE, turn), only_turn(ANYONE, turn)
    assert (mine.run, mine.run_state, mine.waits_for) == (
        str(run.uid),
        "waiting",
        "a Hopper worker",
    )
    assert mine.kernel
    assert mine.reply
    assert (theirs.state, theirs.kernel, theirs.reply) == (TurnState.OPEN, "", "")
    assert (theirs.run, theirs.run_state, theirs.waits_for) == ("", "", "")


def test_a_held_turn_looks_to_others_as_one_that_was_never_judged() -> None:
    held, fresh = (
        rows.turn(trajectory=public_trajectory()),
        rows.turn(trajectory=public_trajectory()),
    )
    rows.accepted_run(kernel=held.kernel)
    rows.hold(kernel=held.kernel)
    rows.run(kernel=fresh.kernel)
    for viewer in (ANYONE, BOB):
        assert only_turn(viewer, held) == only_turn(viewer, fresh)
    for viewer in (ALICE, STAFF):
        row = only_turn(viewer, held)
        assert (row.state, row.verdict) == (TurnState.HELD, "accepted")
        assert row.findings is not None
        assert row.findings.integrity is Integrity.HELD


def test_a_hold_acts_at_its_problem_and_target_alone() -> None:
    turn = rows.turn(trajectory=public_trajectory())
    rows.accepted_run(kernel=turn.kernel)
    rows.hold(kernel=turn.kernel, problem="gemm_n128_k2048")
    rows.hold(kernel=turn.kernel, target="blackwell")
    rows.hold(kernel=turn.kernel, state="cleared", decided_at=rows.AT, decided_by="staff")
    assert only_turn(ANYONE, turn).state is TurnState.JUDGED


def test_a_strike_is_seen_by_everybody() -> None:
    turn = rows.turn(trajectory=public_trajectory())
    rows.accepted_run(kernel=turn.kernel, integrity="held")
    rows.hold(kernel=turn.kernel, state="struck", decided_at=rows.AT, decided_by="staff")
    row = only_turn(ANYONE, turn)
    assert row.state is TurnState.STRUCK
    assert row.findings is not None
    assert row.findings.integrity is Integrity.STRUCK


def test_a_cleared_kernel_is_clear_whatever_its_run_had_signalled() -> None:
    turn = rows.turn(trajectory=public_trajectory())
    rows.accepted_run(kernel=turn.kernel, integrity="held")
    rows.hold(kernel=turn.kernel, state="cleared", decided_at=rows.AT, decided_by="staff")
    row = only_turn(ANYONE, turn)
    assert row.findings is not None
    assert row.findings.integrity is Integrity.CLEAR


def test_a_turn_that_we_could_not_judge_says_so_until_it_is_tried_again() -> None:
    turn = rows.turn(trajectory=public_trajectory())
    rows.run(kernel=turn.kernel, state="abandoned", finished_at=rows.AT)
    assert only_turn(ANYONE, turn).state is TurnState.ABANDONED
    rows.run(kernel=turn.kernel)
    assert only_turn(ALICE, turn).state is TurnState.OPEN


def test_a_cancelled_run_leaves_the_turn_open() -> None:
    turn = rows.turn(trajectory=public_trajectory())
    rows.run(kernel=turn.kernel, state="cancelled", finished_at=rows.AT)
    assert only_turn(ALICE, turn).state is TurnState.OPEN


def test_a_turn_without_a_source_says_so_and_one_without_code_counts_as_judged() -> None:
    trajectory = public_trajectory()
    rows.turn(trajectory=trajectory, missing="source_missing", missing_said="No file has it.")
    rows.turn(trajectory=trajectory, number=1, missing="no_code", missing_said="No code.")
    rows.turn(
        trajectory=trajectory,
        number=2,
        missing="scrubbed",
        missing_said="A key was in it.",
        kernel=rows.kernel(),
    )
    first, second, third = trajectory_page(ANYONE, trajectory.uid).trajectory.turns
    assert (first.state, first.missing_said) == (TurnState.SOURCE_MISSING, "No file has it.")
    assert (second.state, second.verdict, second.findings) == (TurnState.JUDGED, "", None)
    assert (third.state, third.kernel) == (TurnState.JUDGED, "")
    assert trajectory_page(ALICE, trajectory.uid).trajectory.turns[2].kernel


def test_the_original_document_is_shown_to_others_when_no_turn_is_open() -> None:
    document = rows.artifact()
    trajectory = rows.trajectory(entry=rows.entry(visibility="public"), document=document)
    turn = rows.turn(trajectory=trajectory)
    assert trajectory_page(ALICE, trajectory.uid).document == document.sha256
    assert trajectory_page(ANYONE, trajectory.uid).document == ""
    rows.accepted_run(kernel=turn.kernel)
    assert trajectory_page(ANYONE, trajectory.uid).document == document.sha256
    rows.hold(kernel=turn.kernel)
    assert trajectory_page(ANYONE, trajectory.uid).document == ""


def test_trajectories_are_in_the_order_of_their_places() -> None:
    entry = rows.entry()
    for prompt, number in ((1, 0), (0, 1), (0, 0)):
        rows.trajectory(entry=entry, prompt=prompt, number=number)
    page = entry_page(ALICE, entry.uid)
    assert [(one.prompt, one.number) for one in page.trajectories] == [(0, 0), (0, 1), (1, 0)]


def test_a_large_entry_is_shown_page_by_page() -> None:
    entry = rows.entry(trajectories=53)
    for number in range(53):
        rows.trajectory(entry=entry, number=number)
    page = entry_page(ALICE, entry.uid)
    assert (len(page.trajectories), page.first, page.count, page.next_first) == (50, 0, 53, 50)
    rest = entry_page(ALICE, entry.uid, first=50)
    assert [one.number for one in rest.trajectories] == [50, 51, 52]
    assert rest.next_first == 0
    assert entry_page(ALICE, entry.uid, first=-5).first == 0
    beyond = entry_page(ALICE, entry.uid, first=1000)
    assert (beyond.trajectories, beyond.next_first) == ((), 0)


def test_a_page_has_as_many_trajectories_as_have_few_enough_turns_together() -> None:
    entry = rows.entry()
    for number in range(4):
        place = rows.trajectory(entry=entry, number=number)
        for turn in range(3):
            rows.turn(trajectory=place, number=turn)
    for turns, shown in ((12, 4), (11, 3), (6, 2), (5, 1), (3, 1)):
        page = entry_page(ALICE, entry.uid, turns=turns)
        assert [one.number for one in page.trajectories] == list(range(shown))
        assert [len(one.turns) for one in page.trajectories] == [3] * shown
        assert page.next_first == (shown if shown < 4 else 0)


def test_of_one_trajectory_with_too_many_turns_the_first_are_shown_and_all_are_counted() -> None:
    place = rows.trajectory()
    for number in range(5):
        rows.turn(trajectory=place, number=number)
    (cut,) = entry_page(ALICE, place.entry.uid, turns=3).trajectories
    assert ([one.number for one in cut.turns], cut.taken) == ([0, 1, 2], 5)
    (whole,) = entry_page(ALICE, place.entry.uid, turns=None).trajectories
    assert (len(whole.turns), whole.taken) == (5, 5)


def test_a_page_says_where_each_problem_and_target_begins() -> None:
    entry = rows.entry(visibility="public")
    for problem, target, several in (("b", "hopper", 2), ("a", "hopper", 3), ("a", "blackwell", 1)):
        for number in range(several):
            rows.trajectory(entry=entry, problem=problem, target=target, number=number)
    found = entry_page(ANYONE, entry.uid, first=4)
    assert [(one.problem, one.target.value, one.first, one.count) for one in found.parts] == [
        ("a", "blackwell", 0, 1),
        ("a", "hopper", 1, 3),
        ("b", "hopper", 4, 2),
    ]
    assert [(one.problem, one.number) for one in found.trajectories] == [("b", 0), ("b", 1)]
    assert found.count == 6


def fill(trajectory: Trajectory, turns: int) -> None:
    for number in range(turns):
        turn = rows.turn(trajectory=trajectory, number=number)
        rows.reported(turn=turn)
        rows.accepted_run(kernel=turn.kernel)
        rows.hold(kernel=turn.kernel)


@pytest.mark.parametrize("turns", [1, 20])
def test_pages_ask_as_often_for_twenty_turns_as_for_one(
    turns: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    entry = rows.entry(visibility="public", turns=20, model=rows.model())
    trajectory = rows.trajectory(entry=entry)
    fill(trajectory, turns)
    with django_assert_num_queries(4):
        trajectory_page(ALICE, trajectory.uid)
    with django_assert_num_queries(5):
        trajectory_page(ANYONE, trajectory.uid)
    with django_assert_num_queries(7):
        entry_page(ALICE, entry.uid)
    with django_assert_num_queries(8):
        entry_page(ANYONE, entry.uid)


def test_my_entries_are_counted_and_nobody_else_s_are_there(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    older: Entry = rows.entry(created_at=rows.AT.replace(year=2025))
    newer: Entry = rows.entry()
    rows.entry(owner=rows.BOB, visibility="public")
    trajectory = rows.trajectory(entry=newer)
    judged, pending = rows.turn(trajectory=trajectory), rows.turn(trajectory=trajectory, number=1)
    rows.turn(trajectory=trajectory, number=2, missing="no_code", missing_said="No code.")
    rows.turn(trajectory=trajectory, number=3)
    rows.finished_run(kernel=judged.kernel)
    rows.run(kernel=judged.kernel)
    rows.run(kernel=pending.kernel)
    rows.finished_run(kernel=pending.kernel, owner=rows.BOB)
    with django_assert_num_queries(2):
        first, second = my_entries(ALICE)
    assert [first.head.uid, second.head.uid] == [str(newer.uid), str(older.uid)]
    assert (first.taken, first.judged, first.pending, first.without_kernel) == (4, 1, 1, 1)
    assert (second.taken, second.judged, second.pending, second.without_kernel) == (0, 0, 0, 0)
    assert my_entries(ANYONE) == ()
