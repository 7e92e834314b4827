"""What one reading of the counters says a call did, in products of a matrix product (rules I2, I3, I6, I7)."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from evaluation.core.catalogue.dtype import DType
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.hardware_clock import reading_busy_ns
from evaluation.core.measure.seen import Reading
from evaluation.core.probe.metrics import METRICS, Counted
from evaluation.core.scan.opcodes import NumberFormat, counts_for
from evaluation.core.verdict import Target

# The most products that one execution by a warp can have made. mma.sync of 16-bit factors is at most 16 x 8 x 16, of
# doubles 16 x 8 x 16. Integer and bit instructions share one counter with wgmma's, whose largest is 64 x 256 x 256
# for a warpgroup; a problem of floats has no honest use for any of them.
HALF_PRODUCTS = 16 * 8 * 16
DOUBLE_PRODUCTS = 16 * 8 * 16
INTEGER_PRODUCTS = 64 * 256 * 256
HFMA2_PRODUCTS = 32 * 2

_DENSE_SHARE = Fraction(
    1, 2
)  # of a sparse instruction's nominal products: the rest are zeros by construction


@dataclass(frozen=True, slots=True)
class Work:
    """Products of one call.

    ``family`` is the target family's own work by format, as executed: sparse work counts half of its nominal products.
    ``counting`` is the part of it in formats that count for the problem. ``warp_matrix`` (mma.sync and integer matrix
    work) and ``scalar`` are never too small; ``uncounted`` is the rest of the family's work, sparse at its nominal.
    """

    family: tuple[tuple[NumberFormat, Fraction], ...]
    counting: Fraction
    sparse: Fraction
    uncounted: Fraction
    warp_matrix: Fraction
    scalar: Fraction
    gmma_instructions: int
    integer_instructions: int
    transfers: int
    transfer_bytes: int
    busy_ns: int | None  # None where the hardware told no time

    @property
    def other(self) -> Fraction:
        """What everything but the counting work could have made at most."""
        return self.uncounted + self.warp_matrix + self.scalar

    @property
    def matrix(self) -> Fraction:
        """All matrix work, whoever did it."""
        return sum((products for _, products in self.family), self.warp_matrix)


def work_of(reading: Reading, target: Target, declared: DType) -> Work:
    """Weigh a reading. Raise ToolFailure for one without every metric of the target, or with a negative count."""
    values = _values(reading, target)
    family: dict[NumberFormat, Fraction] = {}
    counting = sparse = uncounted = warp_matrix = scalar = Fraction(0)
    counts = Counter[Counted]()
    for metric in METRICS[target]:
        value = values[metric.name]
        counts[metric.counted] += value
        nominal = value * metric.products
        if metric.format is not None:
            executed = nominal * _DENSE_SHARE if metric.sparse else nominal
            family[metric.format] = family.get(metric.format, Fraction(0)) + executed
            sparse += executed if metric.sparse else 0
            if counts_for(metric.format, declared):
                counting += executed
            else:
                uncounted += nominal
        elif metric.counted is Counted.WARP_MATRIX_OPS:
            warp_matrix += nominal
        elif metric.counted is Counted.SCALAR_THREADS:
            scalar += nominal
    return Work(
        family=tuple(sorted((name, products) for name, products in family.items() if products)),
        counting=counting,
        sparse=sparse,
        uncounted=uncounted,
        warp_matrix=warp_matrix + _warp_instructions(counts),
        scalar=scalar + HFMA2_PRODUCTS * counts[Counted.HFMA2_INSTRUCTIONS],
        gmma_instructions=counts[Counted.GMMA_INSTRUCTIONS],
        integer_instructions=counts[Counted.INTEGER_INSTRUCTIONS],
        transfers=counts[Counted.TRANSFERS],
        transfer_bytes=counts[Counted.TRANSFER_BYTES],
        busy_ns=reading_busy_ns(reading),
    )


def _values(reading: Reading, target: Target) -> dict[str, int]:
    values = dict(reading.values)
    wanted = {metric.name for metric in METRICS[target]}
    missing = sorted(wanted - values.keys())
    broken = missing or sorted(name for name in wanted if values[name] < 0)
    if broken:
        what = "lacks" if missing else "is negative in"
        raise ToolFailure(
            f"a reading of the counters {what} {broken[0]}",
            action="report this as a bug of ptxboard; launcher and judge may be of different versions",
        )
    return values


def _warp_instructions(counts: Counter[Counted]) -> Fraction:
    """Bound what the warp-level matrix instructions of Hopper can have made.

    HALF_INSTRUCTIONS holds HMMA, HFMA2.MMA, HGMMA and QGMMA. Without integer work GMMA_INSTRUCTIONS is exactly the last
    two; with it, the shared part is given back, so that HMMA is never too few.
    """
    integers = counts[Counted.INTEGER_INSTRUCTIONS]
    floats = counts[Counted.GMMA_INSTRUCTIONS] - min(integers, counts[Counted.GMMA_INSTRUCTIONS])
    half = counts[Counted.HALF_INSTRUCTIONS] - counts[Counted.HFMA2_INSTRUCTIONS] - floats
    return Fraction(
        HALF_PRODUCTS * max(half, 0)
        + DOUBLE_PRODUCTS * counts[Counted.DOUBLE_INSTRUCTIONS]
        + INTEGER_PRODUCTS * integers
    )
