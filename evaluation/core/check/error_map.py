"""A picture of where an output is wrong: one square a cell, darker the more of its elements are outside.

PNG, ISO/IEC 15948: signature, IHDR, PLTE, IDAT, IEND; eight bits a pixel into a palette, no filter.
"""

import struct
import zlib
from dataclasses import dataclass, field

from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import OutputSeen

CELLS_MOST = 64
CELL_PIXELS = 8

# White where nothing is wrong, then from a light to a dark red that still differ without colour.
_PALETTE = ((255, 255, 255), (252, 205, 190), (248, 150, 120), (225, 90, 70), (175, 35, 40), (100, 5, 20))  # fmt: skip
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class ErrorMap:
    """``content`` is a PNG of at most 512 x 512 pixels for the output of that name."""

    output: str
    content: bytes = field(repr=False)


def error_map(output: OutputSeen) -> ErrorMap | None:
    """Draw the cells of an output; None where it has none. Raise ToolFailure for a map that is no rectangle."""
    if not output.map_counts:
        return None
    rows, columns = output.map_rows, output.map_columns
    sides = 1 <= rows <= CELLS_MOST and 1 <= columns <= CELLS_MOST
    if not sides or len(output.map_counts) != rows * columns:
        what = f"the error map of {output.name} has {len(output.map_counts)} cells as {rows} x {columns}"
        raise ToolFailure(what, action="report this as a bug of ptxboard")
    levels = _levels(output.map_counts)
    lines = (levels[start : start + columns] for start in range(0, rows * columns, columns))
    pixels = b"".join(
        (b"\0" + b"".join(bytes((level,)) * CELL_PIXELS for level in line)) * CELL_PIXELS
        for line in lines
    )
    return ErrorMap(output.name, _png(columns * CELL_PIXELS, rows * CELL_PIXELS, pixels))


def _levels(counts: tuple[int, ...]) -> bytes:
    """Shade by powers of two, so that a single wrong element is seen beside a wholly wrong tile."""
    most = max(counts).bit_length()
    top = len(_PALETTE) - 1
    return bytes(-(-top * one.bit_length() // most) if most else 0 for one in counts)


def _png(width: int, height: int, pixels: bytes) -> bytes:
    palette = bytes(value for colour in _PALETTE for value in colour)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (
        _chunk(b"IHDR", header),
        _chunk(b"PLTE", palette),
        _chunk(b"IDAT", zlib.compress(pixels, 9)),
        _chunk(b"IEND", b""),
    )
    return _SIGNATURE + b"".join(parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    size = struct.pack(">I", len(content))
    return size + kind + content + struct.pack(">I", zlib.crc32(kind + content))
