"""What the vendor's call is expected to take on a device, so that a device that drifts is noticed."""

from dataclasses import dataclass
from fractions import Fraction

from evaluation.core.measure.seen import Roofs

UNPUBLISHED_SPREAD = Fraction(6, 1000)
"""The run-to-run spread of ratios where a device has none published: the largest that was measured for a GEMM."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """The vendor's time for one problem on one device. ``spread`` is the published run-to-run spread of a ratio."""

    problem: str
    vendor_ns: int
    spread: Fraction | None = None


@dataclass(frozen=True, slots=True)
class DeviceExpectations:
    """All that is known of one product; ``source``, ``driver`` and ``libraries`` say where it comes from.

    ``roofs`` are for readers: a run's own, measured beside it, decide about its times.
    """

    product: str
    source: str
    driver: str
    libraries: str
    problems: tuple[Expectation, ...]
    roofs: Roofs | None = None

    def of(self, problem: str) -> Expectation | None:
        return next((one for one in self.problems if one.problem == problem), None)


def spread_of(expectation: Expectation | None) -> Fraction:
    if expectation is None or expectation.spread is None:
        return UNPUBLISHED_SPREAD
    return expectation.spread
