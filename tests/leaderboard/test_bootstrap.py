import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.bootstrap import bootstrap
from leaderboard.statistics import Interval, Tally


def test_prompts_of_one_trajectory_each_leave_nothing_to_chance() -> None:
    assert bootstrap([[Tally(1, 2)], [Tally(2, 2)]]) == Interval(0.75, 0.75)


def test_two_trajectories_give_three_rates_by_hand() -> None:
    # Of the four resamples one has 0 of 4, two have 2 of 4, one 4 of 4; a quarter at each end is more than 2.5 %.
    assert bootstrap([[Tally(0, 2), Tally(2, 2)]]) == Interval(0.0, 1.0)


def test_resamples_that_are_rarer_than_the_tail_are_left_out() -> None:
    # Three of four are hits: of 256 resamples 1 has no hit, 12 have one. 1 / 256 is less than 2.5 %, 13 / 256 is more.
    found = bootstrap([[Tally(1, 1)] * 3 + [Tally(0, 1)]])
    assert found == Interval(0.25, 1.0)


def test_a_rate_as_rare_as_the_tail_is_left_out_with_it() -> None:
    # Six draws of a half: of 64 resamples one has no hit and one has all six, which is no more than 2.5 % of 64.
    found = bootstrap([[Tally(0, 1), Tally(1, 1)]] * 3)
    assert found == Interval(1 / 6, 5 / 6)


def test_the_exact_way_is_taken_for_the_layouts_of_the_paper() -> None:
    # By its variance 3 of 12 would end at 0.25 ± 1.959964 √(0.25 · 0.75 / 12), which is no twelfth.
    found = bootstrap([[Tally(1, 1)] + [Tally(0, 1)] * 3] * 3)
    assert found.low * 12 == pytest.approx(round(found.low * 12))
    assert found.high * 12 == pytest.approx(round(found.high * 12))


def test_trajectories_are_drawn_within_their_prompt_only() -> None:
    # Each prompt gives 2 of 2 or 0 of 2 whatever is drawn.
    prompts = [[Tally(1, 1), Tally(1, 1)], [Tally(0, 1), Tally(0, 1)]]
    assert bootstrap(prompts) == Interval(0.5, 0.5)


def test_trajectories_of_unequal_length_give_rates_of_their_own_length() -> None:
    # Draws: 2 of 2, twice 1 of 4, 0 of 6. A quarter at each end is more than 2.5 %.
    assert bootstrap([[Tally(1, 1), Tally(0, 3)]]) == Interval(0.0, 1.0)
    # Draws: 2 of 2, twice 2 of 3, 2 of 4.
    assert bootstrap([[Tally(1, 1), Tally(1, 2)]]) == Interval(0.5, 1.0)


def test_trajectories_with_nothing_counted_are_not_drawn() -> None:
    prompts = [[Tally(1, 2), Tally(0, 0)], [Tally(0, 0)]]
    assert bootstrap(prompts) == Interval(0.5, 0.5)


def test_counts_of_resamples_that_fill_more_than_a_word_are_read_whole() -> None:
    # 20 draws of a half are 20 to the power of 20 resamples, which takes 87 bits. Of 2 to the power of 20 equal ones
    # 21,700 have at most five hits and 60,460 at most six, and 26,214 are 2.5 %.
    found = bootstrap([[Tally(1, 1)] * 10 + [Tally(0, 1)] * 10])
    assert found == Interval(0.3, 0.7)


def test_neither_the_order_of_trajectories_nor_that_of_prompts_matters() -> None:
    prompts = [[Tally(1, 2), Tally(0, 3), Tally(2, 2)], [Tally(0, 1), Tally(3, 3)]]
    assert bootstrap([some[::-1] for some in prompts[::-1]]) == bootstrap(prompts)


def drawn(prompts: list[list[Tally]]) -> Interval:
    """Draw every resample there is; leave out the rates that no more than 2.5 % of them reach from either end."""
    each = [itertools.product(some, repeat=len(some)) for some in prompts]
    rates = [
        sum(one.hits for one in resample) / sum(one.counted for one in resample)
        for resample in (list(itertools.chain(*some)) for some in itertools.product(*each))
    ]
    rare = len(rates) * 0.025
    return Interval(
        min(rate for rate in rates if sum(one <= rate for one in rates) > rare),
        max(rate for rate in rates if sum(one >= rate for one in rates) > rare),
    )


tallies = st.integers(1, 4).flatmap(lambda n: st.integers(0, n).map(lambda hits: Tally(hits, n)))


@given(st.lists(st.lists(tallies, min_size=1, max_size=3), min_size=1, max_size=2))
def test_counting_resamples_is_the_same_as_drawing_them_all(prompts: list[list[Tally]]) -> None:
    assert bootstrap(prompts) == drawn(prompts)


def test_a_thousand_trajectories_are_estimated_by_their_variance() -> None:
    # Half of 1,000 trajectories are all hits: the standard error is √(0.25 / 1000) = 0.0158114, times 1.959964.
    found = bootstrap([[Tally(8, 8), Tally(0, 8)] * 500])
    assert (found.low, found.high) == pytest.approx((0.4690102, 0.5309898))


def test_the_variance_is_taken_within_prompts() -> None:
    # Between prompts all differ, within none: nothing is left to chance.
    found = bootstrap([[Tally(8, 8)] * 500, [Tally(0, 8)] * 500])
    assert (found.low, found.high) == pytest.approx((0.5, 0.5))


def test_the_ends_of_many_trajectories_stay_shares() -> None:
    found = bootstrap([[Tally(1, 1)] * 999 + [Tally(0, 1)]])
    # √(0.999 · 0.001 / 1000) = 0.0009995, times 1.959964 is 0.0019590: above 1 without the bound.
    assert (found.low, found.high) == pytest.approx((0.9970410, 1.0))
