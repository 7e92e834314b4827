"""Per-address evidence: what each matrix instruction made, and whether the hardware counters agree (I1, I2, I4)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from evaluation.core.catalogue.problem import Problem
from evaluation.core.catalogue.work import required_products
from evaluation.core.probe.coverage import shown
from evaluation.core.probe.sass_counts import SassCounts
from evaluation.core.probe.work import Work
from evaluation.core.scan.evidence import EvidenceRow
from evaluation.core.scan.opcodes import OpcodeKind
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage

LINES_KEPT = 64

_AGREEMENT = Fraction(1, 100)  # of the required work
# Threads of one execution: a warpgroup's, or a warp's.
_THREADS = {OpcodeKind.GMMA: 128, OpcodeKind.OTHER_MATRIX: 32}


@dataclass(frozen=True, slots=True)
class Executed:
    """One row of machine code that is evidence, with the threads that ran it in one call of the kernel.

    ``products`` is None where the opcode does not say them.
    """

    row: EvidenceRow
    threads: int
    products: Fraction | None

    @property
    def line(self) -> str:
        made = "" if self.products is None else f", {int(self.products)} products"
        return (
            f"{self.row.line}  [{self.threads} threads{made}{self.row.why and f'; {self.row.why}'}]"
        )


def executed(counts: SassCounts, rows: Sequence[EvidenceRow]) -> tuple[Executed, ...]:
    """Join counts of one call with the evidence of the same cubin, in the evidence's order."""
    threads = counts.by_place()
    return tuple(_executed(row, threads.get((row.function, row.address), 0)) for row in rows)


def products_of(found: Sequence[Executed]) -> Fraction:
    """Sum what the rows that count for the family made (Hopper; on Blackwell no opcode says its products)."""
    return sum(
        (one.products for one in found if one.row.counts and one.products is not None),
        Fraction(0),
    )


def instrumented_differs(
    found: Sequence[Executed], works: Sequence[Work], problem: Problem
) -> Signal | None:
    """Hold a kernel whose patched run did other work than the counted calls. The counters decide the finding (I5).

    With it the instruction finding becomes unknown.
    """
    required = required_products(problem)
    patched = products_of(found)
    counted = (min(one.counting for one in works), max(one.counting for one in works))
    if all(abs(patched - one) <= _AGREEMENT * required for one in counted):
        return None
    sentence = (
        f"Under Nsight Compute the target's instructions made {shown(patched / required)} of the required products, "
        f"in the counted calls {shown(counted[0] / required)}: the kernel behaves differently when instrumented."
    )
    return Signal("instrumented_differs", 1, Severity.HOLD, Stage.PROBE, sentence)


def evidence_lines(found: Sequence[Executed]) -> tuple[str, ...]:
    """Lines for people: those that made the most first, then by their place."""
    ordered = sorted(found, key=lambda one: (-(one.products or 0), -one.threads, one.row.line))
    return tuple(one.line for one in ordered[:LINES_KEPT])


def _executed(row: EvidenceRow, threads: int) -> Executed:
    if row.work is None or row.work.products is None or row.kind not in _THREADS:
        return Executed(row, threads, None)
    times = Fraction(0) if row.idle else Fraction(threads, _THREADS[row.kind])
    return Executed(row, threads, times * row.work.products)
