"""Small cubins made by hand, laid out as ptxas 13 does it."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from elf_files import Built, Part, Strings, append_headers, symbol


def attribute(number: int, payload: bytes) -> bytes:
    return struct.pack("<BBH", 4, number, len(payload)) + payload


def half(number: int, value: int) -> bytes:
    return struct.pack("<BBH", 3, number, value)


def parameter(ordinal: int, offset: int, size: int) -> bytes:
    return attribute(0x17, struct.pack("<IHHI", 0, ordinal, offset, size << 18 | 0x1F000))


def wide_parameter(ordinal: int, offset: int, size: int) -> bytes:
    return attribute(0x45, struct.pack("<IHHHBB", 0, ordinal, offset, size, 0, 5))


@dataclass(slots=True)
class Kernel:
    name: str
    records: bytes = b""  # beside parameters' place and size
    parameter_bytes: int = 0
    base: int = 0x210
    registers: int = 24
    frame: int = 0
    stack: int = 0
    shared: int | None = None  # bytes of .nv.shared.<name>, the reserved KiB included
    local: bool = False


@dataclass(slots=True)
class Variable:
    name: str
    section: str
    value: int
    size: int


@dataclass(slots=True)
class Cubin:
    """A cubin as ptxas 13 lays one out, for sm_90 unless said otherwise."""

    kernels: tuple[Kernel, ...] = ()
    variables: tuple[Variable, ...] = ()
    externs: tuple[str, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)  # of .nv.global and .nv.constant3
    sm: int = 90
    note_sm: int | None = None
    extra: tuple[Part, ...] = ()
    other_symbols: tuple[tuple[str, int, int, int], ...] = ()  # name, info, other, section index

    def build(self) -> Built:
        names = Strings()
        parts = [*self._parts(), *self.extra]
        index = {part.name: place + 1 for place, part in enumerate(parts)}
        symbols, order = self._symbols(names, index)
        for part in parts:
            if part.name == ".strtab":
                part.content = bytes(names.content)
            if part.name == ".symtab":
                part.content = symbols
            if part.name == ".nv.info":
                part.content = b"".join(self._words(order))
            if part.name.startswith(".nv.info."):
                part.info = index[f".text.{part.name.removeprefix('.nv.info.')}"]
        content = bytearray(64)
        offsets = {}
        for part in parts:
            content += bytes(-len(content) % 8)
            offsets[part.name] = len(content)
            content += part.content
        places, at = append_headers(parts, offsets, Strings(), content)
        places |= offsets | {"header": 0}
        content[:64] = struct.pack(
            "<16sHHIQQQIHHHHHH",
            b"\x7fELF\x02\x01\x01\x41\x08" + bytes(7),
            *(2, 190, 1, 0, 0, at, 0x06000004 | self.sm << 8, 64, 0, 0, 64),
            *(len(parts) + 2, len(parts) + 1),
        )
        return Built(content, places)

    def _parts(self) -> Iterator[Part]:
        yield Part(".strtab", 3)
        yield Part(".symtab", 2, link=".strtab", entry=24)
        note = self.sm if self.note_sm is None else self.note_sm
        yield Part(
            ".note.nv.cuinfo",
            7,
            struct.pack("<III12sHHI", 12, 8, 1000, b"NVIDIA Corp\0", 2, note, 130),
        )
        yield Part(".nv.info", 0x70000000)
        for kernel in self.kernels:
            block = kernel.parameter_bytes
            place = attribute(0x0A, struct.pack("<IHH", 1, kernel.base, block))
            records = kernel.records + (place + half(0x19, block) if block else b"")
            yield Part(f".nv.info.{kernel.name}", 0x70000000, records)
            yield Part(f".text.{kernel.name}", 1, bytes(128), flags=6)
            if kernel.shared is not None:
                yield Part(f".nv.shared.{kernel.name}", 8, flags=3, memory=kernel.shared)
            yield Part(f".nv.constant0.{kernel.name}", 1, bytes(kernel.base + block), flags=2)
        for name, size in self.sizes.items():
            filled = name in {".nv.global.init", ".nv.constant3"}
            yield Part(
                name,
                1 if filled else 8,
                bytes(size) if filled else b"",
                flags=3,
                memory=None if filled else size,
            )

    def _symbols(self, names: Strings, index: dict[str, int]) -> tuple[bytes, dict[str, int]]:
        rows = [bytes(24)]
        order: dict[str, int] = {}
        rows.append(symbol(names.offset(".nv.reservedSmem.offset0"), 0x21, size=4))
        for kernel in self.kernels:
            order[kernel.name] = len(rows)
            info = 0x02 if kernel.local else 0x12
            at = index[f".text.{kernel.name}"]
            rows.append(symbol(names.offset(kernel.name), info, other=0x10, section=at, size=128))
        rows.extend(
            symbol(
                names.offset(one.name),
                0x01,
                section=index[one.section],
                value=one.value,
                size=one.size,
            )
            for one in self.variables
        )
        rows.extend(symbol(names.offset(name), 0x12) for name in self.externs)
        rows.extend(
            symbol(names.offset(name), info, other=other, section=section)
            for name, info, other, section in self.other_symbols
        )
        return b"".join(rows), order

    def _words(self, order: dict[str, int]) -> Iterator[bytes]:
        for kernel in self.kernels:
            at = order[kernel.name]
            yield attribute(0x2F, struct.pack("<II", at, kernel.registers))
            yield attribute(0x11, struct.pack("<II", at, kernel.frame))
            yield attribute(0x12, struct.pack("<II", at, kernel.stack))
