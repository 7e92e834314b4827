"""Small shared libraries made by hand, laid out as GNU ld does it."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from elf_files import Built, Part, Strings, append_headers, symbol

PAGE = 4096
_INIT = bytes.fromhex("4883ec08488b05000000004885c07402ffd04883c408c3")
_FINI = bytes.fromhex("4883ec084883c408c3")


@dataclass(slots=True)
class Undefined:
    """An import; ``library`` with ``version`` makes it a versioned one."""

    name: str
    weak: bool = False
    library: str = ""
    version: str = "V1"


@dataclass(slots=True)
class Defined:
    """A function in .text unless ``section`` says otherwise; ``offset`` inside the section."""

    name: str
    offset: int = 0
    kind: int = 2
    exported: bool = False
    section: str = ".text"


ENTRY = Defined("__tvm_ffi_run", 0, exported=True)


@dataclass(slots=True)
class Library:
    """A shared library with four segments, file offsets equal to addresses."""

    needed: tuple[str, ...] = ("libc.so.6",)
    undefined: tuple[Undefined, ...] = (Undefined("__gmon_start__", weak=True),)
    defined: tuple[Defined, ...] = (ENTRY,)
    initialisers: tuple[
        str, ...
    ] = ()  # names of defined or undefined functions, or a number as text
    finalisers: tuple[str, ...] = ()
    init_code: bytes = _INIT
    fini_code: bytes = _FINI
    text: bytes = b"\xc3" * 64
    rodata: bytes = b"constants\0"
    data: bytes = bytes(16)
    tags: tuple[tuple[int, int], ...] = ((24, 0), (0x6FFFFFFB, 1))  # DT_BIND_NOW, DF_1_NOW
    strings: tuple[tuple[int, str], ...] = ()  # more dynamic entries that name a string
    relocations: tuple[tuple[int, int, int, int], ...] = ()  # offset in .data, kind, symbol, addend
    relro: bool = True
    extra: tuple[Part, ...] = ()

    def build(self) -> Built:
        return _Link(self).build()


class _Link:
    def __init__(self, library: Library) -> None:
        self.library = library
        self.dynstr = Strings()
        self.parts: list[Part] = []
        self.at: dict[str, int] = {}
        self.next = 0
        self.version_count = 0

    def _section(
        self, name: str, kind: int, content: bytes, flags: int, *, link: str = "", entry: int = 0
    ) -> int:
        """Place a section at the next free 8 bytes; its address and file offset."""
        self.next += -self.next % 8
        part = Part(name, kind, content, flags, self.next, link=link, entry=entry)
        self.parts.append(part)
        self.at[name] = self.next
        self.next += len(content)
        return part.address

    def build(self) -> Built:
        library = self.library
        exported = [one for one in library.defined if one.exported]
        names = [*(one.name for one in library.undefined), *(one.name for one in exported)]
        self.order = {name: place + 1 for place, name in enumerate(names)}
        # Code first, so that every address is known before the tables are filled.
        self.next = PAGE
        self._section(".init", 1, library.init_code, 6)
        self._section(".text", 1, library.text, 6)
        self._section(".fini", 1, library.fini_code, 6)
        code_end = self.next
        self.next = 2 * PAGE
        self._section(".rodata", 1, library.rodata, 2)
        constants_end = self.next
        self.next = 3 * PAGE
        self._section(".init_array", 14, bytes(8 * len(library.initialisers)), 3)
        self._section(".fini_array", 15, bytes(8 * len(library.finalisers)), 3)
        got = self._section(".got", 1, bytes(8), 3)
        self._section(".data", 1, library.data, 3)
        for loaded in (part for part in library.extra if part.flags & 2):
            self._section(loaded.name, loaded.kind, loaded.content, loaded.flags)
        dynamic_at = self.next + -self.next % 8
        displacement = got - (self.at[".init"] + 11)
        if library.init_code[4:7] == b"\x48\x8b\x05":
            patched = library.init_code[:7] + struct.pack("<i", displacement)
            self._part(".init").content = patched + library.init_code[11:]

        self.next = 64 + 6 * 56
        self._tables(exported, got)
        tables_end = self.next
        entries = list(self._entries())
        self.next = dynamic_at
        content = b"".join(struct.pack("<QQ", tag, value) for tag, value in entries)
        self._section(".dynamic", 6, content, 3, entry=16)
        data_end = self.next
        self._symbol_table()
        for idle in (part for part in library.extra if not part.flags & 2):
            self._section(idle.name, idle.kind, idle.content, 0, link=idle.link, entry=idle.entry)
        segments = [
            (1, 4, 0, tables_end),
            (1, 5, PAGE, code_end - PAGE),
            (1, 4, 2 * PAGE, constants_end - 2 * PAGE),
            (1, 6, 3 * PAGE, data_end - 3 * PAGE),
            (2, 6, dynamic_at, len(content)),
            (0x6474E552 if library.relro else 4, 4, 3 * PAGE, 64),
        ]
        return self._file(segments, entries, dynamic_at)

    def _part(self, name: str) -> Part:
        return next(one for one in self.parts if one.name == name)

    def _address(self, one: Defined) -> int:
        return self.at[one.section] + one.offset

    def _tables(self, exported: list[Defined], got: int) -> None:
        library = self.library
        self._hash_table(exported)
        rows = [bytes(24)]
        for one in library.undefined:
            info = 0x20 if one.weak else 0x12
            rows.append(symbol(self.dynstr.offset(one.name), info))
        rows.extend(
            symbol(
                self.dynstr.offset(one.name),
                0x10 | one.kind,
                section=1,
                value=self._address(one),
                size=8,
            )
            for one in exported
        )
        self._section(".dynsym", 11, b"".join(rows), 2, entry=24, link=".dynstr")
        libraries = list(
            dict.fromkeys((one.library, one.version) for one in library.undefined if one.library)
        )
        for text in (*library.needed, *(text for _, text in library.strings)):
            self.dynstr.offset(text)
        versions = [0]
        for one in library.undefined:
            known = (one.library, one.version)
            versions.append(libraries.index(known) + 2 if one.library else 1)
        versions += [1] * len(exported)
        needs = b""
        for place, (file, version) in enumerate(libraries):
            after = 32 if place + 1 < len(libraries) else 0
            needs += struct.pack("<HHIII", 1, 1, self.dynstr.offset(file), 16, after)
            needs += struct.pack("<IHHII", 0, 0, place + 2, self.dynstr.offset(version), 0)
        self.version_count = len(libraries)
        self._section(".dynstr", 3, bytes(self.dynstr.content), 2)
        self._section(".gnu.version", 0x6FFFFFFF, struct.pack(f"<{len(versions)}H", *versions), 2)
        self._section(".gnu.version_r", 0x6FFFFFFE, needs, 2)
        relocations = b"".join(self._relocation_rows(got))
        self._section(".rela.dyn", 4, relocations, 2, entry=24)

    def _hash_table(self, exported: list[Defined]) -> None:
        undefined = len(self.library.undefined)
        if exported:
            chain = [0] * (len(exported) - 1) + [1]
            table = struct.pack(
                f"<IIIIQI{len(chain)}I", 1, undefined + 1, 1, 0, 0, undefined + 1, *chain
            )
        else:
            table = struct.pack("<IIIIQI", 1, 1, 1, 0, 0, 0)
        self._section(".gnu.hash", 0x6FFFFFF6, table, 2)

    def _relocation_rows(self, got: int) -> Iterator[bytes]:
        library = self.library
        functions = {one.name: self._address(one) for one in library.defined}
        for array, names in (
            (".init_array", library.initialisers),
            (".fini_array", library.finalisers),
        ):
            for place, name in enumerate(names):
                slot = self.at[array] + 8 * place
                if name.isdigit():
                    part = self._part(array)
                    at = 8 * place
                    part.content = (
                        part.content[:at] + struct.pack("<Q", int(name)) + part.content[at + 8 :]
                    )
                elif name in functions:
                    yield struct.pack("<QIIq", slot, 8, 0, functions[name])
                else:
                    yield struct.pack("<QIIq", slot, 1, self.order[name], 0)
        if "__gmon_start__" in self.order:
            yield struct.pack("<QIIq", got, 6, self.order["__gmon_start__"], 0)
        for offset, kind, number, addend in library.relocations:
            yield struct.pack("<QIIq", self.at[".data"] + offset, kind, number, addend)

    def _entries(self) -> Iterator[tuple[int, int]]:
        library = self.library
        for name in library.needed:
            yield 1, self.dynstr.offset(name)
        for tag, text in library.strings:
            yield tag, self.dynstr.offset(text)
        yield 12, self.at[".init"]
        yield 13, self.at[".fini"]
        if library.initialisers:
            yield 25, self.at[".init_array"]
            yield 27, 8 * len(library.initialisers)
        if library.finalisers:
            yield 26, self.at[".fini_array"]
            yield 28, 8 * len(library.finalisers)
        yield 0x6FFFFEF5, self.at[".gnu.hash"]
        yield 5, self.at[".dynstr"]
        yield 6, self.at[".dynsym"]
        yield 10, len(self.dynstr.content)
        yield 11, 24
        yield 7, self.at[".rela.dyn"]
        yield 8, len(self._part(".rela.dyn").content)
        yield 9, 24
        yield 0x6FFFFFF0, self.at[".gnu.version"]
        if self.version_count:
            yield 0x6FFFFFFE, self.at[".gnu.version_r"]
            yield 0x6FFFFFFF, self.version_count
        yield from library.tags
        yield 0, 0

    def _symbol_table(self) -> None:
        names = Strings()
        rows = [bytes(24), symbol(names.offset("file.cpp"), 4, section=0xFFF1)]
        for one in self.library.defined:
            info = (0x10 if one.exported else 0) | one.kind
            rows.append(
                symbol(names.offset(one.name), info, section=1, value=self._address(one), size=8)
            )
        self._section(".symtab", 2, b"".join(rows), 0, entry=24, link=".strtab")
        self._section(".strtab", 3, bytes(names.content), 0)

    def _file(
        self,
        segments: list[tuple[int, int, int, int]],
        entries: list[tuple[int, int]],
        dynamic_at: int,
    ) -> Built:
        content = bytearray(self.next)
        for part in self.parts:
            content[part.address : part.address + len(part.content)] = part.content
        places, at = append_headers(self.parts, self.at, Strings(), content)
        places |= self.at | {"header": 0}
        for place, (kind, flags, start, size) in enumerate(segments):
            row = struct.pack("<IIQQQQQQ", kind, flags, start, start, start, size, size, PAGE)
            content[64 + 56 * place : 120 + 56 * place] = row
            places[f"segment {place}"] = 64 + 56 * place
        for place, (tag, _) in enumerate(entries):
            places.setdefault(f"dynamic {tag:#x}", dynamic_at + 16 * place)
        content[:64] = struct.pack(
            "<16sHHIQQQIHHHHHH",
            b"\x7fELF\x02\x01\x01" + bytes(9),
            *(3, 62, 1, 0, 64, at, 0, 64, 56, len(segments), 64),
            *(len(self.parts) + 2, len(self.parts) + 1),
        )
        return Built(content, places)
