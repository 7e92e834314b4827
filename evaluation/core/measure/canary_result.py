"""Reads the canary (rule S3): how many of the asked lines came from the L2 cache after the flush.

The kernel (evaluation/native/gpu/canary.cuh) times single loads in cycles: of the asked lines, of the same lines again,
which are hot, and of as many lines that the flush has driven out, which are cold.
"""

import statistics
import struct
from typing import Final

from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import Canary

LINES_EACH: Final = 32  # timed by one block
MOST_LINES: Final = 4096
LINE_BYTES: Final = 128
RESULT_BYTES: Final = 3 * 4 * MOST_LINES

_APART: Final = 1.3  # cold over hot at least; memory is about twice as far as the cache


def canary_lines(size: int) -> int:
    """How many lines of ``size`` bytes are asked, at most one in four, so that lines next to each other are rare."""
    return min(MOST_LINES, size // (4 * LINE_BYTES) // LINES_EACH * LINES_EACH)


def read_canary(content: bytes) -> Canary:
    """``content`` holds as many cycles for each of the three kinds. A hit is nearer to hot than to cold.

    Raise ToolFailure when hot and cold cannot be told apart: then the canary says nothing.
    """
    cycles = struct.unpack(f"<{len(content) // 4}I", content)
    lines = len(cycles) // 3
    if not lines or len(cycles) != 3 * lines:
        raise ToolFailure(
            f"a canary of {len(content)} bytes has no three equal parts",
            action="report this: the reader and the kernel do not fit",
        )
    asked, hot, cold = cycles[:lines], cycles[lines : 2 * lines], cycles[2 * lines :]
    near, far = statistics.median(hot), statistics.median(cold)
    if far < _APART * near:
        raise ToolFailure(
            f"hot lines take {near:.0f} cycles and flushed ones {far:.0f}: the cache cannot be seen",
            action="see whether something else uses the GPU; run ptxboard doctor",
        )
    middle = (near + far) / 2
    return Canary(lines, sum(one < middle for one in asked))
