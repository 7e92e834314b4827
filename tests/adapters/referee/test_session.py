"""The life of a kernel at the referee, driven through a fake bench and fake launchers."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
from fake_bench import (
    DEVICE,
    ILLEGAL,
    MILLISECOND,
    NO_COUNTERS,
    ROOFS,
    Diary,
    FakeBench,
    FakeLaunchers,
    Time,
    found,
    wrong,
)

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.referee.session import KernelSession, Resources, Subject
from evaluation.core.catalogue.problem import Problem
from evaluation.core.launching.port import LAUNCHER_DIED, Died, Gpu, SetUp
from evaluation.core.measure.bench import Compared, Place
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.seen import Fault, FaultKind, Purpose, Reading, Side

GEMM = packaged().problem("gemm_n4096_k4096")  # three input sets
BACKWARD = packaged().problem("mha_bwd_d128")  # one


@dataclass
class Scene:
    session: KernelSession
    bench: FakeBench
    launchers: FakeLaunchers
    diary: Diary

    def acts(self, word: str) -> Diary:
        return [act for act in self.diary if act[0] == word]


def scene(problem: Problem = GEMM, metrics: tuple[str, ...] = ("ops",)) -> Scene:
    diary: Diary = []
    time = Time()
    bench = FakeBench(time, diary)
    launchers = FakeLaunchers(bench, diary)
    resources = Resources(bench, launchers, Gpu(3, "GPU-1"), time, lambda size: b"\x5a" * size)
    return Scene(
        KernelSession(Subject(problem, b"plan", b"cubin", metrics, held_calls=512), resources),
        bench,
        launchers,
        diary,
    )


def test_a_right_kernel_is_called_on_each_input_set_with_fresh_inputs_and_compared() -> None:
    there = scene()
    seen = there.session.check()
    assert [call.purpose for call in seen.calls] == [Purpose.CHECK] * 3
    assert [call.call for call in seen.calls] == [0, 1, 2]
    assert [call.end_aligned for call in seen.calls] == [False, True, False]
    assert seen.fault is None
    assert (seen.device, seen.set_up_ns, seen.set_up_bytes) == (DEVICE, 5000, 64)
    calls = [act[3] for act in there.acts("call")]
    assert calls == [
        Place(0, end_aligned=False),
        Place(1, end_aligned=True),
        Place(2, end_aligned=False),
    ]


def test_the_vendor_is_timed_alone_before_the_kernel_is_loaded() -> None:
    there = scene()
    there.session.check()
    words = [act[0] for act in there.diary]
    assert words[:13] == ["renew", *["vendor"] * 10, "start", "set up"]


def test_the_oracle_is_asked_once_when_the_vendor_is_met() -> None:
    there = scene()
    there.session.check()
    assert len(there.acts("oracle")) == 1


def test_the_oracle_decides_where_the_vendor_is_missed() -> None:
    there = scene()
    missed, forgiven = wrong(outside=2, outside_both=2), wrong(outside=2, outside_both=0)
    right = found()
    # First call: without and with the oracle; then calls 1 and 2, of which the last is missed and forgiven.
    there.bench.judge = [right, right, right, missed, forgiven].__getitem__
    seen = there.session.check()
    assert len(there.acts("oracle")) == 2
    assert [call.outputs[0].outside_both for call in seen.calls] == [0, 0, 0]


def test_the_first_call_that_fails_is_the_last_and_the_launcher_is_killed() -> None:
    there = scene()
    bad = wrong(outside=5, outside_both=5, map_rows=1, map_columns=1)
    there.bench.judge = lambda _: replace(bad, outputs=(replace(bad.outputs[0], map_counts=(5,)),))
    seen = there.session.check()
    assert [call.call for call in seen.calls] == [0]
    assert seen.calls[0].outputs[0].map_counts == (5,)
    assert seen.fault is None
    assert [act[0] for act in there.diary][-2:] == ["kill", "well"]


def test_a_call_that_is_wrong_all_over_is_not_worth_an_oracle() -> None:
    there = scene()
    there.bench.judge = lambda _: wrong(outside=900_000, outside_both=900_000)
    assert len(there.session.check().calls) == 1
    assert there.acts("oracle") == []


@pytest.mark.parametrize(
    "compared",
    [found(inputs=False), found(slack=False), wrong(nonfinite=1)],
    ids=["an input was written", "a byte behind a buffer was written", "a NaN"],
)
def test_a_call_fails_also_by(compared: Compared) -> None:
    there = scene()
    there.bench.judge = lambda _: compared
    assert len(there.session.check().calls) == 1


def test_a_fault_ends_the_check_and_the_gpu_is_tried() -> None:
    there = scene()
    there.launchers.answer = lambda _, number: ILLEGAL if number == 1 else None
    seen = there.session.check()
    assert seen.fault == ILLEGAL
    assert len(seen.calls) == 1
    assert [act[0] for act in there.diary][-2:] == ["kill", "well"]


def test_a_fault_in_set_up_is_the_kernels() -> None:
    there = scene()
    there.launchers.set_up_answer = lambda _: ILLEGAL
    seen = there.session.check()
    assert (seen.fault, seen.calls, seen.set_up_ns) == (ILLEGAL, (), 0)


def test_a_gpu_that_fails_its_own_kernel_after_a_fault_is_sick() -> None:
    there = scene()
    there.launchers.answer = lambda *_: ILLEGAL
    there.bench.is_well = False
    with pytest.raises(GpuSick, match="own kernel"):
        there.session.check()


def test_one_launcher_that_dies_is_forgiven_and_the_check_begins_again() -> None:
    there = scene()
    there.launchers.answer = lambda place, number: (
        Died(number, None, 11, 0.1) if place == 0 and number == 1 else None
    )
    seen = there.session.check()
    assert seen.fault is None
    assert [call.call for call in seen.calls] == [0, 1, 2]
    assert there.launchers.started == 2


def test_a_second_launcher_that_dies_is_the_kernels_fault() -> None:
    there = scene()
    there.launchers.answer = lambda _, number: Died(number, None, 11, 0.1)
    seen = there.session.check()
    assert seen.fault is not None
    assert (seen.fault.name, seen.fault.call) == (LAUNCHER_DIED, 0)
    assert there.launchers.started == 2


def test_calls_that_end_too_late_are_a_fault_of_their_own() -> None:
    there = scene()
    there.launchers.call_ns = 11_000 * MILLISECOND
    seen = there.session.check()
    assert seen.fault is not None
    assert (seen.fault.kind, seen.fault.seconds) == (FaultKind.TOO_SLOW, 11.0)


def measured(change: Callable[[Scene], None] = lambda _: None, problem: Problem = GEMM) -> Scene:
    there = scene(problem)
    assert there.session.check().fault is None
    there.diary.clear()
    change(there)
    return there


def test_three_launchers_one_after_the_other_make_the_pairs() -> None:
    there = measured()
    seen = there.session.measure()
    assert seen.launchers == 3
    assert [act[0] for act in there.diary if act[0] in ("leave", "start", "end", "kill")] == [
        "leave", "start", "end", "leave", "start", "end", "leave", "end",
    ]  # fmt: skip
    ranked = Counter(pair.launcher for pair in seen.pairs if not pair.counted)
    assert set(ranked) == {0, 1, 2}
    assert seen.asked_pairs == max(ranked.values())
    assert seen.fault is None
    assert seen.roofs == ROOFS


def test_both_orders_come_equally_often_and_follow_the_plan() -> None:
    there = measured()
    seen = there.session.measure()
    orders = Counter(pair.candidate_first for pair in seen.pairs if not pair.counted)
    assert orders[True] == orders[False]
    kinds = [act[0] for act in there.diary if act[0] in ("renew", "call", "vendor", "compare")]
    assert ["renew", "call", "vendor", "compare"] in [
        kinds[at : at + 4] for at in range(len(kinds))
    ]
    assert ["renew", "vendor", "call", "compare"] in [
        kinds[at : at + 4] for at in range(len(kinds))
    ]


def test_every_call_of_a_measurement_is_compared() -> None:
    there = measured()
    seen = there.session.measure()
    compared = {(call.launcher, call.call) for call in seen.calls}
    for act in there.acts("call"):
        assert (act[1], act[2]) in compared, act
    assert len(compared) == len(seen.calls)
    purposes = {call.purpose for call in seen.calls}
    assert purposes == {Purpose.WARM_UP, Purpose.PAIR, Purpose.COUNTED, Purpose.SLOPE}


@pytest.mark.parametrize(("launcher", "warm_up"), [(0, 10), (1, 4)])
def test_alignment_alternates_over_the_pairs_of_a_launcher(launcher: int, warm_up: int) -> None:
    """A reading of three passes is left out in the first one."""
    there = measured(lambda there: _rotate(there, 4))
    there.session.measure()
    mine = [act[3].end_aligned for act in there.acts("call") if act[1] == launcher]
    assert all(one != other for one, other in pairwise(mine[warm_up:]))


@pytest.mark.parametrize("sets", [2, 4])
def test_no_pair_is_on_the_buffers_of_the_pair_before_it_where_a_reading_was_left_out_too(
    sets: int,
) -> None:
    """Of two sets, the one planned behind a reading of three passes is the one before it."""
    there = measured(lambda there: _rotate(there, sets))
    there.session.measure()
    assert [act[4] for act in there.acts("call")].count(True) == 2 * 3
    for launcher in range(3):
        pairs = [act[3].number for act in there.acts("call") if act[1] == launcher]
        assert {*pairs} == {*range(sets)}
        assert all(one != other for one, other in pairwise(pairs))


def _rotate(there: "Scene", sets: int) -> None:
    there.bench.count = sets
    there.launchers.counting = replace(there.launchers.counting, passes=3)


def test_counted_pairs_give_two_readings_with_the_call_they_end_at_and_the_third_place_stays_unused() -> (
    None
):
    there = measured()
    seen = there.session.measure()
    counted = [act[2] for act in there.acts("call") if act[4]]
    assert len(counted) == 4
    assert all(
        second == first + 1 for first, second in zip(counted[::2], counted[1::2], strict=True)
    )
    assert seen.probe.readings == tuple(
        Reading(0, number, (("ops", 42),)) for number in counted[1::2]
    )
    assert seen.probe.unavailable == ""
    assert sum(pair.counted for pair in seen.pairs) == 4


def test_after_a_reading_that_fails_the_third_place_is_used_and_the_reason_told() -> None:
    there = measured(lambda there: setattr(there.launchers, "failing_reading", 2))
    seen = there.session.measure()
    assert [one.values for one in seen.probe.readings] == [(("ops", 42),)] * 2
    assert seen.probe.unavailable == "refused (CUPTI status 15 at step begin a pass)"
    assert sum(pair.counted for pair in seen.pairs) == 6


def test_without_counters_the_reason_is_told_and_no_pair_is_counted() -> None:
    there = measured(lambda there: setattr(there.launchers, "counting", NO_COUNTERS))
    seen = there.session.measure()
    assert (seen.probe.readings, seen.probe.unavailable) == ((), "no_permission")
    assert not any(pair.counted for pair in seen.pairs)


def test_nothing_is_counted_where_no_metrics_are_asked_for() -> None:
    there = scene(metrics=())
    there.session.check()
    seen = there.session.measure()
    assert seen.probe.unavailable == "not_wanted"
    assert there.acts("count") == []


def test_slopes_and_canaries_and_clocks_and_the_vendor_alone_are_there() -> None:
    there = measured()
    seen = there.session.measure()
    assert [slope.side for slope in seen.slopes].count(Side.VENDOR) == 1
    assert [slope.launcher for slope in seen.slopes if slope.side is Side.CANDIDATE] == [0, 1, 2]
    for slope in seen.slopes:
        each = 2 * MILLISECOND if slope.side is Side.CANDIDATE else MILLISECOND
        assert slope.long_ns - slope.short_ns == slope.calls * each
        assert slope.held
    assert len(seen.canaries) == 3
    assert len(seen.clocks) >= 3 * 3
    assert (len(seen.vendor_before_ns), len(seen.vendor_after_ns)) == (10, 10)
    assert seen.first_call_ns == 2 * MILLISECOND
    words = [act[0] for act in there.diary]
    assert words.index("roofs") > max(at for at, word in enumerate(words) if word == "end")


def test_a_row_waits_before_its_inputs_are_made_and_runs_after() -> None:
    there = measured()
    there.session.measure()
    words = [act[0] for act in there.diary]
    rows = [at for at, word in enumerate(words) if word == "prepare"]
    assert len(rows) == 2 * 3
    for at in rows:
        sets = min(there.diary[at][2], there.bench.count)
        assert words[at + 1 : at + sets + 3] == [*["renew"] * sets, "vendor", "go"]


def test_one_set_of_a_row_is_compared_before_any_other_work_and_each_of_them_once() -> None:
    """A launcher that says too early that its row is over has no vendor's calls to finish it behind."""
    there = measured()
    there.session.measure()
    rows = [at for at, act in enumerate(there.diary) if act[0] == "go"]
    assert len(rows) == 2 * 3
    for at in rows:
        expected, _, compared, *rest = there.diary[at - 1 :]
        assert (expected[0], compared[0]) == ("vendor", "compare")
        assert expected[1] == compared[1]
        sets = min(there.diary[at][2], there.bench.count)
        others = rest[: 2 * (sets - 1)]
        assert [act[0] for act in others] == ["vendor", "compare"] * (sets - 1)
        looked_at = {compared[1], *(act[1] for act in others)}
        assert len(looked_at) == sets


def test_a_wrong_set_that_is_looked_at_first_ends_the_kernel_there() -> None:
    there = measured()
    there.bench.judge = lambda _: wrong(outside=100, outside_both=100) if _went(there) else found()
    seen = there.session.measure()
    assert there.acts("go") == [there.acts("go")[0]]
    assert seen.slopes == ()
    assert seen.calls[-1].purpose is Purpose.SLOPE
    assert seen.calls[-1].outputs[0].outside == 100


def _went(there: "Scene") -> bool:
    return bool(there.acts("go"))


def test_a_row_that_cannot_be_held_back_is_told_as_one() -> None:
    there = scene()
    there.session.subject = replace(there.session.subject, held_calls=1)
    there.session.check()
    seen = there.session.measure()
    assert [one.held for one in seen.slopes if one.side is Side.CANDIDATE] == [False] * 3
    assert [one.held for one in seen.slopes if one.side is Side.VENDOR] == [True]


@pytest.mark.parametrize("answer", [ILLEGAL, Died(50, 1, None, 0.1)])
def test_a_fault_while_a_row_gets_ready_ends_the_kernel(answer: Fault | Died) -> None:
    def change(there: Scene) -> None:
        there.launchers.row_answer = lambda _place: answer

    there = measured(change)
    seen = there.session.measure()
    assert seen.fault is not None
    assert seen.fault.code == (700 if answer is ILLEGAL else 0)
    assert there.acts("go") == []


def test_launchers_take_leave_while_the_next_gets_ready_and_are_gone_before_a_pair_ranks() -> None:
    there = measured()
    there.session.measure()
    words = [act[0] for act in there.diary]
    gone = [act for act in there.diary if act[0] in ("leave", "start", "end", "set up")]
    assert [act[:2] for act in gone] == [
        *(("leave", 0), ("start", 1), ("set up", 1), ("end", 0)),
        *(("leave", 1), ("start", 2), ("set up", 2), ("end", 1)),
        *(("leave", 2), ("end", 2)),
    ]
    for place in (0, 1):
        at = there.diary.index(("end", place))
        later = [act for act in there.diary[:at] if act[:2] == ("call", place + 1)]
        assert len(later) == 4, "the warm-up alone comes before"
    assert words[-12:-1] == ["renew", *["vendor"] * 10]


def test_a_fault_beside_a_launcher_that_takes_leave_leaves_none_alive() -> None:
    def change(there: Scene) -> None:
        there.launchers.answer = lambda place, number: (
            ILLEGAL if (place, number) == (1, 0) else None
        )

    there = measured(change)
    there.session.measure()
    assert [act[:2] for act in there.diary][-4:] == [
        ("kill", 1),
        ("end", 0),
        ("well",),
        ("roofs",),
    ]


def test_a_problem_of_one_input_set_is_called_twice_more_before_the_schedule_is_fixed() -> None:
    there = measured(problem=BACKWARD)
    seen = there.session.measure()
    assert [call.call for call in seen.calls[:2]] == [1, 2]
    assert [call.purpose for call in seen.calls[:2]] == [Purpose.WARM_UP] * 2


def test_a_wrong_pair_is_the_last_and_keeps_its_map() -> None:
    def change(there: Scene) -> None:
        there.bench.judge = lambda n: (
            wrong(outside=100, outside_both=100, map_rows=2)
            if n >= 20
            else wrong(outside=1, outside_both=1, map_rows=1)
        )

    there = measured(change)
    seen = there.session.measure()
    assert seen.calls[-1].outputs[0].outside == 100
    assert [call.outputs[0].map_rows for call in seen.calls[-2:]] == [0, 2]
    assert seen.fault is None
    assert seen.vendor_after_ns == ()
    assert [act[0] for act in there.diary][-3:] == ["kill", "well", "roofs"]


def test_a_fault_in_a_later_launcher_is_told_with_its_number() -> None:
    def change(there: Scene) -> None:
        there.launchers.answer = lambda place, number: (
            ILLEGAL if (place, number) == (1, 3) else None
        )

    seen = measured(change).session.measure()
    assert seen.fault is not None
    assert (seen.fault.launcher, seen.fault.code) == (1, 700)
    assert seen.launchers == 2


def test_a_kernel_that_becomes_slow_after_its_checks_is_not_called_past_the_limit() -> None:
    def change(there: Scene) -> None:
        there.launchers.call_ns = 9_000 * MILLISECOND

    there = measured(change)
    seen = there.session.measure()
    assert there.bench.time.now < (60 + 4 * 10 + 30) * 1000 * MILLISECOND
    assert len(seen.pairs) < 10


def test_a_slow_kernel_gets_one_launcher_and_few_pairs() -> None:
    there = scene()
    there.launchers.call_ns = 5_000 * MILLISECOND
    there.session.check()
    seen = there.session.measure()
    assert (seen.launchers, seen.asked_pairs, len(seen.slopes)) == (1, 3, 0)
    assert there.bench.time.now < 60_000 * MILLISECOND


def test_closing_ends_the_launcher_and_closing_twice_does_nothing() -> None:
    there = scene()
    there.session.check()
    there.session.close()
    there.session.close()
    assert len(there.acts("end")) == 1


def test_set_up_of_a_later_launcher_may_fail_too() -> None:
    def change(there: Scene) -> None:
        there.launchers.set_up_answer = lambda place: ILLEGAL if place == 2 else SetUp(1, 1)

    seen = measured(change).session.measure()
    assert seen.fault is not None
    assert (seen.fault.launcher, seen.launchers) == (2, 2)


def test_the_oracle_grades_one_ranked_pair_behind_its_calls() -> None:
    """The call that is graded is like every other until its outputs are there (rule C6)."""
    graded = replace(found().outputs[0], square_error=9.0, vendor_square_error=1.0)

    there = measured()
    there.diary.clear()
    there.bench.judge = lambda _: (
        replace(found(), outputs=(graded,)) if there.diary[-2][0] == "oracle" else found()
    )
    seen = there.session.measure()
    (place,) = (at for at, act in enumerate(there.diary) if act[0] == "oracle")
    words = [act[0] for act in there.diary[place - 3 : place + 2]]
    assert {"call", "vendor"} == set(words[:2])
    assert words[2:] == ["compare", "oracle", "compare"]
    calls = [one for one in seen.calls if one.outputs[0].square_error is not None]
    assert [one.purpose for one in calls] == [Purpose.PAIR]


def test_a_pair_in_which_the_vendor_is_the_one_that_is_off_goes_on() -> None:
    off, forgiven = wrong(outside=100, outside_both=100), wrong(outside=100, outside_both=0)

    def change(there: Scene) -> None:
        at = there.bench.compared + 5
        there.bench.judge = lambda n: {at: off, at + 1: forgiven}.get(n, found())

    there = measured(change)
    seen = there.session.measure()
    assert there.acts("oracle") != []
    assert seen.launchers == 3
    assert [call.outputs[0].outside for call in seen.calls].count(100) == 1


def test_a_second_measurement_is_made_anew_with_the_vendor_alone_before_it() -> None:
    there = measured()
    first = there.session.measure()
    there.diary.clear()
    there.bench.vendor_ns = 3 * MILLISECOND
    second = there.session.measure()
    words = [act[0] for act in there.diary]
    assert words[:13] == ["renew", *["vendor"] * 10, "start", "set up"]
    assert second.vendor_before_ns == (3 * MILLISECOND,) * 10
    assert (second.launchers, first.launchers) == (3, 3)
    assert {pair.launcher for pair in second.pairs} == {0, 1, 2}
