"""Which functions of a cubin can run when some of them are launched, as far as the code tells.

Compiled as a whole, a kernel's section holds every device function it can call: function pointers are numbers of a
table of that section, and ``CALL.REL`` through a register stays inside it. So a call by name to another section and a
jump to an absolute address are all that could lead out.
"""

from dataclasses import dataclass

from evaluation.core.opcodes import name_of
from evaluation.core.sass import Disassembly, Function, Instruction

_ABSOLUTE_JUMPS = frozenset(("JMP", "JMX", "JMXU"))


@dataclass(frozen=True, slots=True)
class Closure:
    """``leaves``: something in it jumps to an address that is not in the code, as a call of printf or malloc does."""

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
            leaves = leaves or any(_leaves(one) for one in functions[name].instructions)
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


def _leaves(one: Instruction) -> bool:
    name, *modifiers = one.opcode.split(".")
    return name_of(one.opcode) in _ABSOLUTE_JUMPS or (name == "CALL" and "REL" not in modifiers)
