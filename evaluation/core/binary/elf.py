"""A reader of ELF64 little-endian files for the parts the judge relies on. Every byte is taken as hostile.

Layouts follow the System V ABI, "Object Files" and "Program Loading"; sizes come from the headers and are checked
against the file. Work and memory are bounded by the limits below, whatever the file says.
"""

import struct
from dataclasses import dataclass, field
from typing import Final

from evaluation.core.errors import InvalidInput

MAX_FILE_BYTES: Final = 64 << 20
MAX_SECTIONS: Final = 4096
# Counted on a host library with <regex>, <filesystem>, <future>, streams and containers: 785 symbols, 299 bytes
# the longest name, 65 kB all names. On a cubin: five symbols and up to ten sections a kernel.
MAX_SYMBOLS: Final = 4096
MAX_SEGMENTS: Final = 64
MAX_NAME_BYTES: Final = 4096
MAX_TABLE_NAME_BYTES: Final = (
    4 << 20
)  # all names of one table; entries may share bytes of the string table

MACHINE_X86_64: Final = 62
MACHINE_CUDA: Final = 190
TYPE_EXECUTABLE: Final = 2
TYPE_SHARED: Final = 3

SECTION_NULL: Final = 0
SECTION_SYMTAB: Final = 2
SECTION_STRTAB: Final = 3
SECTION_NOBITS: Final = 8
SECTION_FLAG_EXECUTABLE: Final = 4

SEGMENT_LOAD: Final = 1
SEGMENT_DYNAMIC: Final = 2
SEGMENT_RELRO: Final = 0x6474E552
SEGMENT_FLAG_EXECUTABLE: Final = 1
SEGMENT_FLAG_WRITABLE: Final = 2

SYMBOL_NOTYPE: Final = 0
SYMBOL_OBJECT: Final = 1
SYMBOL_FUNCTION: Final = 2
SYMBOL_SECTION: Final = 3
SYMBOL_FILE: Final = 4
SYMBOL_IFUNC: Final = 10
BINDING_LOCAL: Final = 0
BINDING_WEAK: Final = 2
INDEX_UNDEFINED: Final = 0
INDEX_RESERVED: Final = 0xFF00
INDEX_EXTENDED: Final = 0xFFFF

SYMBOL_BYTES: Final = 24
_HEADER: Final = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_SEGMENT: Final = struct.Struct("<IIQQQQQQ")
_SYMBOL: Final = struct.Struct("<IBBHQQ")


@dataclass(frozen=True, slots=True)
class Section:
    """One section header; ``address``, ``offset`` and ``size`` in bytes."""

    index: int
    name: str
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    entry_bytes: int

    @property
    def has_bytes(self) -> bool:
        return self.kind not in {SECTION_NULL, SECTION_NOBITS}


@dataclass(frozen=True, slots=True)
class Segment:
    """One program header; sizes in bytes."""

    kind: int
    flags: int
    offset: int
    address: int
    file_bytes: int
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """One entry of a symbol table; ``section`` is the raw index, 0 where the symbol is undefined."""

    index: int
    name: str
    kind: int
    binding: int
    other: int
    section: int
    value: int
    size: int

    @property
    def defined(self) -> bool:
        return self.section != INDEX_UNDEFINED


@dataclass(frozen=True, slots=True)
class Image:
    """A file whose headers have been checked: every section and segment lies inside it."""

    where: str
    content: bytes = field(repr=False)
    machine: int
    kind: int
    abi: int
    abi_version: int
    flags: int
    sections: tuple[Section, ...]
    segments: tuple[Segment, ...]

    def refusal(self, key: str, rule: str) -> InvalidInput:
        return InvalidInput(where=self.where, key=key, rule=rule)

    def section(self, name: str) -> Section | None:
        """The only section of that name; a second one is refused, since readers would disagree about it."""
        found = [one for one in self.sections if one.name == name]
        if len(found) > 1:
            raise self.refusal(name, f"{len(found)} sections have this name, one is allowed")
        return found[0] if found else None

    def bytes_of(self, section: Section, *, limit_bytes: int) -> bytes:
        if not section.has_bytes:
            return b""
        if section.size > limit_bytes:
            raise self.refusal(section.name, f"is {section.size} bytes, at most {limit_bytes}")
        return self.content[section.offset : section.offset + section.size]


@dataclass(frozen=True, slots=True)
class StringTable:
    """NUL-ended names between two places of a file."""

    where: str
    key: str
    content: bytes = field(repr=False)
    start: int
    end: int

    def at(self, offset: int) -> str:
        """The name at ``offset``: printable UTF-8 of at most 4,096 bytes that ends inside the table."""
        begin = self.start + offset
        if begin >= self.end:
            raise self._refusal(f"name at {offset} lies outside the table")
        stop = self.content.find(b"\0", begin, min(self.end, begin + MAX_NAME_BYTES + 1))
        if stop < 0:
            raise self._refusal(f"name at {offset} has no end within {MAX_NAME_BYTES} bytes")
        try:
            name = self.content[begin:stop].decode()
        except UnicodeDecodeError:
            raise self._refusal(f"name at {offset} is not UTF-8") from None
        if not name.isprintable():
            raise self._refusal(f"name at {offset} holds characters that cannot be printed")
        return name

    def _refusal(self, rule: str) -> InvalidInput:
        return InvalidInput(where=self.where, key=self.key, rule=rule)


def read_image(content: bytes, *, where: str) -> Image:
    """Check the headers of an ELF64 little-endian file. Raise InvalidInput for anything out of place."""

    def refusal(key: str, rule: str) -> InvalidInput:
        return InvalidInput(where=where, key=key, rule=rule)

    if len(content) > MAX_FILE_BYTES:
        raise refusal("", f"is {len(content)} bytes, at most {MAX_FILE_BYTES}")
    if len(content) < _HEADER.size:
        raise refusal("header", "the file is shorter than an ELF header")
    (ident, kind, machine, version, _, segments_at, sections_at, flags, own, *counts) = (
        _HEADER.unpack_from(content)
    )
    segment_bytes, segment_count, section_bytes, section_count, names_index = counts
    if ident[:7] != b"\x7fELF\x02\x01\x01" or version != 1:
        raise refusal("header", "is not an ELF64 little-endian file of version 1")
    if own != _HEADER.size:
        raise refusal("header", f"says it is {own} bytes, {_HEADER.size} expected")
    if not 1 <= section_count <= MAX_SECTIONS or section_bytes != _SECTION.size:
        raise refusal(
            "section headers",
            f"{section_count} of {section_bytes} bytes, 1 to {MAX_SECTIONS} of {_SECTION.size} allowed",
        )
    if segment_count > MAX_SEGMENTS or (segment_count and segment_bytes != _SEGMENT.size):
        raise refusal(
            "program headers",
            f"{segment_count} of {segment_bytes} bytes, at most {MAX_SEGMENTS} of {_SEGMENT.size} allowed",
        )
    if sections_at + section_count * _SECTION.size > len(content):
        raise refusal("section headers", "lie outside the file")
    if segments_at + segment_count * _SEGMENT.size > len(content):
        raise refusal("program headers", "lie outside the file")
    return Image(
        where=where,
        content=content,
        machine=machine,
        kind=kind,
        abi=ident[7],
        abi_version=ident[8],
        flags=flags,
        sections=_sections(content, sections_at, section_count, names_index, where=where),
        segments=_segments(content, segments_at, segment_count, where=where),
    )


def _sections(
    content: bytes, start: int, count: int, names_index: int, *, where: str
) -> tuple[Section, ...]:
    rows = [_SECTION.unpack_from(content, start + i * _SECTION.size) for i in range(count)]
    for index, (_, kind, _, _, offset, size, *_) in enumerate(rows):
        outside = offset > len(content) or (
            kind not in {SECTION_NULL, SECTION_NOBITS} and offset + size > len(content)
        )
        if outside:
            raise InvalidInput(where=where, key=f"section {index}", rule="lies outside the file")
    if names_index >= count or rows[names_index][1] != SECTION_STRTAB:
        raise InvalidInput(where=where, key="header", rule="names no string table for the sections")
    names = StringTable(
        where, "section names", content, rows[names_index][4], sum(rows[names_index][4:6])
    )
    sections = tuple(
        Section(
            index=index,
            name=names.at(row[0]),
            kind=row[1],
            flags=row[2],
            address=row[3],
            offset=row[4],
            size=row[5],
            link=row[6],
            info=row[7],
            entry_bytes=row[9],
        )
        for index, row in enumerate(rows)
    )
    _check_name_bytes(sections, where=where, key="section names")
    return sections


def _segments(content: bytes, start: int, count: int, *, where: str) -> tuple[Segment, ...]:
    segments = []
    for index in range(count):
        kind, flags, offset, address, _, file_bytes, memory_bytes, _ = _SEGMENT.unpack_from(
            content, start + index * _SEGMENT.size
        )
        if offset + file_bytes > len(content):
            raise InvalidInput(where=where, key=f"segment {index}", rule="lies outside the file")
        if kind == SEGMENT_LOAD and file_bytes > memory_bytes:
            raise InvalidInput(
                where=where, key=f"segment {index}", rule="is larger in the file than in memory"
            )
        segments.append(Segment(kind, flags, offset, address, file_bytes, memory_bytes))
    return tuple(segments)


def read_symbols(image: Image, table: Section) -> tuple[Symbol, ...]:
    """All entries of a symbol table, entry 0 included, with the names of the string table it links to."""
    if table.entry_bytes != SYMBOL_BYTES or table.size % SYMBOL_BYTES:
        raise image.refusal(table.name, f"entries are not {SYMBOL_BYTES} bytes each")
    count = table.size // SYMBOL_BYTES
    if not 1 <= count <= MAX_SYMBOLS or not table.has_bytes:
        raise image.refusal(table.name, f"{count} symbols, 1 to {MAX_SYMBOLS} are allowed")
    if table.link >= len(image.sections) or image.sections[table.link].kind != SECTION_STRTAB:
        raise image.refusal(table.name, "links to no string table")
    strings = image.sections[table.link]
    names = StringTable(
        image.where, strings.name, image.content, strings.offset, strings.offset + strings.size
    )
    return symbols_at(image, table.offset, count, names, key=table.name)


def symbols_at(
    image: Image, offset: int, count: int, names: StringTable, *, key: str
) -> tuple[Symbol, ...]:
    """``count`` symbols at a place of the file that the caller has checked."""
    symbols = []
    for index in range(count):
        name, info, other, section, value, size = _SYMBOL.unpack_from(
            image.content, offset + index * SYMBOL_BYTES
        )
        if section == INDEX_EXTENDED or len(image.sections) <= section < INDEX_RESERVED:
            raise image.refusal(
                key, f"symbol {index} names section {section}, which does not exist"
            )
        symbols.append(
            Symbol(index, names.at(name), info & 0xF, info >> 4, other, section, value, size)
        )
    _check_name_bytes(symbols, where=image.where, key=key)
    return tuple(symbols)


def _check_name_bytes(named: tuple[Section, ...] | list[Symbol], *, where: str, key: str) -> None:
    total = sum(len(one.name) for one in named)
    if total > MAX_TABLE_NAME_BYTES:
        raise InvalidInput(
            where=where, key=key, rule=f"names are longer than {MAX_TABLE_NAME_BYTES} bytes in all"
        )
