"""What the device did meanwhile: clocks, temperature, power, and whether it was slowed down (rule S10)."""

from collections.abc import Sequence
from fractions import Fraction

from evaluation.core.measure.seen import ClockSample
from evaluation.core.records import Fact
from evaluation.core.timing.statistics import median_ns
from evaluation.core.timing.units import CELSIUS, MHZ, MILLIWATTS

# Clock event reasons of nvml.h (NVML 13). Only these void a measurement: a power cap by software (0x4) is what a busy
# device always runs into, idle (0x1), settings (0x2, 0x100) and sync boost (0x10) are no fault of it.
HARDWARE_SLOWDOWN = 0x8
SOFTWARE_THERMAL = 0x20
HARDWARE_THERMAL = 0x40
POWER_BRAKE = 0x80
VOIDING = HARDWARE_SLOWDOWN | SOFTWARE_THERMAL | HARDWARE_THERMAL | POWER_BRAKE
POWER_CAP = 0x4

SHARE_MOST = Fraction(1, 10)


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
    )
