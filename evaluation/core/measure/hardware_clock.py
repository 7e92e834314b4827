"""How long a counted call kept the device busy, by counters alone: the third clock of a call's time (rule S1).

The profiler's duration is no kernel's: it holds what the profiler itself does between its begin and its end, 0.17 to
0.31 ms on an H200 whatever the kernel. A multiprocessor's cycles with a warp on it hold nothing else. As a share of the
cycles that passed, times the duration, they are nanoseconds at the clock that really ran: 0.92 to 1.00 of the event
time of kernels from 0.05 to 4 ms there.
"""

from typing import Final

from evaluation.core.measure.seen import Reading

DURATION_METRIC: Final = "gpu__time_duration.sum"
BUSY_METRIC: Final = "sm__cycles_active.max"  # of the multiprocessor that was busy longest
ELAPSED_METRIC: Final = "sm__cycles_elapsed.max"


def reading_busy_ns(reading: Reading) -> int | None:
    """Give the nanoseconds of one reading; None for one that lacks a part of them."""
    values = dict(reading.values)
    if not values.keys() >= {DURATION_METRIC, BUSY_METRIC, ELAPSED_METRIC}:
        return None
    duration, elapsed = values[DURATION_METRIC], values[ELAPSED_METRIC]
    if duration <= 0 or elapsed <= 0:
        return None
    return duration * values[BUSY_METRIC] // elapsed
