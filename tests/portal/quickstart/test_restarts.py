"""When a service is started again, and when it is given up."""

import pytest

from portal.quickstart.restarts import Restarts

RESTARTS = Restarts(quick_seconds=60, limit=5, first_seconds=0.5, longest_seconds=3)


@pytest.mark.parametrize(
    ("quick", "seconds"), [(0, 0.5), (1, 0.5), (2, 1.0), (3, 2.0), (4, 3.0), (5, None), (6, None)]
)
def test_each_quick_end_in_a_row_doubles_the_wait_up_to_the_longest_and_the_last_is_the_end(
    quick: int, seconds: float | None
) -> None:
    assert RESTARTS.delay_seconds(quick) == seconds


def test_an_end_soon_after_the_start_is_counted() -> None:
    assert RESTARTS.counted(3, lived_seconds=59.9) == 4


def test_a_service_that_lived_long_enough_starts_to_count_anew() -> None:
    assert RESTARTS.counted(4, lived_seconds=60) == 0
