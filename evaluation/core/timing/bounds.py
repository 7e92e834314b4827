"""Clocks that a kernel cannot reach bound its event times from below (rules S1, S7).

Events and hardware counters are read in the launcher, whose memory device code may write. The referee's clock is in
another process. N and then 2N calls back to back differ by N calls, so what stands before and behind them cancels.
"""

from dataclasses import dataclass
from fractions import Fraction

from evaluation.core.measure.hardware_clock import BUSY_METRIC, reading_busy_ns
from evaluation.core.measure.seen import MeasureSeen, ProbeSeen, Side, SlopeSeen
from evaluation.core.signal import Signal
from evaluation.core.timing.ranked import Ranked, slopes_of
from evaluation.core.timing.statistics import median, median_ns
from evaluation.core.verdict import Severity, Stage

SLOPE_SHARE = Fraction(98, 100)
# How much longer than the shorter of two rows the longer one may seem, beside its calls. The referee makes the vendor's
# rows itself. A candidate's begin and end with messages to another process, in a jail: over the 42 pairs of rows of a
# recorded run on an H200 the longer one seemed longer by 41 us on average, with a standard deviation of 134 us.
JITTER_NS = {Side.CANDIDATE: 150_000, Side.VENDOR: 20_000}
GAP_NS = 2_000  # between two launches, which a slope contains and a single event time does not
AROUND_NS = (
    20_000_000  # what the referee's clock around one call contains beside it: flush, load, answer
)
CONTROL_LEAST = Fraction(
    9, 10
)  # clocks may fall this much in back-to-back calls; the vendor's slope says how much
LONG_NS = 100_000_000  # a call this long is bounded by the clock around it

_HARDWARE_SHARE = Fraction(9, 10)
_HARDWARE_NS = 5_000


@dataclass(frozen=True, slots=True)
class Bound:
    """No honest event time is below ``least_ns``; ``how`` says for people where it comes from."""

    least_ns: int
    how: str


def call_bound(seen: MeasureSeen, found: Ranked) -> Bound | None:
    """Bound a call's time; None where only the launcher's own word tells it.

    A slope that may hold the host's time says that a call takes no longer, and nothing about the least. The shortest
    of the launchers' slopes counts: under load the device lowers its clocks (1980 to 1875 MHz at a power cap on an
    H200), which makes later slopes longer and no single call; forged event times lie below every one of them.
    """
    every = slopes_of(seen.slopes, Side.CANDIDATE)
    slopes = [one for one in every if one.held]
    if slopes:
        slope = min(slope_ns(one) for one in slopes)
        control = _control(seen, found)
        least = max(0, int(SLOPE_SHARE * control * slope))
        calls = ", ".join(f"{one.calls} and {2 * one.calls}" for one in slopes)
        return Bound(least, f"slopes over {calls} calls, by the referee's clock")
    if found.candidate_outside_ns >= LONG_NS:
        least = int(SLOPE_SHARE * (found.candidate_outside_ns - AROUND_NS))
        return Bound(least, "the referee's clock around single calls")
    if every:
        return Bound(0, "slopes whose calls may have waited for the host, which bound nothing")
    return None


def slope_ns(slope: SlopeSeen) -> Fraction:
    """Give what a call takes at least in a slope block; negative where the clock's jitter is larger."""
    return Fraction(slope.long_ns - slope.short_ns - JITTER_NS[slope.side], slope.calls) - GAP_NS


def bound_signals(found: Ranked, bound: Bound | None) -> tuple[Signal, ...]:
    """Hold times that cannot be: none at all, longer than the clock around them, shorter than the bound."""
    signals = []
    impossible = [
        f"launcher {one.launcher}, pair {one.place}: {one.candidate.event_ns} ns by events, "
        f"{one.candidate.outside_ns} ns outside"
        for one in found.pairs
        if not 0 < one.candidate.event_ns <= one.candidate.outside_ns
    ]
    if impossible:
        sentence = "The kernel's own clock shows times that the clock around it rules out."
        evidence = tuple(impossible[:8])
        signals.append(Signal("impossible_time", 1, Severity.HOLD, Stage.TIME, sentence, evidence))
    if bound is not None and _is_too_fast(found, bound):
        sentence = "Single calls seem faster than calls back to back are by a clock outside."
        evidence = (f"{found.candidate_ns} ns a call, at least {bound.least_ns} ns by {bound.how}",)
        signals.append(
            Signal("faster_than_slope", 1, Severity.HOLD, Stage.TIME, sentence, evidence)
        )
    return tuple(signals)


def _is_too_fast(found: Ranked, bound: Bound) -> bool:
    """Compare the median time and, since the ratio ranks, the ratio that the bound allows."""
    if found.candidate_ns < bound.least_ns:
        return True
    return found.ratio is not None and found.ratio * bound.least_ns > found.vendor_ns


def hardware_ns(probe: ProbeSeen) -> int | None:
    """Give the median of what the hardware counted of counted calls; None where it was not counted."""
    times = [reading_busy_ns(one) for one in probe.readings]
    counted = [one for one in times if one is not None]
    return median_ns(counted) if counted else None


def hardware_signals(found: Ranked, busy_ns: int | None) -> tuple[Signal, ...]:
    """Hold event times that are clearly below what the hardware counted for such calls."""
    if busy_ns is None or found.candidate_ns + _HARDWARE_NS >= _HARDWARE_SHARE * busy_ns:
        return ()
    sentence = "Calls that rank seem faster than the hardware counts for calls like them."
    evidence = (f"{found.candidate_ns} ns by events, {busy_ns} ns busy by {BUSY_METRIC}",)
    return (Signal("clock_disagreement", 1, Severity.HOLD, Stage.TIME, sentence, evidence),)


def _control(seen: MeasureSeen, found: Ranked) -> Fraction:
    """How the vendor's own event time stands to its slope: below 1 the device's clocks fell in the block."""
    vendors = [slope_ns(one) for one in slopes_of(seen.slopes, Side.VENDOR) if one.held]
    slope = median(vendors) if vendors else Fraction(0)
    if slope <= 0:
        return Fraction(1)
    return max(CONTROL_LEAST, min(Fraction(1), found.vendor_ns / slope))
