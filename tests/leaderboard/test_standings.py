"""From evaluation's rows to the rows of boards. Ratios and shares are counted by hand."""

from datetime import timedelta
from typing import Any

import judged_rows as rows
import pytest
from judged_rows import AT, GEMM, LATER

from evaluation.models import Entry, Hold, Run, Turn
from leaderboard.models import Board, RecordEvent, Standing
from leaderboard.projection import rebuild, refresh, refresh_due, refresh_kernels, refresh_models
from leaderboard.standing import counts_of, rates_of, ratios_of

pytestmark = pytest.mark.django_db

FIVE = ["pf--", "p---", "----", "-p--", "f---"]  # 20 turns, 5 correct; 4 of 5 trajectories solved


def counts(one: Standing) -> tuple[int | None, int, int, int]:
    """Hits, denominator, open, declared."""
    return one.hits, one.counted, one.open, one.declared


def rates(one: Standing) -> dict[str, tuple[int | None, int]]:
    return {rate.name: (rate.hits, rate.counted) for rate in rates_of(one.rates)}


def test_an_entry_stands_on_the_boards_of_its_target_and_of_the_device_that_measured_it() -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    assert sorted(Board.objects.values_list("slug", flat=True)) == [
        "correctness-hopper-gemm-n7168-k5120-v1-cuda-judge-1",
        "instruction-hopper-gemm-n7168-k5120-v1-cuda-judge-1",
        "speed-h200-gemm-n7168-k5120-v1-cuda-judge-1",
    ]


def test_each_board_counts_its_own_finding() -> None:
    rows.judged(FIVE)
    rebuild(at=AT)
    correct = rows.standing("correctness", 4)
    assert counts(correct) == (5, 20, 0, 20)
    assert correct.value == 0.25
    assert rates(correct) == {"correct": (5, 20), "solved": (4, 5)}
    instruction = rows.standing("instruction", 4)
    assert rates(instruction) == {
        "family_correct": (5, 20),
        "family_solved": (4, 5),
        "path_correct": (3, 20),
        "path_solved": (3, 5),
    }
    speed = rows.standing("speed", 4)
    assert (speed.value, speed.low, speed.high, speed.median_ratio) == (0.5, 0.4375, 0.5625, 0.5)
    assert ratios_of(speed.ratios) == (0.5,) * 5
    assert (speed.best_turn, speed.candidate_ns, speed.vendor_ns) == (0, 400, 200)


def test_an_entry_stands_at_the_standard_turn_limits_and_at_its_own() -> None:
    rows.judged(["p----", "-----", "-----", "-----", "----p"])
    rebuild(at=AT)
    found = Standing.objects.filter(board__kind="correctness").order_by("turn_limit")
    assert [(one.turn_limit, *counts(one)[:2]) for one in found] == [
        (1, 1, 5),
        (4, 1, 20),
        (5, 2, 25),
    ]


def test_rows_with_a_value_and_an_interval_are_ranked() -> None:
    best, worst = rows.judged(["pppp"] * 5), rows.judged(["----"] * 5)
    rebuild(at=AT)
    found = {
        one.entry_id: (one.position, one.rank_low, one.rank_high)
        for one in Standing.objects.filter(board__kind="correctness", turn_limit=4)
    }
    assert found == {best.pk: (1, 1, 1), worst.pk: (2, 2, 2)}


def test_fewer_than_five_trajectories_are_shown_and_not_ranked() -> None:
    rows.judged(["p---"] * 4)
    rebuild(at=AT)
    one = rows.standing("correctness", 4)
    assert (one.value, one.rank_low, one.unranked_why) == (0.25, None, "few_trajectories")


def test_a_turn_without_a_verdict_makes_the_rates_provisional_and_leaves_the_best_ratio() -> None:
    rows.judged(["po--", *["----"] * 4])
    rebuild(at=AT)
    one = rows.standing("correctness", 4)
    assert (counts(one), one.unranked_why) == ((1, 20, 1, 20), "provisional")
    assert (rows.standing("speed", 4).value, rows.standing("speed", 4).rank_low) == (0.5, 1)


def test_what_we_gave_up_and_what_has_no_source_leaves_and_is_counted_beside() -> None:
    rows.judged(["pam-", "n---", "----", "----", "----"])
    rebuild(at=AT)
    one = rows.standing("correctness", 4)
    assert counts(one) == (1, 18, 0, 20)
    beside = counts_of(one.beside)
    assert (beside["abandoned"], beside["source_missing"]) == (1, 1)
    assert (one.rank_low, one.unranked_why) == (None, "source_missing")
    assert rows.standing("speed", 4).rank_low == 1


def test_a_struck_turn_stays_in_the_denominator_and_has_no_speed() -> None:
    rows.judged(["ps--", *["----"] * 4], ratio=0.5)
    rebuild(at=AT)
    one = rows.standing("correctness", 4)
    assert (counts(one), counts_of(one.beside)["struck"]) == ((1, 20, 0, 20), 1)
    assert ratios_of(rows.standing("speed", 4).ratios) == (0.5,)


def test_a_trajectory_that_our_fault_ended_costs_the_author_nothing() -> None:
    entry = rows.entry(["----"] * 5)
    rows.add_turns(entry, ["p"], place={"ending": "our_fault"})
    rebuild(at=AT)
    # One turn was taken; three of its trajectory were lost; four trajectories were never begun.
    assert counts(rows.standing("correctness", 4)) == (1, 17, 0, 20)


def test_a_trajectory_that_our_fault_ended_before_its_first_turn_leaves_whole() -> None:
    entry = rows.entry(["----"] * 5)
    rows.add_turns(entry, [""], place={"ending": "our_fault"})
    rebuild(at=AT)
    assert counts(rows.standing("correctness", 4)) == (0, 16, 0, 20)


def test_an_h100_trajectory_measured_on_an_h200_ranks_on_hopper_and_h200_boards() -> None:
    entry = rows.entry(FIVE)
    turns = rows.add_turns(entry, FIVE, place={"reported_device": "H100"}, ratio=0.5)
    rows.reported(turns[0], correct=True, speedup=0.75, device="NVIDIA H100")
    rebuild(at=AT)
    verified = Standing.objects.filter(provenance="verified", turn_limit=4)
    assert sorted((one.board.kind, one.board.device, one.value) for one in verified) == [
        ("correctness", "", 0.25),
        ("instruction", "", 0.25),
        ("speed", "h200", 0.5),
    ]
    assert {one.devices for one in verified} == {"h200"}
    told = rows.standing("speed", 4, provenance="reported")
    assert (told.board.device, told.value, told.unranked_why) == (
        "h100",
        0.75,
        "not_verified",
    )
    assert (told.board.judge, told.low) == ("", None)


def test_what_an_upload_reports_is_never_ranked_and_stands_on_no_verified_board() -> None:
    entry = rows.entry(["o"] * 5)
    for turn in rows.add_turns(entry, ["o"] * 5):
        rows.reported(turn, correct=True)
    rebuild(at=AT)
    told = rows.standing("correctness", 1, provenance="reported")
    assert (told.value, told.rank_low, told.board.judge) == (1.0, None, "")
    verified = rows.standing("correctness", 1, provenance="verified")
    assert counts(verified) == (0, 5, 5, 5)


@pytest.mark.parametrize("device", ["my toaster", "B200", "h100-", ""])
def test_a_device_that_nobody_knows_for_the_target_gets_no_board(device: str) -> None:
    entry = rows.entry(["o"])
    turns = rows.add_turns(entry, ["o"], place={"reported_device": device})
    rows.reported(turns[0], correct=True, speedup=99.0)
    rebuild(at=AT)
    assert not Board.objects.filter(kind="speed").exists()


@pytest.mark.parametrize(("problem", "version"), [("my_problem", 1), (GEMM, 2)])
def test_a_problem_that_nobody_defined_gets_no_board(problem: str, version: int) -> None:
    entry = rows.entry(["p"])
    rows.add_turns(entry, ["p"], problem, place={"problem_version": version})
    rebuild(at=AT)
    assert not Board.objects.exists()


def test_a_problem_outside_the_suites_is_shown_and_not_ranked() -> None:
    rows.judged(FIVE, "mha_bwd_d64")
    rebuild(at=AT)
    assert rows.standing("correctness", 4).unranked_why == "problem_not_ranked"


def test_a_single_kernel_ranks_on_speed_boards_only_and_beside_every_turn_limit() -> None:
    rows.judged(["p"], single_kernel=True)
    rebuild(at=AT)
    found = Standing.objects.all()
    assert {one.board.kind for one in found} == {"speed"}
    assert sorted(one.turn_limit for one in found) == [1, 4, 8, 16, 32, 64]
    assert {(one.value, one.rank_low) for one in found} == {(0.5, 1)}


def test_an_entry_of_a_proposed_model_is_unranked_until_the_model_is_accepted() -> None:
    entry = rows.judged(FIVE, proposed_model="My model")
    ranked = rows.judged(["----"] * 5)
    rebuild(at=AT)
    one = rows.standing("correctness", 4, entry=entry)
    assert (one.unranked_why, one.rank_low) == ("model_not_accepted", None)
    assert rows.standing("correctness", 4, entry=ranked).rank_high == 1
    Entry.objects.filter(pk=entry.pk).update(model=rows.model())
    refresh([entry.pk], at=AT)
    assert rows.standing("correctness", 4, entry=entry).rank_low == 1
    assert rows.standing("correctness", 4, entry=ranked).rank_high == 2


def test_a_model_that_is_not_listed_yet_ranks_once_it_is_accepted() -> None:
    model = rows.model(accepted_at=None)
    rows.judged(FIVE, model=model)
    rebuild(at=AT)
    assert rows.standing("correctness", 4).unranked_why == "model_not_accepted"
    model.accepted_at = AT
    model.save()
    refresh_models([model.pk], at=AT)
    assert rows.standing("correctness", 4).rank_low == 1


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"visibility": "private"}, id="private"),
        pytest.param({"visibility": "embargoed", "embargo_until": LATER}, id="embargoed"),
        pytest.param({"withdrawn_at": AT, "withdrawn_reason": "A mistake."}, id="withdrawn"),
    ],
)
def test_what_is_not_public_stands_nowhere(columns: dict[str, Any]) -> None:
    entry = rows.judged(FIVE)
    refresh([entry.pk], at=AT)
    assert Standing.objects.exists()
    Entry.objects.filter(pk=entry.pk).update(**columns)
    refresh([entry.pk], at=AT)
    assert not Standing.objects.exists()
    assert not Board.objects.exists()
    assert not RecordEvent.objects.exists()


def test_an_embargo_ends_by_time() -> None:
    rows.judged(FIVE, visibility="embargoed", embargo_until=LATER)
    assert refresh_due(at=AT).entries == 0
    assert refresh_due(at=LATER).entries == 1
    assert rows.standing("correctness", 4).rank_low == 1
    # It looks back a little, for refreshes of a moment before; then it is done with it.
    assert refresh_due(at=LATER + timedelta(hours=1)).boards == 0
    assert refresh_due(at=LATER + timedelta(hours=2)).entries == 0


def test_nobody_elses_private_run_says_anything_about_an_entry_until_it_is_shared() -> None:
    entry = rows.judged(["o"] * 5)
    turn = Turn.objects.filter(trajectory__entry=entry).first()
    assert turn is not None
    others = rows.run(turn, "p", owner="0b0b")
    refresh([entry.pk], at=AT)
    assert counts(rows.standing("correctness", 1)) == (0, 5, 5, 5)
    Run.objects.filter(pk=others.pk).update(shared=True)
    refresh_kernels([others.kernel_id], at=AT)
    assert counts(rows.standing("correctness", 1)) == (1, 5, 4, 5)


def test_the_newest_applied_run_counts() -> None:
    entry = rows.judged(["p"] * 5, ratio=0.5)
    turn = Turn.objects.filter(trajectory__entry=entry).first()
    assert turn is not None
    again = rows.run(turn, "-", applied=False, finished_at=LATER)
    refresh([entry.pk], at=AT)
    assert counts(rows.standing("correctness", 1))[0] == 5
    Run.objects.filter(pk=again.pk).update(applied=True)
    refresh_kernels([again.kernel_id], at=AT)
    assert counts(rows.standing("correctness", 1))[0] == 4


def test_judge_series_stand_on_boards_of_their_own() -> None:
    entry = rows.judged(["p"] * 5)
    for turn in Turn.objects.filter(trajectory__entry=entry):
        rows.run(turn, "-", judge="2")
    rebuild(at=AT)
    found = Standing.objects.filter(board__kind="correctness").order_by("board__judge")
    assert [(one.board.judge, one.value) for one in found] == [("1", 1.0), ("2", 0.0)]


def test_a_kernel_that_is_right_on_one_device_is_open_on_another_until_it_is_timed_there() -> None:
    entry = rows.judged(["p"] * 5, device="h100-sxm", ratio=0.75)
    turn = Turn.objects.filter(trajectory__entry=entry).first()
    assert turn is not None
    rows.run(turn, "p", device="h200", ratio=0.5)
    rebuild(at=AT)
    assert counts(rows.standing("correctness", 1)) == (5, 5, 0, 5)
    assert rows.standing("correctness", 1).devices == "h100-sxm,h200"
    h200 = rows.standing("speed", 1, board__device="h200")
    assert (counts(h200), h200.value) == ((1, 5, 4, 5), 0.5)
    h100 = rows.standing("speed", 1, board__device="h100-sxm")
    assert (counts(h100), h100.value) == ((5, 5, 0, 5), 0.75)


def test_an_entry_of_which_no_turn_can_be_judged_stands_at_the_judge_at_work() -> None:
    rows.judged(["n"] * 5)
    rebuild(at=AT)
    one = rows.standing("correctness", 1)
    assert (counts(one), one.rank_low) == ((0, 5, 0, 5), 1)


def test_a_suite_has_a_row_once_every_problem_has_one() -> None:
    entry = rows.entry(["p"] * 5)
    ratios = (0.5, 0.5, 0.5, 0.5, 16.0)  # the geometric mean: (0.5**4 * 16) ** (1 / 5) = 1
    for place, problem in enumerate(rows.PAPER_SUITE):
        words = ["p", "p", "p", "p", "-"] if place == 0 else ["p"] * 5
        rows.add_turns(entry, words, problem, ratio=ratios[place])
        refresh([entry.pk], at=AT)
        assert Standing.objects.exclude(board__suite="").exists() is (place == 4)
    correct = rows.standing("correctness", 1, board__suite="paper")
    assert correct.value == pytest.approx(0.96)  # (0.8 + 1 + 1 + 1 + 1) / 5
    assert (correct.hits, correct.counted, correct.rank_low) == (None, 25, 1)
    speed = rows.standing("speed", 1, board__suite="paper")
    assert speed.value == pytest.approx(1.0)
    assert (speed.board.device, speed.rank_low) == ("h200", 1)


def test_a_suite_without_a_ratio_at_one_problem_has_no_speed_row() -> None:
    entry = rows.entry(["p"] * 5)
    for place, problem in enumerate(rows.PAPER_SUITE):
        rows.add_turns(entry, ["p" if place else "-"] * 5, problem)
    rebuild(at=AT)
    assert Standing.objects.filter(board__kind="correctness", board__suite="paper").exists()
    assert not Standing.objects.filter(board__kind="speed", board__suite="paper").exists()


def test_records_follow_the_time_at_which_they_could_be_seen() -> None:
    first = rows.judged(["p"], single_kernel=True, ratio=0.5)
    worse = rows.judged(["p"], single_kernel=True, ratio=0.25)
    better = rows.judged(["p"], single_kernel=True, ratio=0.75, created_at=LATER)
    rebuild(at=LATER)
    events = RecordEvent.objects.order_by("at")
    assert [(one.entry_id, one.at, one.ratio, one.before) for one in events] == [
        (first.pk, AT, 0.5, None),
        (better.pk, LATER, 0.75, 0.5),
    ]
    turn = Turn.objects.get(trajectory__entry=first)
    rows.hold(turn, struck=True)
    assert turn.kernel is not None
    refresh_kernels([turn.kernel.pk], at=LATER)
    events = RecordEvent.objects.order_by("at")
    assert [(one.entry_id, one.before) for one in events] == [(worse.pk, None), (better.pk, 0.25)]


def test_a_refresh_that_changes_nothing_leaves_rows_and_revisions() -> None:
    entry = rows.judged(FIVE)
    refresh([entry.pk], at=AT)
    before = list(Board.objects.values_list("pk", "revision"))
    done = refresh([entry.pk], at=LATER)
    assert (done.boards, done.added, done.removed) == (0, 0, 0)
    assert list(Board.objects.values_list("pk", "revision")) == before


def test_a_board_that_comes_back_has_a_larger_revision_than_it_ever_had() -> None:
    entry = rows.judged(FIVE)
    refresh([entry.pk], at=AT)
    before = rows.standing("correctness", 4).board.revision
    Entry.objects.update(visibility="private")
    refresh([entry.pk], at=AT)
    Entry.objects.update(visibility="public")
    refresh([entry.pk], at=AT)
    assert rows.standing("correctness", 4).board.revision > before


def test_an_entry_too_large_to_be_counted_stands_nowhere_and_keeps_nobody_else_off() -> None:
    rows.judged(["p"], prompts=10_000, trajectories=10_000)
    fine = rows.judged(FIVE)
    rebuild(at=AT)
    assert set(Standing.objects.values_list("entry", flat=True)) == {fine.pk}


def test_holding_and_clearing_gives_back_what_stood_before() -> None:
    entry = rows.judged(FIVE)
    refresh([entry.pk], at=AT)
    before = rows.everything()
    turn = Turn.objects.filter(trajectory__entry=entry, number=0).first()
    assert turn is not None
    assert turn.kernel is not None
    hold = rows.hold(turn)
    refresh_kernels([turn.kernel.pk], at=AT)
    assert counts(rows.standing("correctness", 4)) == (4, 20, 1, 20)
    Hold.objects.filter(pk=hold.pk).update(state="cleared", decided_at=AT, decided_by="zoe")
    refresh_kernels([turn.kernel.pk], at=AT)
    assert rows.everything() == before
