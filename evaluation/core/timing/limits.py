"""What no honest time is below, and what no cold cache shows (rules S3, S6)."""

from collections.abc import Sequence
from fractions import Fraction

from evaluation.core.catalogue.problem import Problem
from evaluation.core.catalogue.work import floor_ns
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import Canary, Roofs
from evaluation.core.signal import Signal
from evaluation.core.timing.ranked import Ranked
from evaluation.core.verdict import Severity, Stage

NEAR_SHARE = Fraction(110, 100)
HIT_SHARE = Fraction(2, 100)


def floor_of(problem: Problem, roofs: Roofs) -> int:
    """Give the floor in nanoseconds. Raise ToolFailure if this run's roofs are no rates."""
    try:
        return floor_ns(problem, roofs.read_bytes_per_s, roofs.matrix_flops_per_s)
    except ValueError as error:
        action = "measure the device's roofs again; `ptxboard doctor` shows its state"
        raise ToolFailure(f"the device's roofs cannot be right: {error}", action=action) from error


def floor_signals(found: Ranked, floor: int) -> tuple[Signal, ...]:
    signals = []
    evidence = (
        f"{found.candidate_ns} ns the kernel, {found.vendor_ns} ns the vendor, floor {floor} ns",
    )
    if found.vendor_ns < floor:
        sentence = (
            "The vendor library itself is below the floor, so the floor or the clock is wrong."
        )
        signal = Signal("baseline_below_floor", 1, Severity.HOLD, Stage.TIME, sentence, evidence)
        signals.append(signal)
    if found.candidate_ns < floor:
        sentence = "The kernel is faster than this device can read its inputs or do the products."
        signals.append(Signal("below_floor", 1, Severity.HOLD, Stage.TIME, sentence, evidence))
    elif found.candidate_ns < floor * NEAR_SHARE:
        sentence = "The kernel is within a tenth of what this device can do at best."
        signals.append(Signal("near_floor", 1, Severity.NOTE, Stage.TIME, sentence, evidence))
    return tuple(signals)


def canary_signals(canaries: Sequence[Canary]) -> tuple[Signal, ...]:
    """Hold a run in which a canary found inputs in the cache; note one in which none looked."""
    if not any(one.lines for one in canaries):
        sentence = "No canary looked whether inputs were left in the cache."
        return (Signal("canary_missing", 1, Severity.NOTE, Stage.TIME, sentence),)
    warm = tuple(
        f"canary {place}: {one.hits} of {one.lines} lines came from the cache"
        for place, one in enumerate(canaries)
        if one.hits >= one.lines * HIT_SHARE and one.hits
    )
    if not warm:
        return ()
    sentence = "Inputs are in the cache when a call begins, though it was flushed."
    return (Signal("inputs_in_cache", 1, Severity.HOLD, Stage.TIME, sentence, warm),)
