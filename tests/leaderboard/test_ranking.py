import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.estimates import Estimate, Unranked
from leaderboard.ranking import Contender, Provenance, Rank, Ranked, rank
from leaderboard.statistics import Interval


def contender(key: str, low: float, value: float, high: float) -> Contender:
    return Contender(key, Estimate(value, Interval(low, high)))


def unranked(key: str, value: float | None, why: Unranked) -> Contender:
    return Contender(key, Estimate(value, unranked=why))


def test_rows_apart_have_one_rank_each() -> None:
    found = rank(
        [
            contender("b", 0.5, 0.6, 0.7),
            contender("c", 0.1, 0.2, 0.3),
            contender("a", 0.8, 0.9, 1.0),
        ]
    )
    assert found == (
        Ranked("a", Rank(1, 1, 1)),
        Ranked("b", Rank(2, 2, 2)),
        Ranked("c", Rank(3, 3, 3)),
    )


def test_rows_that_overlap_share_a_range() -> None:
    found = rank(
        [
            contender("a", 0.7, 0.8, 0.9),
            contender("b", 0.5, 0.6, 0.75),  # overlaps a and c
            contender("c", 0.3, 0.4, 0.55),  # surely worse than a
            contender("d", 0.1, 0.1, 0.1),  # surely worse than all
        ]
    )
    assert [one.rank for one in found] == [
        Rank(1, 1, 2),
        Rank(2, 1, 3),
        Rank(3, 2, 3),
        Rank(4, 4, 4),
    ]


def test_ends_that_touch_are_not_told_apart() -> None:
    found = rank([contender("a", 0.5, 0.6, 0.7), contender("b", 0.3, 0.4, 0.5)])
    assert [one.rank for one in found] == [Rank(1, 1, 2), Rank(2, 1, 2)]


def test_equal_values_are_ordered_by_interval_and_then_by_key() -> None:
    found = rank(
        [
            contender("z", 0.4, 0.5, 0.6),
            contender("y", 0.4, 0.5, 0.6),
            contender("x", 0.3, 0.5, 0.9),
            contender("w", 0.4, 0.5, 0.7),
        ]
    )
    assert [one.key for one in found] == ["w", "y", "z", "x"]
    assert {(one.rank.best, one.rank.worst) for one in found if one.rank} == {(1, 4)}


def test_unranked_rows_follow_with_their_reason_and_take_no_rank_away() -> None:
    found = rank(
        [
            unranked("none", None, Unranked.NOTHING_COUNTED),
            unranked("open", 0.99, Unranked.PROVISIONAL),
            contender("last", 0.1, 0.2, 0.3),
            unranked("few", 1.0, Unranked.FEW_TRAJECTORIES),
        ]
    )
    assert found == (
        Ranked("last", Rank(1, 1, 1)),
        Ranked("few", None, Unranked.FEW_TRAJECTORIES),
        Ranked("open", None, Unranked.PROVISIONAL),
        Ranked("none", None, Unranked.NOTHING_COUNTED),
    )


def test_a_reason_of_the_row_comes_before_that_of_its_value() -> None:
    proposed = Contender(
        "a",
        Estimate(0.5, unranked=Unranked.PROVISIONAL),
        unranked=Unranked.MODEL_NOT_ACCEPTED,
    )
    assert rank([proposed]) == (Ranked("a", None, Unranked.MODEL_NOT_ACCEPTED),)


def test_reported_values_have_no_rank() -> None:
    reported = Contender("a", Estimate(0.5, Interval(0.4, 0.6)), Provenance.REPORTED)
    assert rank([reported]) == (Ranked("a", None, Unranked.NOT_VERIFIED),)


def test_values_of_the_paper_are_ranked_among_themselves() -> None:
    paper = Contender("a", Estimate(0.5, Interval(0.4, 0.6)), Provenance.PAPER)
    assert rank([paper]) == (Ranked("a", Rank(1, 1, 1)),)


@pytest.mark.parametrize("other", [Provenance.REPORTED, Provenance.PAPER])
def test_values_of_different_provenance_never_stand_on_one_board(other: Provenance) -> None:
    verified = contender("a", 0.4, 0.5, 0.6)
    with pytest.raises(ValueError, match="different provenance"):
        rank([verified, Contender("b", verified.estimate, other)])


def test_equals_stand_as_they_were_handed_in_and_share_their_rank() -> None:
    half = Estimate(0.5, Interval(0.4, 0.6))
    every = [
        Contender("a", half, entry=9),
        Contender("c", half, entry=2),
        Contender("b", half, entry=2),
        Contender("d", Estimate(0.5, Interval(0.45, 0.6)), entry=10),
    ]
    found = rank(every)
    assert [one.key for one in found] == ["d", "b", "c", "a"]
    assert {(one.rank.best, one.rank.worst) for one in found if one.rank} == {(1, 4)}


def test_a_key_stands_once() -> None:
    with pytest.raises(ValueError, match="stands twice"):
        rank([contender("a", 0.4, 0.5, 0.6), contender("a", 0.1, 0.2, 0.3)])


def test_an_empty_board_has_no_ranks() -> None:
    assert rank([]) == ()


tenths = st.integers(0, 10).map(lambda one: one / 10)
ranked_estimates = st.lists(tenths, min_size=3, max_size=3).map(
    lambda three: Estimate(sorted(three)[1], Interval(min(three), max(three)))
)
unranked_estimates = st.builds(
    lambda value, why: Estimate(value, unranked=why), st.none() | tenths, st.sampled_from(Unranked)
)
boards = st.lists(ranked_estimates | unranked_estimates, max_size=9).map(
    lambda some: [Contender(f"row {place}", one) for place, one in enumerate(some)]
)


@given(boards, st.integers())
def test_the_order_of_the_argument_does_not_matter(board: list[Contender], seed: int) -> None:
    shuffled = list(board)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - any order will do
    assert rank(shuffled) == rank(board)


@given(boards)
def test_every_row_stands_once_and_places_count_up(board: list[Contender]) -> None:
    found = rank(board)
    assert sorted(one.key for one in found) == sorted(one.key for one in board)
    places = [one.rank.place for one in found if one.rank]
    assert places == list(range(1, len(places) + 1))
    assert [one.rank is None for one in found] == sorted(one.rank is None for one in found)


@given(boards)
def test_a_range_holds_its_place_and_is_what_pairs_say(board: list[Contender]) -> None:
    intervals = [one.estimate.interval for one in board if one.estimate.interval]
    mine = {one.key: one.estimate.interval for one in board}
    for one in rank(board):
        its = mine[one.key]
        if one.rank is None or its is None:
            continue
        assert one.rank.best <= one.rank.place <= one.rank.worst
        assert one.rank.best == 1 + sum(other.low > its.high for other in intervals)
        assert one.rank.worst == len(intervals) - sum(other.high < its.low for other in intervals)


@given(boards, ranked_estimates, st.lists(tenths, min_size=3, max_size=3))
def test_a_row_that_improves_never_ranks_worse(
    board: list[Contender], before: Estimate, steps: Sequence[float]
) -> None:
    assert before.interval is not None
    assert before.value is not None
    up = sorted(steps)  # the low end rises least, so that the value stays inside
    after = Estimate(
        before.value + up[1], Interval(before.interval.low + up[0], before.interval.high + up[2])
    )
    earlier, later = (
        next(one.rank for one in rank([*board, Contender("me", mine)]) if one.key == "me")
        for mine in (before, after)
    )
    assert earlier is not None
    assert later is not None
    assert later.best <= earlier.best
    assert later.worst <= earlier.worst
    assert later.place <= earlier.place
