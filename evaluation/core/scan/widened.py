"""Loads that ptxas may have made wider than the parameter they read, and so read padding behind it.

ptxas 13 loads a ``bool`` or ``char`` of a struct with two or four bytes where alignment lets it, and takes the low
ones out afterwards. From outside that cannot be told from a number whose bytes the author picks apart, so it is only a
reason for doubt: a mask that says "all of this counts" is then not exact.
"""

import re

from evaluation.core.scan.opcodes import name_of
from evaluation.core.scan.sass import Function, Instruction

_LOADS = frozenset(("LDC", "ULDC", "LDCU"))
_WINDOW = 64  # instructions after a load in which its uses are looked for

_PERMUTES = frozenset(("PRMT", "UPRMT"))
_EXTENDS = frozenset(("SGXT", "USGXT"))
_SHIFTS = frozenset(("SHF", "USHF"))
_MASKS = frozenset(("LOP3", "ULOP3"))
_BYTE_SHIFTS = frozenset(("0x8", "0x10", "0x18"))
_BYTE_MASKS = frozenset(("0xff", "0xff00", "0xff0000", "0xff000000"))
_HALF_MASKS = frozenset(("0xffff", "0xffff0000"))
# Selectors that spread one byte, with zeros or its sign.
_BYTE_SELECTORS = frozenset(
    ("0x7770", "0x7771", "0x7772", "0x7773", "0x8880", "0x9991", "0xaaa2", "0xbbb3")
)
_BYTES = frozenset(("U8", "S8"))
_HALVES = frozenset(("U16", "S16"))
_REGISTER = re.compile(r"(?P<bank>U?R)(?P<number>[0-9]+)\Z")


def may_be_widened(function: Function, index: int) -> bool:
    """Tell whether the code takes out a part of what the load at ``index`` reads."""
    load = function.instructions[index]
    name, *modifiers = load.opcode.split(".")
    if name not in _LOADS or _BYTES.intersection(modifiers):
        return False
    is_half = not _HALVES.isdisjoint(modifiers)
    return any(
        _is_taken_apart(function, index, register, is_half=is_half)
        for register in _registers(load, modifiers)
    )


def _registers(load: Instruction, modifiers: list[str]) -> tuple[str, ...]:
    found = _REGISTER.match(load.operands.partition(",")[0])
    if not found:
        return ()
    count = 4 if "128" in modifiers else 2 if "64" in modifiers else 1
    first = int(found["number"])
    return tuple(f"{found['bank']}{number}" for number in range(first, first + count))


def _is_taken_apart(function: Function, index: int, register: str, *, is_half: bool) -> bool:
    mention = re.compile(rf"(?<![A-Za-z0-9_]){register}(?P<byte>\.B[0-3])?(?![0-9])")
    for one in function.instructions[index + 1 : index + 1 + _WINDOW]:
        if register not in one.operands:  # for speed: this loop is what a long kernel costs
            continue
        target, _, sources = one.operands.partition(",")
        used = mention.search(sources)
        if used and (used["byte"] or _takes_apart(one, sources.split(","), is_half=is_half)):
            return True
        if target == register and not one.predicate:
            return False
    return False


def _takes_apart(one: Instruction, sources: list[str], *, is_half: bool) -> bool:
    name = name_of(one.opcode)
    parts = frozenset(one.opcode.split("."))
    if name in _PERMUTES:
        return not is_half or not _BYTE_SELECTORS.isdisjoint(sources)
    if name in _SHIFTS:
        return not _BYTE_SHIFTS.isdisjoint(sources[:2])
    if name in _MASKS:
        return not (_BYTE_MASKS if is_half else _BYTE_MASKS | _HALF_MASKS).isdisjoint(sources[:2])
    return name in _EXTENDS or not (_BYTES if is_half else _BYTES | _HALVES).isdisjoint(parts)
