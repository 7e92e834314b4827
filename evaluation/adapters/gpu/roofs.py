"""How a roof of the device is measured (rule S6): the best of a few launches between two events."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from evaluation.adapters.gpu import driver

READ_BYTES: Final = 2 << 30  # so much more than any L2 cache that hits do not count
MATRIX_ROUNDS: Final = 2000  # two to three milliseconds on an H200

_TIMES: Final = 5


def best_rate(enqueue: Callable[[], int], stream: int) -> float:
    """The highest rate a second of a few launches; each does as much as ``enqueue`` returns. The first one warms up."""
    enqueue()
    rates = []
    with _events() as (begin, end):
        for _ in range(_TIMES):
            driver.record_event(begin, stream)
            amount = enqueue()
            driver.record_event(end, stream)
            driver.synchronise_stream(stream)
            rates.append(amount * 1e9 / driver.elapsed_ns(begin, end))
    return max(rates)


@contextmanager
def _events() -> Iterator[tuple[int, int]]:
    begin, end = driver.create_event(), driver.create_event()
    try:
        yield begin, end
    finally:
        driver.destroy_event(begin)
        driver.destroy_event(end)
