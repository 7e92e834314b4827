"""Lengths of x86-64 instructions, enough to walk compiler output from one function start to the next.

Used to tell a real ``syscall`` from the same two bytes inside a displacement or constant. Encodings follow the opcode
maps of the Intel 64 manual, volume 2, appendix A. Code that jumps into the middle of its own instructions can hide from
a walk like this one; the jail, not this count, is what stops system calls.
"""

from typing import Final

MAX_INSTRUCTION_BYTES: Final = 15

_PREFIXES: Final = frozenset((0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3))


def _ranges(*bounds: tuple[int, int]) -> frozenset[int]:
    return frozenset(value for low, high in bounds for value in range(low, high + 1))


# One-byte map: opcodes with a ModRM byte, and opcodes by the size of their immediate.
_ARITHMETIC_MODRM: Final = frozenset(row + low for row in range(0, 0x40, 8) for low in range(4))
_ONE_MODRM: Final = _ARITHMETIC_MODRM | _ranges(
    (0x63, 0x63), (0x69, 0x69), (0x6B, 0x6B), (0x80, 0x8F), (0xC0, 0xC1), (0xC6, 0xC7),
    (0xD0, 0xD3), (0xD8, 0xDF), (0xF6, 0xF7), (0xFE, 0xFF),
)  # fmt: skip
_ONE_IMM8: Final = frozenset(row + 4 for row in range(0, 0x40, 8)) | _ranges(
    (0x6A, 0x6B), (0x70, 0x7F), (0x80, 0x80), (0x82, 0x83), (0xA8, 0xA8), (0xB0, 0xB7), (0xC0, 0xC1),
    (0xC6, 0xC6), (0xCD, 0xCD), (0xD4, 0xD5), (0xE0, 0xE7), (0xEB, 0xEB),
)  # fmt: skip
# Four bytes, or two after an operand-size prefix; relative calls and jumps keep four in 64-bit mode.
_ONE_IMMZ: Final = frozenset(row + 5 for row in range(0, 0x40, 8)) | {0x68, 0x69, 0x81, 0xA9, 0xC7}
_ONE_IMM32: Final = frozenset((0xE8, 0xE9))

# Two-byte map (0F xx): opcodes without ModRM, and with an immediate.
_TWO_PLAIN: Final = _ranges(
    (0x05, 0x09), (0x0B, 0x0B), (0x0E, 0x0E), (0x30, 0x35), (0x37, 0x37), (0x77, 0x77),
    (0x80, 0x8F), (0xA0, 0xA2), (0xA8, 0xAA), (0xC8, 0xCF),
)  # fmt: skip
_TWO_IMM8: Final = _ranges(
    (0x70, 0x73), (0xA4, 0xA4), (0xAC, 0xAC), (0xBA, 0xBA), (0xC2, 0xC2), (0xC4, 0xC6)
)
_TWO_IMM32: Final = _ranges((0x80, 0x8F))
_VEX_IMM8: Final = _ranges((0x70, 0x73), (0xC2, 0xC2), (0xC4, 0xC6))


def instruction_length(code: bytes, place: int) -> int:
    """Bytes of the instruction at ``place``; 1 where the bytes there are none that we know."""
    try:
        length = _length(code, place)
    except IndexError:
        return 1
    return length if length <= MAX_INSTRUCTION_BYTES and place + length <= len(code) else 1


def _length(code: bytes, start: int) -> int:
    place = start
    narrow = False
    while code[place] in _PREFIXES and place - start < MAX_INSTRUCTION_BYTES:
        narrow = narrow or code[place] == 0x66  # the operand-size prefix
        place += 1
    wide = False
    if code[place] & 0xF0 == 0x40:  # REX
        wide = bool(code[place] & 8)
        place += 1
    opcode = code[place]
    place += 1
    if opcode in {0xC4, 0xC5, 0x62}:
        return _vector(code, opcode, place) - start
    if opcode == 0x0F:  # the escape to the two-byte map
        return _two_byte(code, place) - start
    group = None
    if opcode in _ONE_MODRM:
        group = code[place] >> 3 & 7
        place = _after_modrm(code, place)
    return place + _one_byte_immediate(opcode, group, narrow=narrow, wide=wide) - start


def _one_byte_immediate(opcode: int, group: int | None, *, narrow: bool, wide: bool) -> int:
    full = 2 if narrow and not wide else 4
    if opcode in _ONE_IMM8:
        size = 1
    elif opcode in _ONE_IMMZ:
        size = full
    elif opcode in _ONE_IMM32:
        size = 4
    elif 0xB8 <= opcode <= 0xBF:  # MOV r, imm
        size = 8 if wide else full
    elif 0xA0 <= opcode <= 0xA3:  # MOV with a full address
        size = 8
    elif opcode in {0xF6, 0xF7} and group is not None and group < 2:  # TEST r/m, imm
        size = 1 if opcode == 0xF6 else full  # byte form
    else:
        size = {0xC2: 2, 0xCA: 2, 0xC8: 3}.get(opcode, 0)
    return size


def _two_byte(code: bytes, place: int) -> int:
    opcode = code[place]
    place += 1
    if opcode == 0x38:  # three-byte map without immediates
        return _after_modrm(code, place + 1)
    if opcode == 0x3A:  # three-byte map with one
        return _after_modrm(code, place + 1) + 1
    if opcode not in _TWO_PLAIN:
        place = _after_modrm(code, place)
    if opcode in _TWO_IMM8:
        place += 1
    if opcode in _TWO_IMM32:
        place += 4
    return place


def _vector(code: bytes, escape: int, place: int) -> int:
    """VEX (C5 one payload byte, C4 two) and EVEX (62, three): the map decides about the immediate."""
    payload = {0xC5: 1, 0xC4: 2, 0x62: 3}[escape]
    table = 1 if payload == 1 else code[place] & 7
    opcode = code[place + payload]
    place += payload + 1
    if table == 1 and opcode == 0x77:  # VZEROUPPER
        return place
    place = _after_modrm(code, place)
    return place + (table == 3 or (table == 1 and opcode in _VEX_IMM8))  # 0F 3A


def _after_modrm(code: bytes, place: int) -> int:
    modrm = code[place]
    place += 1
    mode, register = modrm >> 6, modrm & 7
    if mode == 3:  # a register
        return place
    base = register
    if register == 4:  # a SIB byte follows
        base = code[place] & 7
        place += 1
    if mode == 1:
        return place + 1
    if mode == 2 or base == 5:  # 32-bit displacement; base 5 without mode is RIP or none
        return place + 4
    return place
