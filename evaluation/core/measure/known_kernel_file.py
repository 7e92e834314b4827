"""Reads what is stated of a known kernel from TOML and refuses everything that is not completely right."""

import re
from typing import Final

from evaluation.core.catalogue.tables import Table, parse
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.known_kernel import Band, KnownKernel
from evaluation.core.verdict import Target

_FORMAT: Final = 1
_LIMIT_BANDS: Final = 32
_RATIO_MOST: Final = 100.0
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{2,63}")
_PRODUCT: Final = re.compile(r"[a-z][a-z0-9]{1,15}(-[a-z0-9]{1,15})?")


def load_known_kernel(text: str, *, where: str) -> KnownKernel:
    """Read what ``text`` states, or raise InvalidInput naming ``where``, the key and the rule."""
    top = parse(text, where=where)
    top.only("format", "name", "problem", "target", "bands")
    top.integer("format", low=_FORMAT, high=_FORMAT)
    bands = tuple(_band(one) for one in top.tables("bands", limit=_LIMIT_BANDS))
    products = [one.product for one in bands]
    if len(set(products)) != len(products):
        raise InvalidInput(where=where, key="bands", rule="names a product twice")
    return KnownKernel(
        name=top.name("name", _NAME, like="3 to 64 lower-case letters, digits and _"),
        problem=top.name("problem", _NAME, like="the name of a problem"),
        target=top.word("target", Target),
        bands=bands,
    )


def _band(table: Table) -> Band:
    table.only("product", "low", "high", "source")
    low = table.number("low", low=0.001, high=_RATIO_MOST)
    high = table.number("high", low=0.001, high=_RATIO_MOST)
    if not low < high:
        raise table.broken("high", "must be above low")
    return Band(
        product=table.name("product", _PRODUCT, like="a product, as in evaluation/devices"),
        low=low,
        high=high,
        source=table.line("source", limit=200),
    )
