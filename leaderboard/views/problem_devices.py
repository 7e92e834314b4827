"""What the vendor's call takes on each device, and the time below which no kernel can be, where they were measured."""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.adapters.baselines import expectations
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Problem
from evaluation.core.catalogue.work import floor_parts_ns
from evaluation.core.timing.expectation import DeviceExpectations

_TERA, _GIGA = 10**12, 10**9


@dataclass(frozen=True, slots=True)
class Floor:
    """``bound`` names what bounds it with its rate; ``ratio`` is what a kernel at the floor would reach, if known."""

    floor_ns: int
    bound: str
    ratio: float | None


@dataclass(frozen=True, slots=True)
class DeviceLine:
    """Times in nanoseconds; None and empty where nobody has measured them on this device."""

    product: str
    vendor_ns: int | None
    floor: Floor | None
    source: str


def device_lines(problem: Problem, devices: Iterable[Device]) -> tuple[DeviceLine, ...]:
    """A line for each device that has one of the problem's targets, in their order."""
    return tuple(_line(problem, one.product) for one in devices if one.target in problem.targets)


def unmeasured(lines: Iterable[DeviceLine]) -> tuple[str, ...]:
    """Products of devices where the vendor’s time or the floor is not known yet."""
    return tuple(one.product for one in lines if one.vendor_ns is None or one.floor is None)


def _line(problem: Problem, product: str) -> DeviceLine:
    known = expectations(product)
    if known is None:
        return DeviceLine(product, None, None, "")
    expected = known.of(problem.name)
    vendor_ns = None if expected is None else expected.vendor_ns
    source = f"{known.source}, driver {known.driver}, {known.libraries}"
    return DeviceLine(product, vendor_ns, _floor(problem, known, vendor_ns), source)


def _floor(problem: Problem, known: DeviceExpectations, vendor_ns: int | None) -> Floor | None:
    roofs = known.roofs
    if roofs is None:
        return None
    reading, computing = floor_parts_ns(problem, roofs.read_bytes_per_s, roofs.matrix_flops_per_s)
    if reading > computing:
        bound = f"reading the inputs at {roofs.read_bytes_per_s / _GIGA:,.0f} GB/s"
    else:
        bound = f"the matrix units at {roofs.matrix_flops_per_s / _TERA:,.0f} TFLOP/s"
    floor_ns = max(reading, computing)
    return Floor(floor_ns, bound, None if vendor_ns is None else vendor_ns / floor_ns)
