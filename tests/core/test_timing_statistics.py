from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import pair

from evaluation.core.measure.seen import PairSeen
from evaluation.core.timing.statistics import Ratio, median, median_ns, median_range, ratio_of

SPREAD = Fraction(5, 1000)

times = st.integers(1_000, 10**10)
blocks = st.lists(
    st.lists(st.tuples(times, times), min_size=1, max_size=20), min_size=1, max_size=12
)


def pairs_of(launchers: list[list[tuple[int, int]]], *, scale: int = 1) -> list[PairSeen]:
    return [
        pair(launcher, place, candidate=candidate * scale, vendor=vendor * scale)
        for launcher, some in enumerate(launchers)
        for place, (candidate, vendor) in enumerate(some)
    ]


def ratio(launchers: list[list[tuple[int, int]]]) -> Ratio:
    return ratio_of(pairs_of(launchers), SPREAD)


def test_equal_pairs_have_the_published_spread_as_their_interval() -> None:
    found = ratio([[(1000, 780)] * 4] * 3)
    assert found.value == Fraction(78, 100)
    assert found.low == Fraction(78, 100) * Fraction(995, 1000)
    assert found.high == Fraction(78, 100) * Fraction(1005, 1000)
    assert found.width == Fraction(1, 100)  # twice the spread
    assert (found.pairs, found.medians) == (12, (Fraction(78, 100),) * 3)


def test_launchers_that_differ_widen_the_interval_by_students_t() -> None:
    # Medians 0.76, 0.78, 0.80. Their logarithms are -0.274437, -0.248461, -0.223144, mean -0.248681, deviations
    # -0.025756, 0.000220, 0.025537; the squares' sum 0.00131556 over 2 has the root 0.0256472. Over root 3 and times
    # 4.303 that is 0.063716, and e to it 1.065790.
    found = ratio([[(1000, 760)] * 3, [(1000, 780)] * 3, [(1000, 800)] * 3])
    assert found.value == Fraction(78, 100)
    assert float(found.low) == pytest.approx(0.78 / 1.065790, rel=1e-4)
    assert float(found.high) == pytest.approx(0.78 * 1.065790, rel=1e-4)


def test_one_launcher_has_the_order_statistics_of_its_pairs() -> None:
    found = ratio([[(4, 1), (2, 1), (3, 1)]])
    assert (found.value, found.low, found.high) == (
        Fraction(1, 3),
        Fraction(1, 4),
        Fraction(1, 2),
    )


def test_an_outlier_among_many_pairs_moves_nothing() -> None:
    calm = ratio([[(1000, 780)] * 16] * 3)
    hit = ratio([[(1000, 780)] * 15 + [(90_000, 780)], *[[(1000, 780)] * 16] * 2])
    assert (hit.value, hit.low, hit.high) == (calm.value, calm.low, calm.high)


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [
        # From the binomial distribution with one half: 50 values, 18th and 33rd, 96.7 %.
        (1, 1, 1),
        (3, 1, 3),
        (5, 1, 5),
        (6, 1, 6),  # 2 / 64 is 3.1 %; with the next one 22 %
        (10, 2, 9),  # 22 / 1024 is 2.1 %
        (17, 5, 13),
        (50, 18, 33),
    ],
)
def test_the_range_of_a_median_is_that_of_the_sign_test(count: int, low: int, high: int) -> None:
    values = [Fraction(one) for one in range(1, count + 1)]
    assert median_range(values) == (Fraction(low), Fraction(high))


def test_medians_are_exact() -> None:
    assert median([Fraction(3), Fraction(1), Fraction(2)]) == 2
    assert median([Fraction(4), Fraction(1), Fraction(2), Fraction(3)]) == Fraction(5, 2)
    assert median_ns([3, 4]) == 3
    assert median_ns([7]) == 7


@given(blocks)
def test_the_interval_contains_the_median_and_is_twice_the_spread_at_least(
    launchers: list[list[tuple[int, int]]],
) -> None:
    found = ratio(launchers)
    assert found.low < found.value < found.high
    assert found.width >= 2 * SPREAD


@given(blocks, st.integers(2, 1000))
def test_a_faster_clock_changes_no_ratio(
    launchers: list[list[tuple[int, int]]], scale: int
) -> None:
    assert ratio_of(pairs_of(launchers, scale=scale), SPREAD) == ratio(launchers)


@given(blocks)
def test_exchanged_sides_give_the_reciprocal_of_an_odd_number_of_pairs(
    launchers: list[list[tuple[int, int]]],
) -> None:
    one = [launchers[0][:1]]
    swapped = [[(vendor, candidate) for candidate, vendor in some] for some in one]
    assert ratio(one).value == 1 / ratio(swapped).value
