"""The vendor's side of the pairs: a slow baseline would be as good as a fast kernel (rule S2)."""

from fractions import Fraction

from evaluation.core.measure.seen import MeasureSeen
from evaluation.core.signal import Signal
from evaluation.core.timing.expectation import Expectation
from evaluation.core.timing.ranked import Ranked
from evaluation.core.timing.statistics import median_ns
from evaluation.core.verdict import Severity, Stage

ALONE_BAND = Fraction(1, 100)
ALONE_NS = 1_000
"""Medians of ten calls are no finer: those of a 14.5 us call, alone on an H200, lay between 14.0 and 15.2 us."""
NOTE_BAND = Fraction(10, 100)
HOLD_BAND = Fraction(25, 100)


def is_slowed(seen: MeasureSeen, found: Ranked) -> bool:
    """Say whether the vendor was slower beside the candidate than before it came and after it went.

    By more than 1 %, or than 1 us for a call below 100 us.
    """
    alone = _alone(seen)
    return bool(alone) and found.vendor_ns > max(alone) + _allowed_ns(max(alone))


def is_hastened(seen: MeasureSeen, found: Ranked) -> bool:
    """The same the other way; it costs the candidate and gains it nothing."""
    alone = _alone(seen)
    return bool(alone) and found.vendor_ns < min(alone) - _allowed_ns(min(alone))


def vendor_signals(
    seen: MeasureSeen, found: Ranked, expectation: Expectation | None
) -> tuple[Signal, ...]:
    return _alone_signals(seen, found) + _expected_signals(found, expectation)


def _alone(seen: MeasureSeen) -> tuple[int, ...]:
    """The medians before and after; between them the device may have warmed up, which is nobody's doing."""
    if not seen.vendor_before_ns or not seen.vendor_after_ns:
        return ()
    return median_ns(seen.vendor_before_ns), median_ns(seen.vendor_after_ns)


def _allowed_ns(alone_ns: int) -> Fraction:
    return max(ALONE_BAND * alone_ns, Fraction(ALONE_NS))


def _alone_signals(seen: MeasureSeen, found: Ranked) -> tuple[Signal, ...]:
    alone = _alone(seen)
    if not alone:
        sentence = "The vendor library was not measured alone, so nothing shows that its times are its own."
        return (Signal("baseline_unproven", 1, Severity.HOLD, Stage.TIME, sentence),)
    evidence = (f"{found.vendor_ns} ns in the pairs, {alone[0]} ns before, {alone[1]} ns after",)
    if is_slowed(seen, found):
        sentence = "The vendor library is slower beside this kernel than alone."
        signal = Signal("changes_the_baseline", 1, Severity.HOLD, Stage.TIME, sentence, evidence)
        return (signal,)
    if is_hastened(seen, found):
        sentence = "The vendor library is faster beside this kernel than alone."
        return (Signal("baseline_hastened", 1, Severity.NOTE, Stage.TIME, sentence, evidence),)
    return ()


def _expected_signals(found: Ranked, expectation: Expectation | None) -> tuple[Signal, ...]:
    if expectation is None:
        return ()
    off = abs(Fraction(found.vendor_ns, expectation.vendor_ns) - 1)
    if off <= NOTE_BAND:
        return ()
    severity = Severity.HOLD if off > HOLD_BAND else Severity.NOTE
    sentence = "The vendor library's time is not what it was on such a device before."
    evidence = (f"{found.vendor_ns} ns, expected {expectation.vendor_ns} ns",)
    return (Signal("baseline_drift", 1, severity, Stage.TIME, sentence, evidence),)
