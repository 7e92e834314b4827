"""How much of the required work the target's own instructions did, and how much others could have done (I3, I8, I9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from evaluation.core.catalogue.problem import Problem
from evaluation.core.catalogue.work import input_bytes, required_products
from evaluation.core.probe.work import Work

MATRIX_PATH = Fraction(9, 10)  # coverage from which the matrix path is the target's
_AGREEMENT = Fraction(1, 100)  # of the required work: how far readings of one kernel may lie apart


@dataclass(frozen=True, slots=True)
class Shares:
    """All as shares of the required products, each the least favourable of all readings.

    ``executed`` is the counting work; ``other`` what everything else could have made at most, never below the truth;
    ``coverage`` the part that nothing but the counting work can have made; ``matrix`` all matrix work there was.
    ``transferred`` is the bytes of bulk loads as a share of the input bytes.
    """

    executed: Fraction
    other: Fraction
    coverage: Fraction
    matrix: Fraction
    transferred: Fraction

    @property
    def matrix_path(self) -> bool:
        return self.coverage >= MATRIX_PATH


def shares(works: Sequence[Work], problem: Problem) -> Shares:
    """Take the shares of at least one reading."""
    required = required_products(problem)
    executed = min(one.counting for one in works) / required
    other = max(one.other for one in works) / required
    return Shares(
        executed=executed,
        other=other,
        coverage=min(max(1 - other, Fraction(0)), executed),
        matrix=max(one.matrix for one in works) / required,
        transferred=Fraction(min(one.transfer_bytes for one in works), input_bytes(problem)),
    )


def disagreements(works: Sequence[Work], problem: Problem) -> tuple[str, ...]:
    """Say where readings of the same kernel contradict each other, as lines of evidence; none where they agree."""
    required = required_products(problem)
    found = [
        f"{name}: from {shown(least / required)} to {shown(most / required)} of the required products"
        for name, least, most in _ranges(works)
        if most - least > _AGREEMENT * required
    ]
    for name, ran in (
        ("matrix instructions of the target", {one.counting > 0 for one in works}),
        ("bulk transfers", {one.transfers > 0 for one in works}),
    ):
        if len(ran) > 1:
            found.append(f"{name}: ran in some of the counted calls only")
    return tuple(found)


def shown(share: Fraction) -> str:
    """Write a share with four digits, cut and not rounded, so that 0.9 is never said of less."""
    return f"{int(share)}.{int(share % 1 * 10_000):04d}"


def _ranges(works: Sequence[Work]) -> tuple[tuple[str, Fraction, Fraction], ...]:
    measures = (
        ("counting work", [one.counting for one in works]),
        ("the family's other formats", [one.uncounted for one in works]),
        ("mma.sync", [one.warp_matrix for one in works]),
    )
    return tuple((name, min(values), max(values)) for name, values in measures)
