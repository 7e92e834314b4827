from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laid_turns import laid

from leaderboard.cells import Best, count
from leaderboard.estimates import (
    Estimate,
    Unranked,
    rate_estimate,
    ratio_estimate,
    suite_rate,
    suite_ratio,
)
from leaderboard.rates import Rate, Unit
from leaderboard.statistics import Interval, Tally
from leaderboard.turns import Layout


def turn_rate(*prompts: list[str]) -> Rate:
    layout = Layout(len(prompts), len(prompts[0]), len(prompts[0][0]))
    return count(laid(*prompts), layout, layout.turns).correct


def test_a_turn_rate_is_no_surer_than_so_many_trajectories() -> None:
    # All of 12 trajectories alike: the bootstrap has no width, Wilson at 12 has: 12 / (12 + 3.841459).
    found = rate_estimate(turn_rate(*[["pppp"] * 4] * 3))
    assert found.interval is not None
    assert (found.value, found.unranked) == (1.0, None)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.7575060, 1.0))


def test_a_trajectory_that_lost_turns_weighs_less() -> None:
    # Five trajectories of 4 turns and one of 1: 21² / 81 = 5.4444 effective ones; at n of n Wilson begins at
    # 5.4444 / (5.4444 + 3.841459).
    found = rate_estimate(turn_rate(["pppp"] * 5 + ["paaa"]))
    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.5863129, abs=1e-6)


def test_a_turn_rate_is_no_surer_than_its_trajectories_vary() -> None:
    # Ten trajectories of one turn, half of them hits. Of 1,024 equal draws 11 have at most one hit, 56 at most two,
    # and 25.6 are 2.5 %: so 0.2 to 0.8. Wilson is 0.5 ± 1.959964 / (2 √13.841459) = 0.5 ± 0.2634068, narrower.
    found = rate_estimate(turn_rate(["p"] * 5 + ["-"] * 5))
    assert found == Estimate(0.5, Interval(0.2, 0.8))


def test_a_trajectory_rate_has_wilson_alone() -> None:
    rate = Rate(Unit.TRAJECTORY, ((Tally(1, 1),) * 8 + (Tally(0, 1),) * 2,), declared=10, open=0)
    found = rate_estimate(rate)
    assert found.interval is not None
    assert found.value == 0.8
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (0.4901625, 0.9433178), abs=1e-6
    )


def test_fewer_than_five_trajectories_have_neither_interval_nor_rank() -> None:
    assert rate_estimate(turn_rate(["pp", "--", "--", "pp"])) == Estimate(
        0.5, unranked=Unranked.FEW_TRAJECTORIES
    )
    assert rate_estimate(turn_rate(["pp", "--", "--", "pp", "p-"])).unranked is None


def test_trajectories_with_nothing_counted_are_none() -> None:
    rate = turn_rate(["pp", "--", "--", "pp", "aa"])
    assert rate_estimate(rate).unranked is Unranked.FEW_TRAJECTORIES


@pytest.mark.parametrize("letter", ["o", "h"])
def test_one_turn_without_a_verdict_to_show_makes_a_rate_provisional(letter: str) -> None:
    rate = turn_rate(["pp", "--", "--", "pp", f"p{letter}", "pp"])
    assert rate_estimate(rate) == Estimate(7 / 12, unranked=Unranked.PROVISIONAL)


def test_a_rate_that_a_turn_left_without_its_source_is_not_ranked() -> None:
    """Whoever hands in chooses which sources come along: a wrong turn left out would raise the rate."""
    whole = ["pp", "p-", "p-", "p-", "p-"]
    assert rate_estimate(turn_rate(whole)).unranked is None
    left_out = rate_estimate(turn_rate(["pp", "pm", "pm", "pm", "pm"]))
    assert left_out == Estimate(1.0, unranked=Unranked.SOURCE_MISSING)
    ours = rate_estimate(turn_rate(["pp", "pa", "pa", "pa", "pa"]))
    assert (ours.value, ours.unranked) == (1.0, None)


def test_a_rate_of_nothing_has_no_value() -> None:
    rate = turn_rate(["aa"] * 5)
    assert rate_estimate(rate) == Estimate(None, unranked=Unranked.NOTHING_COUNTED)


def test_a_ratio_brings_its_own_interval() -> None:
    best = Best(0.5, Interval(0.4, 0.6), "a", 0, 3)
    assert ratio_estimate(best) == Estimate(0.5, Interval(0.4, 0.6))
    assert ratio_estimate(replace(best, interval=None)) == Estimate(
        0.5, unranked=Unranked.NO_INTERVAL
    )
    assert ratio_estimate(None) == Estimate(None, unranked=Unranked.NOTHING_COUNTED)


def test_a_suite_rate_is_the_mean_over_problems() -> None:
    found = suite_rate([Estimate(0.5, Interval(0.2, 0.62)), Estimate(0.75, Interval(0.35, 0.8))])
    # Below √(0.3² + 0.4²) / 2 = 0.25, above √(0.12² + 0.05²) / 2 = 0.065.
    assert found.interval is not None
    assert (found.value, found.unranked) == (0.625, None)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.375, 0.69))


def test_a_suite_ratio_is_the_geometric_mean_over_problems() -> None:
    found = suite_ratio([Estimate(1.0, Interval(0.5, 2.0)), Estimate(4.0, Interval(2.0, 8.0))])
    assert found.interval is not None
    assert found.value == pytest.approx(2.0)
    assert (found.interval.low, found.interval.high) == pytest.approx((1.2250947, 3.2650538))


def test_a_suite_has_a_value_only_when_every_problem_has_one() -> None:
    problems = [
        Estimate(0.5, Interval(0.4, 0.6)),
        Estimate(None, unranked=Unranked.NOTHING_COUNTED),
    ]
    for suite in (suite_rate, suite_ratio):
        assert suite(problems) == Estimate(None, unranked=Unranked.SUITE_INCOMPLETE)


def test_a_suite_is_unranked_for_the_first_reason_of_its_problems() -> None:
    few = Estimate(0.5, unranked=Unranked.FEW_TRAJECTORIES)
    provisional = Estimate(0.25, unranked=Unranked.PROVISIONAL)
    good = Estimate(0.75, Interval(0.7, 0.8))
    assert suite_rate([few, good, provisional]) == Estimate(0.5, unranked=Unranked.PROVISIONAL)
    assert suite_rate([few, good]) == Estimate(0.625, unranked=Unranked.FEW_TRAJECTORIES)


def test_an_estimate_is_ranked_exactly_with_an_interval_around_its_value() -> None:
    with pytest.raises(ValueError, match="a ranked value has an interval"):
        Estimate(0.5)
    with pytest.raises(ValueError, match="does not hold"):
        Estimate(0.5, Interval(0.6, 0.7))


words = st.lists(
    st.lists(st.text("p-a.", min_size=3, max_size=3), min_size=3, max_size=3),
    min_size=2,
    max_size=2,
)


@given(words, st.integers(0, 1), st.integers(0, 2), st.integers(0, 2))
def test_one_more_correct_turn_never_lowers_an_end(
    prompts: list[list[str]], at: int, which: int, turn: int
) -> None:
    """Of turn rates and of trajectory rates, whatever else was abandoned or never taken."""
    before = [[*some] for some in prompts]
    after = [[*some] for some in prompts]
    word = prompts[at][which]
    before[at][which] = word[:turn] + "-" + word[turn + 1 :]
    after[at][which] = word[:turn] + "p" + word[turn + 1 :]
    cells = [count(laid(*some), Layout(2, 3, 3), 3) for some in (before, after)]
    for rates in ([one.correct for one in cells], [one.solved for one in cells]):
        worse, better = map(rate_estimate, rates)
        if worse.interval is not None:
            assert better.interval is not None
            assert worse.interval.low <= better.interval.low
            assert worse.interval.high <= better.interval.high
