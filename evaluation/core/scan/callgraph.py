"""Which functions of a cubin can run when some of them are launched, as far as the code tells.

Compiled as a whole, a kernel's section holds every device function that it can call. ptxas turns a function pointer
into a number of a table in constant bank 2, whose entries stay inside the section, and calls the runtime (printf,
malloc) by an address from bank 4. A module that takes no function's address has no table: there a call jumps wherever
the number says, and its target may be any bytes on the device. The same holds for a return address that the code
overwrites on its stack, which no listing shows; so what ran is for the counters of the probe to say (rule I2).
"""

import re
from dataclasses import dataclass

from evaluation.core.scan.opcodes import name_of
from evaluation.core.scan.sass import Disassembly, Function

_ABSOLUTE_JUMPS = frozenset(("JMP", "JMX", "JMXU"))
_REGISTER = re.compile(r"U?R[0-9]+\Z")
_TABLE_OF = {"REL": "c[0x2][", "ABS": "c[0x4]["}
_LOADS = frozenset(("LDC.64", "ULDC.64", "LDCU.64"))
_WINDOW = 256  # instructions before a call in which its address is looked for


@dataclass(frozen=True, slots=True)
class Closure:
    """``leaves``: something in it jumps to an address that neither the code nor a table of the compiler's names."""

    functions: tuple[str, ...]
    leaves: bool


def closure_of(disassembly: Disassembly, launched: tuple[str, ...]) -> Closure:
    """Follow calls from the launched functions. Names that the cubin lacks are left out."""
    functions = {function.name: function for function in disassembly.functions}
    waiting = [name for name in launched if name in functions]
    found: set[str] = set()
    leaves = False
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_named(functions[name], functions))
            leaves = leaves or _leaves(functions[name])
    order = tuple(name for name in functions if name in found)
    return Closure(order, leaves)


def _named(function: Function, functions: dict[str, Function]) -> tuple[str, ...]:
    # A function may be named like a register. Taking both for the function only makes the closure larger.
    return tuple(
        operand
        for one in function.instructions
        if one.control_flow
        for operand in one.operands.split(",")
        if operand in functions
    )


def _leaves(function: Function) -> bool:
    return any(
        name_of(one.opcode) in _ABSOLUTE_JUMPS
        or (name_of(one.opcode) == "CALL" and _is_computed(function, index))
        for index, one in enumerate(function.instructions)
    )


def _is_computed(function: Function, index: int) -> bool:
    """Tell whether the call at ``index`` goes to an address that comes from no table."""
    call = function.instructions[index]
    target = call.operands.partition(",")[0]
    way = next((way for way in call.opcode.split(".") if way in _TABLE_OF), "")
    if not _REGISTER.match(target):
        return way != "REL"  # the other way to call by name would be a linker's
    for one in reversed(function.instructions[max(0, index - _WINDOW) : index]):
        written, _, source = one.operands.partition(",")
        if written == target:
            return one.opcode not in _LOADS or not way or not source.startswith(_TABLE_OF[way])
    return True
