import math

import pytest

from leaderboard import statistics
from leaderboard.statistics import Interval, Tally


@pytest.mark.parametrize(
    ("share", "trials", "low", "high"),
    [
        # z² = 3.841459. At 8 of 10: z²/n = 0.3841459, middle (0.8 + 0.1920729) / 1.3841459 = 0.7167401,
        # half √(0.16·0.3841459 + 0.3841459²/4) / 1.3841459 = √0.0983553 / 1.3841459 = 0.2265770.
        pytest.param(0.8, 10, 0.4901631, 0.9433171, id="8 of 10"),
        # At n of n the low end is n / (n + z²): 12 / 15.841459.
        pytest.param(1.0, 12, 0.7575060, 1.0, id="12 of 12"),
        # At 0 of n the high end is z² / (n + z²): 3.841459 / 23.841459.
        pytest.param(0.0, 20, 0.0, 0.1611252, id="0 of 20"),
        # At a half the middle is a half and half the width z / (2 √(n + z²)) = 1.959964 / (2 √7.841459).
        pytest.param(0.5, 4, 0.1500389, 0.8499611, id="2 of 4"),
    ],
)
def test_wilson_is_as_worked_out_by_hand(
    share: float, trials: float, low: float, high: float
) -> None:
    found = statistics.wilson(share, trials)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)


@pytest.mark.parametrize("hits", range(13))
def test_both_ends_of_wilson_solve_the_score_equation(hits: int) -> None:
    """(share - end)² n = z² end (1 - end), whence the interval comes."""
    share = hits / 12
    found = statistics.wilson(share, 12)
    for end in (found.low, found.high):
        assert (share - end) ** 2 * 12 == pytest.approx(3.8414588 * end * (1 - end), abs=1e-7)
    assert share in found


@pytest.mark.parametrize("trials", [5, 7, 12, 17, 20, 24, 96, 160])
def test_wilson_holds_its_share_and_stays_a_share_whatever_rounding_does(trials: int) -> None:
    for hits in range(trials + 1):
        found = statistics.wilson(hits / trials, trials)
        assert 0 <= found.low <= hits / trials <= found.high <= 1


def test_trajectories_of_equal_length_count_each() -> None:
    assert statistics.effective_trajectories([Tally(3, 8)] * 12) == 12


def test_trajectories_of_unequal_length_count_less() -> None:
    # (8 + 8 + 1)² / (64 + 64 + 1) = 289 / 129
    tallies = [Tally(0, 8), Tally(8, 8), Tally(1, 1)]
    assert statistics.effective_trajectories(tallies) == pytest.approx(2.2403101)


def test_the_wider_end_counts_at_each_side() -> None:
    assert statistics.wider_at_each_end(Interval(0.2, 0.5), Interval(0.3, 0.9)) == Interval(
        0.2, 0.9
    )


def test_averages_are_as_worked_out_by_hand() -> None:
    assert statistics.median([3.0, 1.0, 2.0]) == 2.0
    assert statistics.median([4.0, 1.0, 2.0, 3.0]) == 2.5
    assert statistics.mean([0.25, 0.5, 0.75, 1.0]) == 0.625
    assert statistics.geometric_mean([0.5, 2.0, 8.0]) == pytest.approx(2.0)  # third root of 8


def test_the_interval_of_a_mean_adds_distances_in_squares() -> None:
    # Below: √(0.3² + 0.4²) / 2 = 0.25. Above: √(0.12² + 0.05²) / 2 = 0.065.
    found = statistics.mean_interval([0.5, 0.7], [Interval(0.2, 0.62), Interval(0.3, 0.75)])
    assert (found.low, found.high) == pytest.approx((0.35, 0.665))


def test_the_interval_of_one_value_is_its_own() -> None:
    found = statistics.mean_interval([0.5], [Interval(0.25, 0.625)])
    assert found == Interval(0.25, 0.625)


def test_the_interval_of_a_geometric_mean_is_taken_in_logarithms() -> None:
    # Values 1 and 4, each between half and twice itself: √(2 (log 2)²) / 2 = log 2 / √2, so 2 · 2^(± 0.7071068).
    found = statistics.geometric_mean_interval([1.0, 4.0], [Interval(0.5, 2.0), Interval(2.0, 8.0)])
    assert (found.low, found.high) == pytest.approx((1.2250947, 3.2650538))


@pytest.mark.parametrize(("low", "high"), [(2.0, 1.0), (math.nan, 1.0), (0.0, math.inf)])
def test_an_interval_is_finite_and_in_order(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="no interval"):
        Interval(low, high)


@pytest.mark.parametrize(("hits", "counted"), [(3, 2), (-1, 2)])
def test_a_tally_has_no_more_hits_than_counted(hits: int, counted: int) -> None:
    with pytest.raises(ValueError, match="hits of"):
        Tally(hits, counted)
