"""Whole rows of calls bound a call's time where the difference of two rows may not (rules S1, T2).

Whoever owns the launcher can be late with an answer, and a short row that ends late makes its slope as small as it
likes. No row can end early: its inputs are made after it waits, and its results are compared. So a long row by itself
bounds a call from below, less what the referee's clock contains beside the calls, and delay only raises that bound.
"""

from fractions import Fraction

from evaluation.core.launching.replay import held_calls
from evaluation.core.measure.seen import MeasureSeen, Side, SlopeSeen
from evaluation.core.plan.plan import Plan
from evaluation.core.signal import Signal
from evaluation.core.timing.bounds import CONTROL_LEAST, GAP_NS, LONG_NS, SLOPE_SHARE, Bound
from evaluation.core.timing.budget import SETS_MOST, SLOPE_NS
from evaluation.core.timing.ranked import Ranked, slopes_of
from evaluation.core.verdict import Severity, Stage

BESIDE_ROW_NS = 750_000
"""From the word to go to the answer, beside the calls.

The shortest of three rows of calls below 2 ms took 0.38 to 0.64 ms longer than the calls by events in the recorded run.
"""

_SHORTER = 2  # so many times shorter than planned may honest rows be, as checked calls may be slower than later ones


def row_signals(
    seen: MeasureSeen, found: Ranked, plan: Plan, bound: Bound | None
) -> tuple[Signal, ...]:
    """Hold times that rows rule out and ``bound`` does not, and rows of which a launcher's word chose too few calls."""
    every = slopes_of(seen.slopes, Side.CANDIDATE)
    if not every:
        return ()
    held = tuple(one for one in every if one.held)
    return _fast(found, held, bound, _clocks(seen, found)) + _short(seen, found, plan, held)


def row_ns(slope: SlopeSeen) -> Fraction:
    """Give what a call takes at least by the longer row of a block; negative where the row is shorter than its rim."""
    return Fraction(slope.long_ns - BESIDE_ROW_NS, 2 * slope.calls) - GAP_NS


def _clocks(seen: MeasureSeen, found: Ranked) -> Fraction:
    """How the vendor's event time stands to a call in its own longer row: below 1 the device's clocks fell in it."""
    rows = [
        Fraction(one.long_ns, 2 * one.calls)
        for one in slopes_of(seen.slopes, Side.VENDOR)
        if one.held and one.long_ns > 0
    ]
    shares = (Fraction(found.vendor_ns) / one for one in rows)
    return max(CONTROL_LEAST, min((Fraction(1), *shares)))


def _fast(
    found: Ranked, held: tuple[SlopeSeen, ...], bound: Bound | None, clocks: Fraction
) -> tuple[Signal, ...]:
    """The shortest row counts, as with slopes: clocks that fall make the others longer."""
    least = int(SLOPE_SHARE * clocks * min((row_ns(one) for one in held), default=Fraction(0)))
    if bound is not None and bound.least_ns >= least:
        return ()  # which says the same and more
    # The ratio ranks, so it must keep to the bound as well.
    too_good = found.ratio is not None and found.ratio * least > found.vendor_ns
    if found.candidate_ns >= least and not too_good:
        return ()
    sentence = "Single calls seem faster than a row of calls was by a clock outside."
    evidence = (f"{found.candidate_ns} ns a call, at least {least} ns by the longer rows",)
    return (Signal("faster_than_rows", 1, Severity.HOLD, Stage.TIME, sentence, evidence),)


def _short(
    seen: MeasureSeen, found: Ranked, plan: Plan, held: tuple[SlopeSeen, ...]
) -> tuple[Signal, ...]:
    """A launcher that tells of long checked calls is asked for short rows, which bound nothing."""
    if held:
        least = _fewest(seen, found, plan)
        short = tuple(
            f"launcher {one.launcher}: rows of {one.calls} and {2 * one.calls} calls, at least {least} were to be had"
            for one in held
            if one.calls < least
        )
    elif found.candidate_outside_ns >= LONG_NS:  # the clock around single calls bounds them
        return ()
    else:
        short = ("no row was enqueued before its first call began",)
    if not short:
        return ()
    sentence = "Rows of calls were too short to say how long a single call takes."
    return (Signal("rows_too_short", 1, Severity.HOLD, Stage.TIME, sentence, short),)


def _fewest(seen: MeasureSeen, found: Ranked, plan: Plan) -> int:
    """Give the fewest calls in a shorter row of a kernel as fast as its pairs say; see ``budget`` for the plan.

    The vendor's rows show how many buffer sets there were, of which every call has one.
    """
    wanted = -(-SLOPE_NS // (_SHORTER * max(1, found.candidate_ns)))
    vendors = (one.calls for one in slopes_of(seen.slopes, Side.VENDOR))
    most = min((SETS_MOST // 2, max(1, held_calls(plan.steady) // 2), *vendors))
    return min(wanted, most)
