from collections import Counter
from dataclasses import replace
from itertools import groupby, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.measure.seen import Side
from evaluation.core.timing.budget import (
    MILLISECOND,
    SECOND,
    Counts,
    Known,
    buffer_sets,
    counts,
    over_limit,
    warm_up_goes_on,
)
from evaluation.core.timing.draws import Draws
from evaluation.core.timing.schedule import PlannedPair, Schedule, schedule

GEMM = Known(
    candidate_ns=1 * MILLISECOND,
    vendor_ns=780_000,
    overhead_ns=2 * MILLISECOND,
    spent_ns=SECOND,
    limit_ns=60 * SECOND,
    passes=4,
    sets=12,
    held_calls=512,
)
SEED = bytes(range(32))

seeds = st.binary(min_size=16, max_size=64)
knowns = st.builds(
    Known,
    candidate_ns=st.integers(50_000, 11 * SECOND),
    vendor_ns=st.integers(1_000, SECOND),
    overhead_ns=st.integers(0, SECOND // 10),
    spent_ns=st.integers(0, 70 * SECOND),
    limit_ns=st.just(60 * SECOND),
    passes=st.integers(0, 8),
    sets=st.integers(2, 64),
    held_calls=st.integers(0, 512),
)


def kernel(
    call: float, *, overhead: float = 0.0, spent: float = 1.0, vendor: float = 0.01, limit: int = 60
) -> Known:
    """A kernel of so many seconds a call."""
    return replace(
        GEMM,
        candidate_ns=int(call * SECOND),
        vendor_ns=int(vendor * SECOND),
        overhead_ns=int(overhead * SECOND),
        spent_ns=int(spent * SECOND),
        limit_ns=limit * SECOND,
    )


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        # A pair of 3.78 ms: fifty fit. 6 calls of 1 ms last 6 ms, and 8 of 0.78 ms would: 12 sets have room for 6.
        (GEMM, Counts((18, 16, 16), (10, 4, 4), 3, 6, 6)),
        (replace(GEMM, sets=16), Counts((18, 16, 16), (10, 4, 4), 3, 6, 8)),
        (replace(GEMM, passes=0), Counts((18, 16, 16), (10, 4, 4), 0, 6, 6)),
        # 25 ms a pair: fifty fit into 2 s, 4 and 2 into the warm-ups of 0.1 and 0.05 s.
        (kernel(0.010, overhead=0.005), Counts((18, 16, 16), (4, 2, 2), 3, 1, 1)),
        # 90 ms a pair: 22 fit into 2 s, one into the first warm-up.
        (kernel(0.060, overhead=0.020), Counts((8, 8, 6), (1, 0, 0), 3, 1, 1)),
        # 100 ms a call is the last with three processes; at least ten pairs, made up to whole blocks.
        (kernel(0.100, overhead=0.090), Counts((4, 4, 4), (0, 0, 0), 3, 1, 1)),
        (kernel(0.101, overhead=0.090), Counts((12,), (0,), 3, 1, 1)),
        (kernel(0.5), Counts((12,), (0,), 3, 1, 1)),
        # 12 pairs of 0.51 s leave 0.88 s of 7: no room for three calls more.
        (replace(kernel(0.5, spent=0, limit=8), passes=0), Counts((12,), (0,), 0, 0, 0)),
        # 7 s less 12 * 0.51 s are 0.88 s: one reading of one pass and 0.3 s for the profiler fits, a second one does not.
        (replace(kernel(0.5, spent=0, limit=8), passes=1), Counts((12,), (0,), 1, 0, 0)),
        # Over a second: three pairs, readings while there is room (4 calls each), never slopes.
        (kernel(1.5, spent=5), Counts((3,), (0,), 3, 0, 0)),
        (kernel(5.0, spent=16), Counts((3,), (0,), 1, 0, 0)),
        (kernel(9.0, spent=27.5), Counts((3,), (0,), 0, 0, 0)),
        # 30 s are gone: three pairs of 9.91 s do not fit any more.
        (kernel(9.9, spent=30), Counts((), (), 0, 0, 0)),
    ],
)
def test_the_numbers_follow_from_the_time_of_a_call(known: Known, expected: Counts) -> None:
    assert counts(known) == expected


@pytest.mark.parametrize(
    ("call_ns", "sets", "expected"),
    [
        (8_000, 2, 256),  # 20 ms would be 2,500: a flag holds back 512, which are 2 N
        (49_999, 2, 256),
        (50_000, 64, 32),  # 120 calls would last 6 ms: bounded by the sets
        (300_000, 12, 6),
        (300_000, 64, 20),
        (3 * MILLISECOND, 64, 2),
        (4 * MILLISECOND, 2, 1),
        (1, 2, 256),
    ],
)
def test_a_slope_is_long_against_jitter_and_bounded_by_sets(
    call_ns: int, sets: int, expected: int
) -> None:
    known = replace(GEMM, candidate_ns=call_ns, sets=sets, overhead_ns=0)
    assert counts(known).slope_calls == expected


@pytest.mark.parametrize(
    ("call_ns", "held", "calls", "whole"),
    [
        (8_000, 100, 50, True),
        (8_000, 2, 1, True),
        (8_000, 1, 2_500, False),  # one call fills what a flag holds: 20 ms at the host's pace
        (8_000, 0, 2_500, False),
        (1, 0, 4_000, False),  # whatever a launcher says
        (300_000, 5, 2, True),
        (300_000, 0, 6, False),
    ],
)
def test_a_slope_is_short_enough_to_be_held_back_where_that_is_possible(
    call_ns: int, held: int, calls: int, whole: bool
) -> None:
    known = replace(GEMM, candidate_ns=call_ns, held_calls=held, overhead_ns=0)
    slope = schedule(known, SEED).launchers[0].slopes[0]
    assert (slope.calls, slope.held) == (calls, whole)


def test_a_vendor_s_slope_is_held_back_however_short_its_calls() -> None:
    slope = schedule(replace(GEMM, vendor_ns=5_000), SEED).launchers[0].slopes[1]
    assert (slope.side, slope.calls, slope.held) == (Side.VENDOR, 128, True)


@pytest.mark.parametrize(
    ("vendor_ns", "set_bytes", "memory", "expected"),
    [
        (780_000, 274_726_912, 32 << 30, 16),  # two times eight calls for a slope
        (780_000, 274_726_912, 2_000_000_000, 7),  # as memory allows
        (780_000, 274_726_912, 1, 2),  # never fewer than two
        (8 * MILLISECOND, 30_000_000, 32 << 30, 4),  # 4 times 30 MB is more than 2 times 50 MiB
        (8 * MILLISECOND, 1_000_000, 32 << 30, 64),  # 105 would be; 64 is the most
    ],
)
def test_there_are_sets_enough_for_a_cold_cache_and_for_slopes(
    vendor_ns: int, set_bytes: int, memory: int, expected: int
) -> None:
    assert buffer_sets(vendor_ns, set_bytes, 50 << 20, memory) == expected


def test_warm_up_ends_by_count_or_by_time() -> None:
    assert warm_up_goes_on(9, 99_999_999, first=True)
    assert not warm_up_goes_on(10, 0, first=True)
    assert not warm_up_goes_on(1, 100_000_000, first=True)
    assert warm_up_goes_on(3, 49_999_999, first=False)
    assert not warm_up_goes_on(4, 0, first=False)
    assert not warm_up_goes_on(1, 200_000_000, first=False)


def test_a_call_over_the_problems_seconds_is_over_the_limit() -> None:
    assert not over_limit(10 * SECOND, 10)
    assert over_limit(10 * SECOND + 1, 10)


def ranked(pairs: tuple[PlannedPair, ...]) -> list[PlannedPair]:
    return [one for one in pairs if not one.counted]


@given(known=knowns, seed=seeds)
def test_the_order_is_a_fair_abba(known: Known, seed: bytes) -> None:
    for launcher in schedule(known, seed).launchers:
        pairs = ranked(launcher.pairs)
        blocks = [pairs[at : at + 2] for at in range(len(pairs) % 2, len(pairs), 2)]
        for first, second in blocks:
            assert first.candidate_first is not second.candidate_first
        assert [one.place for one in launcher.pairs] == list(range(len(launcher.pairs)))


@given(known=knowns, seed=seeds)
def test_alignment_alternates_and_no_set_is_used_twice_in_a_row(known: Known, seed: bytes) -> None:
    for launcher in schedule(known, seed).launchers:
        for pairs in (launcher.warm_up, launcher.pairs):
            for before, after in pairwise(pairs):
                assert before.end_aligned is not after.end_aligned
                assert before.set != after.set
            assert all(0 <= one.set < known.sets for one in pairs)


@given(known=knowns, seed=seeds)
def test_three_canaries_run_and_whole_readings_come_of_the_first_launcher(
    known: Known, seed: bytes
) -> None:
    made = schedule(known, seed)
    counted = [sum(one.counted for one in part.pairs) for part in made.launchers]
    if not made.launchers:
        assert (made.asked_pairs, made.readings) == (0, 0)
        return
    assert counted == [made.readings * known.passes] + [0] * (len(counted) - 1)
    assert [one.last_of_reading for one in made.launchers[0].pairs].count(True) == made.readings
    assert sum(one.canary for part in made.launchers for one in part.pairs) == 3
    asked = [len(ranked(part.pairs)) for part in made.launchers]
    assert max(asked) == made.asked_pairs
    assert sum(asked) in range(12, 51) or asked == [3]
    assert not any(one.counted or one.canary for part in made.launchers for one in part.warm_up)


@given(known=knowns, seed=seeds)
def test_the_passes_of_a_reading_come_in_a_row_and_readings_are_apart(
    known: Known, seed: bytes
) -> None:
    for launcher in schedule(known, seed).launchers:
        rows = [
            (counted, list(row))
            for counted, row in groupby(launcher.pairs, lambda one: one.counted)
        ]
        for counted, row in rows:
            if counted:
                assert [one.last_of_reading for one in row] == [False] * (known.passes - 1) + [True]
            assert counted or not any(one.last_of_reading for one in row)
        assert not any(one.canary and one.counted for one in launcher.pairs)


@given(known=knowns, seed=seeds)
def test_what_is_planned_fits_into_the_limit(known: Known, seed: bytes) -> None:
    made = schedule(known, seed)
    pairs = sum(len(part.pairs) + len(part.warm_up) for part in made.launchers)
    if made.launchers:
        assert known.spent_ns + pairs * known.pair_ns <= known.limit_ns - SECOND


def test_slopes_take_each_set_once_while_there_are_enough() -> None:
    made = schedule(GEMM, SEED)
    first, *others = made.launchers
    assert [(one.side, one.calls) for one in first.slopes] == [
        (Side.CANDIDATE, 6),
        (Side.VENDOR, 6),
    ]
    assert [[one.side for one in part.slopes] for part in others] == [[Side.CANDIDATE]] * 2
    for slope in first.slopes:
        assert len(set(slope.short_sets)) == len(slope.short_sets) == slope.calls
        assert len(set(slope.long_sets)) == len(slope.long_sets) == 2 * slope.calls


def test_short_calls_go_round_the_sets() -> None:
    slope = schedule(replace(GEMM, candidate_ns=8_000, sets=4), SEED).launchers[0].slopes[0]
    assert len(slope.long_sets) == 512
    assert set(Counter(slope.long_sets).values()) == {128}
    assert slope.long_sets[:4] == slope.long_sets[4:8]


def test_a_slow_kernel_has_no_slopes() -> None:
    assert schedule(kernel(1.5), SEED).launchers[0].slopes == ()


def test_a_seed_repeats_a_schedule_and_another_one_does_not() -> None:
    assert schedule(GEMM, SEED) == schedule(GEMM, SEED)
    others = [schedule(GEMM, SEED + bytes((one,))) for one in range(8)]
    assert len({_counted(one) for one in others}) == 8


def _counted(made: Schedule) -> tuple[int, ...]:
    return tuple(one.place for one in made.launchers[0].pairs if one.counted)


def _before_readings(made: Schedule) -> list[int]:
    """How many ranked pairs come before each reading."""
    pairs = made.launchers[0].pairs
    ends = [one.place for one in pairs if one.last_of_reading]
    return [sum(not before.counted for before in pairs[:end]) for end in ends]


def test_which_pairs_are_counted_and_which_side_is_first_is_even_over_seeds() -> None:
    # 400 schedules of 18 ranked pairs: 3 readings at 19 places, each 63.2 times on average, 5 sigma are 36.5.
    places, firsts = Counter[int](), 0
    for seed in range(400):
        made = schedule(GEMM, SEED + seed.to_bytes(2, "little"))
        places.update(_before_readings(made))
        firsts += made.launchers[0].pairs[0].candidate_first
    assert set(places) == set(range(19))
    assert all(abs(times - 63.2) < 36.5 for times in places.values())
    assert 150 < firsts < 250


def test_draws_are_even_and_their_purposes_are_apart() -> None:
    draws = Draws(SEED, "dice")
    thrown = Counter(draws.below(6) for _ in range(6_000))
    assert set(thrown) == set(range(6))
    assert all(abs(times - 1_000) < 145 for times in thrown.values())  # 5 sigma
    assert [Draws(SEED, "a").below(2**32) for _ in range(2)] != [
        Draws(SEED, "b").below(2**32) for _ in range(2)
    ]
    # More than half of all words are thrown away here, and what is left stays below.
    assert all(draws.below(2**31 + 1) <= 2**31 for _ in range(50))


def test_a_choice_without_repetition_is_a_permutation() -> None:
    assert sorted(Draws(SEED, "all").some(range(20), 20)) == list(range(20))
    assert Draws(SEED, "none").some(range(20), 0) == ()


def test_a_seed_that_could_be_guessed_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 16 random bytes, not 15"):
        schedule(GEMM, bytes(15))


@given(known=knowns, seed=seeds)
def test_one_ranked_pair_is_graded_wherever_chance_puts_it(known: Known, seed: bytes) -> None:
    made = schedule(known, seed)
    graded = [one for part in made.launchers for one in part.pairs if one.graded]
    assert len(graded) == (1 if made.launchers else 0)
    assert not any(one.counted for one in graded)
    assert not any(one.graded for part in made.launchers for one in part.warm_up)


def test_every_process_and_both_ends_of_one_have_the_graded_pair_now_and_then() -> None:
    chosen = set()
    for number in range(1_000):
        made = schedule(GEMM, number.to_bytes(32, "little"))
        for launcher, part in enumerate(made.launchers):
            places = [one.place for one in part.pairs if not one.counted]
            chosen |= {
                (launcher, place == places[0], place == places[-1])
                for place in places
                if next(one for one in part.pairs if one.place == place).graded
            }
    for launcher in range(3):
        assert {
            (launcher, True, False),
            (launcher, False, False),
            (launcher, False, True),
        } <= chosen
