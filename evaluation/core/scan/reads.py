"""Which bytes of its parameter block a kernel's machine code reads (rule L3: padding is what nothing reads).

Whatever is unclear is widened or makes the answer inexact: a byte too many costs a comparison, a byte too few would
replay an honest kernel with a zero where its author put a value.
"""

import re
from collections.abc import Iterator

from evaluation.core.binary.facts import CubinFacts, KernelFunction, KernelReads
from evaluation.core.scan.callgraph import closure_of
from evaluation.core.scan.opcode_names import BLACKWELL, HOPPER
from evaluation.core.scan.opcodes import name_of
from evaluation.core.scan.sass import Disassembly, Function
from evaluation.core.scan.widened import may_be_widened

# Bytes before the parameter block that say nothing about it: launch dimensions, windows of other memories, stack,
# descriptors, environment registers. Found by compiling every special register with ptxas 13.0. The missing ones
# begin at 0x198 (sm_90) and 0x348 (sm_100): start and end of the block's own window, read to take its address.
_SYSTEM_CONSTANTS = {
    90: (
        (0x000, 0x018),
        (0x020, 0x038),
        (0x040, 0x0C0),
        (0x0D0, 0x0D8),
        (0x10C, 0x110),
        (0x114, 0x118),
        (0x13C, 0x168),
        (0x188, 0x198),
        (0x208, 0x210),
    ),
    100: (
        (0x0D0, 0x110),
        (0x120, 0x128),
        (0x140, 0x148),
        (0x16C, 0x170),
        (0x2D0, 0x2D4),
        (0x2E8, 0x2F0),
        (0x2F8, 0x300),
        (0x358, 0x380),
    ),
}

# ``c[bank][index]`` or ``cx[...][...]``, not the ``desc[...]`` and ``gdesc[...]`` of other operands.
_CONSTANT = re.compile(r"(?<![A-Za-z0-9_])cx?\[")
_PLAIN = re.compile(
    r"c\[0x(?P<bank>[0-9a-f]{1,2})\]\[(?:U?RZ|(?:U?RZ\+)?0x(?P<offset>[0-9a-f]{1,6}))\]"
)
_OTHER_BANK = re.compile(r"c\[0x(?!0+\])[0-9a-f]{1,2}\]\[")

_LOADS = frozenset(("LDC", "ULDC", "LDCU"))
_LOAD_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}
_WIDEST_BYTES = 32
# Arithmetic on 64-bit operands: by name, or by a modifier of an operation that also exists for 32 bits.
_PAIRS = frozenset(("DADD", "DFMA", "DMUL", "DSETP", "DMMA", "FADD2", "FFMA2", "FMUL2"))
_PAIR_MODIFIERS = frozenset(("WIDE", "64", "F64", "S64", "U64"))
_BRANCHES = frozenset(("CALL", "JMP", "JMX", "JMXU", "BRX", "BRXU", "RET"))
# These may take a handle from a constant that their text does not name.
_TEXTURES = frozenset(
    ["TEX", "TLD", "TLD4", "TMML", "TXD", "TXQ", "SUATOM", "SULD", "SURED", "SUST"]
)
_KNOWN = HOPPER | BLACKWELL


def parameter_reads(disassembly: Disassembly, cubin: CubinFacts) -> tuple[KernelReads, ...]:
    """State for every kernel of the cubin what it reads, code that it calls included."""
    functions = {function.name: function for function in disassembly.functions}
    return tuple(_kernel(kernel, disassembly, functions, cubin.sm) for kernel in cubin.functions)


def _kernel(
    kernel: KernelFunction,
    disassembly: Disassembly,
    functions: dict[str, Function],
    sm: int,
) -> KernelReads:
    if not kernel.parameter_bytes:
        return KernelReads(kernel.name, exact=True, read=())
    closure = closure_of(disassembly, (kernel.name,))
    exact = kernel.name in closure.functions and not closure.leaves
    found: list[tuple[int, int]] = []
    for name in closure.functions:
        for index, start, end in _accesses(functions[name]):
            exact = exact and _is_clear(start, end, kernel, sm)
            inside = _clipped(start, end, kernel)
            if inside:
                found.append(inside)
                exact = exact and not may_be_widened(functions[name], index)
    return KernelReads(kernel.name, exact, _merged(found))


def _accesses(function: Function) -> Iterator[tuple[int, int, int]]:
    """Give instruction, start and end in constant bank 0 of every access; both 0 where its place is not known."""
    for index, one in enumerate(function.instructions):
        if name_of(one.opcode) in _TEXTURES:
            yield index, 0, 0
        # Names in calls and returns are the author's, but hold no bracket.
        for opening in _CONSTANT.finditer(one.operands):
            plain = _PLAIN.match(one.operands, opening.start())
            if plain is None:
                if not _OTHER_BANK.match(one.operands, opening.start()):
                    yield index, 0, 0
            elif int(plain["bank"], 16) == 0:
                start = int(plain["offset"] or "0", 16)
                yield index, start, start + _width_bytes(one.opcode)


def _width_bytes(opcode: str) -> int:
    """Bytes that an instruction reads at a constant operand, at most."""
    name, *modifiers = opcode.split(".")
    if name in _LOADS:
        return max((_LOAD_BYTES.get(one, _WIDEST_BYTES) for one in modifiers), default=4)
    if name in _PAIRS or name in _BRANCHES or _PAIR_MODIFIERS.intersection(modifiers):
        return 8
    return 4 if name in _KNOWN else _WIDEST_BYTES


def _clipped(start: int, end: int, kernel: KernelFunction) -> tuple[int, int] | None:
    """Give the part of [start, end) inside the parameter block, relative to it."""
    low = max(start - kernel.parameter_base, 0)
    high = min(end - kernel.parameter_base, kernel.parameter_bytes)
    return (low, high) if low < high else None


def _is_clear(start: int, end: int, kernel: KernelFunction, sm: int) -> bool:
    """Tell whether an access is known to read no parameter but those at its place."""
    if start >= end:
        return False
    if start >= kernel.parameter_base:
        return start < kernel.parameter_base + kernel.parameter_bytes
    before = min(end, kernel.parameter_base)
    return any(low <= start and before <= high for low, high in _SYSTEM_CONSTANTS.get(sm, ()))


def _merged(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)
