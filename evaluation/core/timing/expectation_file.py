"""Reads a device's expected vendor times from TOML and refuses everything that is not completely right.

``problems`` are tables of a ``name``, ``vendor_ns``, and ``spread_ppm`` where a run-to-run spread was measured. The
table ``roofs`` has ``read_bytes_per_s`` and ``matrix_flops_per_s`` where they were measured.
"""

import re
from fractions import Fraction

from evaluation.core.catalogue.tables import Table, parse
from evaluation.core.measure.seen import Roofs
from evaluation.core.timing.expectation import DeviceExpectations, Expectation

FORMAT = 1
LIMIT_PROBLEMS = 64

_PRODUCT = re.compile(r"[a-z][a-z0-9]{1,15}(-[a-z0-9]{1,15})?")
_PROBLEM = re.compile(r"[a-z][a-z0-9_]{2,63}")
_MEASURED = re.compile(r"measured 20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")


def load_expectations(text: str, *, where: str) -> DeviceExpectations:
    """Read what ``text`` states, or raise InvalidInput naming ``where``, the key and the rule."""
    top = parse(text, where=where)
    top.only("format", "product", "source", "driver", "libraries", "roofs", "problems")
    top.integer("format", low=FORMAT, high=FORMAT)
    found: dict[str, Expectation] = {}
    for table in top.tables("problems", limit=LIMIT_PROBLEMS):
        one = _expectation(table)
        if one.problem in found:
            raise table.broken("name", "is stated twice")
        found[one.problem] = one
    return DeviceExpectations(
        product=top.name("product", _PRODUCT, like="a product, as in evaluation/devices"),
        source=top.name("source", _MEASURED, like='"measured YYYY-MM-DD"'),
        driver=top.line("driver", limit=40),
        libraries=top.line("libraries", limit=120),
        problems=tuple(found.values()),
        roofs=_roofs(top.table("roofs")) if top.has("roofs") else None,
    )


def _roofs(table: Table) -> Roofs:
    table.only("read_bytes_per_s", "matrix_flops_per_s")
    return Roofs(
        read_bytes_per_s=table.integer("read_bytes_per_s", low=10**9, high=10**15),
        matrix_flops_per_s=table.integer("matrix_flops_per_s", low=10**9, high=10**18),
    )


def _expectation(table: Table) -> Expectation:
    table.only("name", "vendor_ns", "spread_ppm")
    spread = None
    if table.has("spread_ppm"):
        spread = Fraction(table.integer("spread_ppm", low=100, high=50_000), 1_000_000)
    return Expectation(
        problem=table.name("name", _PROBLEM, like="the name of a problem"),
        vendor_ns=table.integer("vendor_ns", low=100, high=10**11),
        spread=spread,
    )
