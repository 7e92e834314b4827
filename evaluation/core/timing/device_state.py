"""What the device did meanwhile: clocks, heat, power, whether it was slowed down (S10), errors of its memory (T8)."""

from collections.abc import Sequence
from fractions import Fraction

from evaluation.core.measure.seen import ClockSample
from evaluation.core.records import Fact
from evaluation.core.signal import Signal
from evaluation.core.timing.statistics import median_ns
from evaluation.core.timing.units import CELSIUS, MHZ, MILLIWATTS
from evaluation.core.verdict import Severity, Stage

# Clock event reasons of nvml.h (NVML 13). Only these void a measurement: a power cap by software (0x4) is what a busy
# device always runs into, idle (0x1), settings (0x2, 0x100) and sync boost (0x10) are no fault of it.
HARDWARE_SLOWDOWN = 0x8
SOFTWARE_THERMAL = 0x20
HARDWARE_THERMAL = 0x40
POWER_BRAKE = 0x80
VOIDING = HARDWARE_SLOWDOWN | SOFTWARE_THERMAL | HARDWARE_THERMAL | POWER_BRAKE
POWER_CAP = 0x4

SHARE_MOST = Fraction(1, 10)
CORRECTED_MOST = 10
"""More corrected errors than this in one run are no chance hits of single bits."""


def slowed_share(samples: Sequence[ClockSample]) -> Fraction:
    """Give the share of samples in which heat or a power brake held the device back."""
    slowed = sum(bool(one.throttle & VOIDING) for one in samples)
    return Fraction(slowed, len(samples)) if samples else Fraction(0)


def is_void(samples: Sequence[ClockSample]) -> bool:
    return slowed_share(samples) > SHARE_MOST


def device_facts(samples: Sequence[ClockSample]) -> tuple[Fact, ...]:
    """Medians over the samples, the highest temperature; only their number where there is none."""
    count = Fact("clock_samples", len(samples))
    if not samples:
        return (count,)
    capped = sum(bool(one.throttle & POWER_CAP) for one in samples)
    reasons = 0
    for one in samples:
        reasons |= one.throttle
    return (
        count,
        Fact("sm_clock", median_ns([one.sm_mhz for one in samples]), MHZ),
        Fact("sm_clock_lowest", min(one.sm_mhz for one in samples), MHZ),
        Fact("memory_clock", median_ns([one.memory_mhz for one in samples]), MHZ),
        Fact("temperature_highest", max(one.temperature_c for one in samples), CELSIUS),
        Fact("power", median_ns([one.power_mw for one in samples]), MILLIWATTS),
        Fact("samples_slowed", sum(bool(one.throttle & VOIDING) for one in samples)),
        Fact("samples_power_capped", capped),
        Fact("throttle_reasons", f"0x{reasons:x}"),
        *_corrected_facts(samples),
    )


def corrected_errors(samples: Sequence[ClockSample]) -> int | None:
    """Count the memory errors that were corrected between the first sample and the last; None where nobody counts."""
    counts = [one.corrected for one in samples if one.corrected is not None]
    return max(counts[-1] - counts[0], 0) if counts else None


def memory_signals(samples: Sequence[ClockSample]) -> tuple[Signal, ...]:
    """Note errors of single bits that the memory corrected by itself; hold a run with many (rule T8)."""
    errors = corrected_errors(samples) or 0
    if not errors:
        return ()
    severity = Severity.HOLD if errors > CORRECTED_MOST else Severity.NOTE
    sentence = "The device's memory corrected errors while the kernel was measured."
    evidence = (f"{errors} since the first pair",)
    signal = Signal("corrected_memory_errors", 1, severity, Stage.TIME, sentence, evidence)
    return (signal,)


def _corrected_facts(samples: Sequence[ClockSample]) -> tuple[Fact, ...]:
    errors = corrected_errors(samples)
    return () if errors is None else (Fact("corrected_memory_errors", errors),)
