"""Reads what the trusted compare kernel leaves in memory: ``CompareResult`` of evaluation/native/gpu/compare.cuh."""

import math
import struct
from typing import Final, NamedTuple

from evaluation.core.errors import ToolFailure
from evaluation.core.measure import cells
from evaluation.core.measure.seen import Element, OutputSeen
from evaluation.core.measure.tolerance import ComparedOutput, element

HEAD_BYTES: Final = 128
RESULT_BYTES: Final = HEAD_BYTES + 4 * cells.MOST_CELLS**2

_HEAD: Final = struct.Struct("<8Q2dQII4f16x")
_WORD: Final = 0xFFFFFFFF


class _Head(NamedTuple):
    """The fields of the head in their order."""

    nonfinite: int
    outside: int
    outside_both: int
    outside_fourfold: int
    expected_nonfinite: int
    oracle_nonfinite: int
    first_key: int
    worst_key: int
    square_error: float
    vendor_square_error: float
    visited: int
    finished_blocks: int
    padding: int
    first_expected: float
    first_got: float
    worst_expected: float
    worst_got: float


def read_compare(
    content: bytes, *, name: str, shape: tuple[int, ...], with_oracle: bool
) -> ComparedOutput:
    """Read the result of one output of ``shape``. HEAD_BYTES of it are enough while nothing is outside.

    Raise ToolFailure when the kernel did not look at every element: then nothing is known.
    """
    if len(content) < HEAD_BYTES:
        raise ToolFailure(
            f"a comparison's result has {len(content)} bytes, not {HEAD_BYTES} or more",
            action="report this: the reader and the kernel do not fit",
        )
    head = _Head._make(_HEAD.unpack(content[:HEAD_BYTES]))
    elements = math.prod(shape)
    if head.visited != elements:
        raise ToolFailure(
            f"the comparison of {name} looked at {head.visited} of {elements} elements",
            action="run ptxboard doctor on the GPU machine; the judge's own kernel did not run",
        )
    map_rows, map_columns, map_counts = _map(content, shape, outside=head.outside)
    seen = OutputSeen(
        name=name,
        elements=elements,
        nonfinite=head.nonfinite,
        outside=head.outside,
        outside_both=head.outside_both,
        outside_fourfold=head.outside_fourfold,
        first=_first(head, shape),
        worst=_worst(head, shape),
        square_error=head.square_error if with_oracle else None,
        vendor_square_error=head.vendor_square_error if with_oracle else None,
        map_rows=map_rows,
        map_columns=map_columns,
        map_counts=map_counts,
    )
    return ComparedOutput(seen, head.expected_nonfinite, head.oracle_nonfinite)


def _first(head: _Head, shape: tuple[int, ...]) -> Element | None:
    """The key is the complement of the place, so that the largest is the first; 0 is none."""
    if not head.first_key:
        return None
    index = cells.index_of(~head.first_key & _WORD, shape)
    return element(index, head.first_expected, head.first_got)


def _worst(head: _Head, shape: tuple[int, ...]) -> Element | None:
    """The key is the difference's bits above the complement of the place. No difference is nothing to show."""
    if not head.worst_key >> 32:
        return None
    index = cells.index_of(~head.worst_key & _WORD, shape)
    return element(index, head.worst_expected, head.worst_got)


def _map(
    content: bytes, shape: tuple[int, ...], *, outside: int
) -> tuple[int, int, tuple[int, ...]]:
    if not outside:
        return 0, 0, ()
    rows, columns = cells.cells(shape)
    end = HEAD_BYTES + 4 * rows * columns
    if len(content) < end:
        raise ToolFailure(
            f"a comparison with elements outside has {len(content)} bytes, not {end} or more",
            action="report this: the map was not read",
        )
    return rows, columns, struct.unpack(f"<{rows * columns}I", content[HEAD_BYTES:end])
