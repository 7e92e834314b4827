"""The instruction descriptor of a TCGEN05 matrix instruction, where the code sets it to a constant (rule I7).

Shown and nothing more: the register is followed back through the listing, not through the branches of the program.
Fields are those of the PTX ISA 9.0, "Instruction descriptor" for kind::f16 and kind::tf32.
"""

import re

from evaluation.core.scan.opcodes import name_of
from evaluation.core.scan.sass import Function

_WINDOW = 64  # instructions before the use in which the constant is looked for
_DESCRIPTOR = re.compile(r"idesc\[(UR[0-9]+)\]")
_IMMEDIATE = re.compile(r"0x([0-9a-f]{1,8})\Z")
_FACTORS = {0: "f16", 1: "bf16", 2: "tf32"}
_SUMS = {0: "f16", 1: "f32"}


def shown_descriptor(function: Function, index: int) -> str:
    """Describe the constant descriptor of the instruction at ``index``, or return an empty string."""
    found = _DESCRIPTOR.search(function.instructions[index].operands)
    value = _constant(function, index, found[1]) if found else None
    if value is None:
        return ""
    if name_of(function.instructions[index].opcode) != "UTCHMMA":
        return f"descriptor 0x{value:x}"
    return f"descriptor 0x{value:x}: {_fields(value)}"


def _constant(function: Function, index: int, register: str) -> int | None:
    target = f"{register},"
    for one in reversed(function.instructions[max(0, index - _WINDOW) : index]):
        if one.operands.startswith(target):
            number = _IMMEDIATE.match(one.operands.removeprefix(target))
            if one.opcode != "UMOV" or one.predicate or not number:
                return None
            return int(number[1], 16)
    return None


def _fields(value: int) -> str:
    first = _FACTORS.get(value >> 7 & 7, "unknown")
    second = _FACTORS.get(value >> 10 & 7, "unknown")
    total = _SUMS.get(value >> 4 & 3, "unknown")
    rows, columns = 16 * (value >> 24 & 31), 8 * (value >> 17 & 63)
    density = "sparse" if value & 4 else "dense"
    return f"{first} by {second} into {total}, M {rows}, N {columns}, {density}"
