"""Counters against the clock: what a time proves by itself, and what no device can have done in it."""

from fractions import Fraction

from evaluation.core.probe.work import Work
from evaluation.core.scan.opcodes import NumberFormat

_FLOPS_PER_PRODUCT = 2
_NS_PER_S = 10**9
# Counted calls are not the timed ones and the roof is a measurement too, so only a gross contradiction is one.
_MARGIN = Fraction(5, 4)
# Time of a product, in that of a 16-bit one.
_TIME_OF = {
    NumberFormat.TF32: Fraction(2),
    NumberFormat.F16: Fraction(1),
    NumberFormat.BF16: Fraction(1),
    NumberFormat.F8: Fraction(1, 2),
    NumberFormat.I8: Fraction(1, 2),
    NumberFormat.F4: Fraction(1, 4),
}


def faster_than_warp_matrix(required: int, candidate_ns: int, flops_per_s: float) -> bool:
    """Tell whether the required products in this time are more than mma.sync at its measured best could make (I3)."""
    return _FLOPS_PER_PRODUCT * required * _NS_PER_S > Fraction(flops_per_s) * candidate_ns


def impossible(work: Work, candidate_ns: int, flops_per_s: float) -> bool:
    """Tell whether the family's work is more than the device could do in this time at its measured best rate.

    Sparse work takes half of its nominal time, which is what it counts.
    """
    weighted = sum(
        (_TIME_OF[number_format] * products for number_format, products in work.family),
        Fraction(0),
    )
    done = _FLOPS_PER_PRODUCT * weighted * _NS_PER_S
    return done > _MARGIN * Fraction(flops_per_s) * candidate_ns
