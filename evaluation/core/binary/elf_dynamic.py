"""What the loader will see of a shared library: the dynamic segment, read through the program headers.

Section headers are for linkers and debuggers; the loader never looks at them, so a file could show one thing there and
do another. Every table is therefore found by its DT_ entry and PT_LOAD segment, and must agree with the section of
the same purpose where there is one.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from evaluation.core.binary import elf
from evaluation.core.binary.elf import Image, Segment, StringTable, Symbol

_PAGE: Final = 4096
_MAX_ENTRIES: Final = 512
_MAX_RELOCATIONS: Final = 65_536  # 700 in a library that uses most of the standard library
_MAX_SLOTS: Final = 4096
_MAX_VERSION_FILES: Final = 64
_MAX_VERSIONS: Final = 1024

NEEDED: Final = 1
PLT_BYTES: Final = 2
STRING_TABLE: Final = 5
SYMBOL_TABLE: Final = 6
RELOCATIONS: Final = 7
RELOCATION_BYTES: Final = 8
RELOCATION_ENTRY: Final = 9
STRING_BYTES: Final = 10
SYMBOL_ENTRY: Final = 11
INIT: Final = 12
FINI: Final = 13
RPATH: Final = 15
REL: Final = 17
TEXT_RELOCATIONS: Final = 22
PLT_RELOCATIONS: Final = 23
BIND_NOW: Final = 24
INIT_ARRAY: Final = 25
FINI_ARRAY: Final = 26
INIT_ARRAY_BYTES: Final = 27
FINI_ARRAY_BYTES: Final = 28
RUNPATH: Final = 29
FLAGS: Final = 30
PREINIT_ARRAY: Final = 32
PREINIT_ARRAY_BYTES: Final = 33
RELR: Final = 36
GNU_HASH: Final = 0x6FFFFEF5
CONFIG: Final = 0x6FFFFEFA
DEPAUDIT: Final = 0x6FFFFEFB
AUDIT: Final = 0x6FFFFEFC
VERSION_SYMBOLS: Final = 0x6FFFFFF0
FLAGS_1: Final = 0x6FFFFFFB
VERSIONS_NEEDED: Final = 0x6FFFFFFE
VERSIONS_NEEDED_COUNT: Final = 0x6FFFFFFF
AUXILIARY: Final = 0x7FFFFFFD
FILTER: Final = 0x7FFFFFFF

# Each names a file that the loader opens too, so each counts as a needed library.
_LOADING: Final = frozenset({NEEDED, CONFIG, DEPAUDIT, AUDIT, AUXILIARY, FILTER})
_REPEATED: Final = _LOADING | {RPATH, RUNPATH}

RELOCATION_GLOB_DAT: Final = 6
RELOCATION_IRELATIVE: Final = 37

_RELOCATION: Final = struct.Struct("<QIIq")
_VERSION_FILE: Final = struct.Struct("<HHIII")
_VERSION: Final = struct.Struct("<IHHII")


@dataclass(frozen=True, slots=True)
class Relocation:
    """One RELA entry; ``symbol`` is an index into the dynamic symbols."""

    offset: int
    kind: int
    symbol: int
    addend: int


@dataclass(frozen=True, slots=True)
class Dynamic:
    """The dynamic segment and the tables it points to, all inside read-only loaded bytes."""

    needed: tuple[str, ...]
    runpaths: tuple[str, ...]
    single: dict[int, int]  # every other entry, by tag
    symbols: tuple[Symbol, ...]
    libraries: tuple[str, ...]  # for each symbol the file its version names, else ""
    relocations: tuple[Relocation, ...]

    def flag(self, tag: int, bit: int) -> bool:
        return bool(self.single.get(tag, 0) & bit)


def read_dynamic(image: Image) -> Dynamic:
    """Read the one dynamic segment. Raise InvalidInput where it is missing, inconsistent or over a limit."""
    _check_loads(image)
    entries = _entries(image)
    single = _single(image, entries)
    for tag, name in ((REL, "DT_REL"), (RELR, "DT_RELR")):
        if tag in single:
            raise image.refusal(name, "the judge's linker does not write such relocations")
    for tag, size in ((SYMBOL_ENTRY, elf.SYMBOL_BYTES), (RELOCATION_ENTRY, _RELOCATION.size)):
        if single.get(tag, size) != size:
            raise image.refusal("dynamic", f"entry {tag} gives a size other than {size}")
    names = _strings(image, single)
    symbols = _symbols(image, single, names)
    return Dynamic(
        needed=tuple(names.at(value) for tag, value in entries if tag in _LOADING),
        runpaths=tuple(names.at(value) for tag, value in entries if tag in {RPATH, RUNPATH}),
        single=single,
        symbols=symbols,
        libraries=_version_files(image, single, names, len(symbols)),
        relocations=(
            *_relocations(image, single, RELOCATIONS, RELOCATION_BYTES, len(symbols)),
            *_relocations(image, single, PLT_RELOCATIONS, PLT_BYTES, len(symbols)),
        ),
    )


def read_slots(image: Image, dynamic: Dynamic, tag: int, size_tag: int) -> tuple[int, ...]:
    """Addresses of the 8-byte slots of an array such as DT_INIT_ARRAY; empty where there is none."""
    start, size = dynamic.single.get(tag), dynamic.single.get(size_tag, 0)
    if start is None and size == 0:
        return ()
    if start is None or size % 8 or size > _MAX_SLOTS * 8:
        raise image.refusal("dynamic", f"entries {tag} and {size_tag} give no array of pointers")
    file_offset(image, start, size, key=f"array of entry {tag}")
    return tuple(range(start, start + size, 8))


def file_offset(
    image: Image,
    address: int,
    size: int,
    *,
    key: str,
    allowed: Callable[[Segment], bool] = lambda _: True,
) -> int:
    """Where in the file the loaded bytes [address, address + size) come from; they must lie in one segment."""
    for segment in image.segments:
        if (
            segment.kind == elf.SEGMENT_LOAD
            and segment.address <= address
            and address + size <= segment.address + segment.file_bytes
            and allowed(segment)
        ):
            return segment.offset + address - segment.address
    raise image.refusal(
        key, f"{size} bytes at {address:#x} are not loaded from the file as they should be"
    )


def _read_only(segment: Segment) -> bool:
    return not segment.flags & elf.SEGMENT_FLAG_WRITABLE


def _check_loads(image: Image) -> None:
    """No page is mapped twice, so that what we read at an address is what the process will see there."""
    next_page = 0
    loads = [one for one in image.segments if one.kind == elf.SEGMENT_LOAD]
    if sum(one.file_bytes for one in loads) > len(image.content):
        raise image.refusal("program headers", "load more bytes than the file has")
    for segment in loads:
        end = segment.address + segment.memory_bytes
        first_page = segment.address // _PAGE
        if end >= 1 << 47 or (segment.address - segment.offset) % _PAGE:
            raise image.refusal("program headers", "a segment cannot be mapped where it says")
        if first_page < next_page:
            raise image.refusal(
                "program headers", "two segments share a page or stand out of order"
            )
        next_page = -(-end // _PAGE)


def _entries(image: Image) -> tuple[tuple[int, int], ...]:
    found = [one for one in image.segments if one.kind == elf.SEGMENT_DYNAMIC]
    if len(found) != 1:
        raise image.refusal("dynamic", f"{len(found)} dynamic segments, one is allowed")
    segment = found[0]
    start = file_offset(image, segment.address, segment.file_bytes, key="dynamic")
    if start != segment.offset or segment.file_bytes % 16:
        raise image.refusal("dynamic", "the segment is not where it is loaded from")
    _check_section(image, ".dynamic", segment.address, segment.file_bytes)
    entries: list[tuple[int, int]] = []
    for place in range(start, start + min(segment.file_bytes, _MAX_ENTRIES * 16), 16):
        tag, value = struct.unpack_from("<QQ", image.content, place)
        if tag == 0:
            return tuple(entries)
        entries.append((tag, value))
    raise image.refusal("dynamic", f"has no end within {_MAX_ENTRIES} entries")


def _single(image: Image, entries: tuple[tuple[int, int], ...]) -> dict[int, int]:
    single: dict[int, int] = {}
    for tag, value in entries:
        if tag in _REPEATED:
            continue
        if tag in single:
            raise image.refusal("dynamic", f"entry {tag:#x} stands there twice")
        single[tag] = value
    return single


def _required(image: Image, single: dict[int, int], tag: int, name: str) -> int:
    value = single.get(tag)
    if value is None:
        raise image.refusal("dynamic", f"{name} is missing")
    return value


def _check_section(image: Image, name: str, address: int, size: int) -> None:
    section = image.section(name)
    if section is None or (section.address, section.size) != (address, size):
        raise image.refusal(name, "the section header disagrees with the dynamic segment")


def _strings(image: Image, single: dict[int, int]) -> StringTable:
    address = _required(image, single, STRING_TABLE, "DT_STRTAB")
    size = _required(image, single, STRING_BYTES, "DT_STRSZ")
    start = file_offset(image, address, size, key="DT_STRTAB", allowed=_read_only)
    _check_section(image, ".dynstr", address, size)
    return StringTable(image.where, ".dynstr", image.content, start, start + size)


def _symbols(image: Image, single: dict[int, int], names: StringTable) -> tuple[Symbol, ...]:
    """DT_SYMTAB has no size of its own: the section gives one, and the hash table must agree."""
    address = _required(image, single, SYMBOL_TABLE, "DT_SYMTAB")
    section = image.section(".dynsym")
    size = section.size if section else 0
    count = size // elf.SYMBOL_BYTES
    if size % elf.SYMBOL_BYTES or not 1 <= count <= elf.MAX_SYMBOLS:
        raise image.refusal(".dynsym", f"{size} bytes are not 1 to {elf.MAX_SYMBOLS} symbols")
    start = file_offset(image, address, size, key="DT_SYMTAB", allowed=_read_only)
    _check_section(image, ".dynsym", address, size)
    hashed = _hashed_symbols(image, _required(image, single, GNU_HASH, "DT_GNU_HASH"))
    if hashed is not None and hashed != count:
        raise image.refusal(
            ".dynsym", f"{count} symbols by the section, {hashed} by the hash table"
        )
    return elf.symbols_at(image, start, count, names, key=".dynsym")


def _hashed_symbols(image: Image, address: int) -> int | None:
    """One more than the highest symbol that a GNU hash table reaches; None where it is empty."""
    start = file_offset(image, address, 16, key="DT_GNU_HASH", allowed=_read_only)
    buckets, first, bloom_words, _ = struct.unpack_from("<IIII", image.content, start)
    if not 1 <= buckets <= elf.MAX_SYMBOLS or bloom_words > elf.MAX_SYMBOLS:
        raise image.refusal("DT_GNU_HASH", f"has {buckets} buckets and {bloom_words} filter words")
    at = address + 16 + 8 * bloom_words
    place = file_offset(image, at, 4 * buckets, key="DT_GNU_HASH", allowed=_read_only)
    last: int = max(struct.unpack_from(f"<{buckets}I", image.content, place))
    if last == 0:
        return None
    chains = at + 4 * buckets
    while last < elf.MAX_SYMBOLS and last >= first:
        place = file_offset(
            image, chains + 4 * (last - first), 4, key="DT_GNU_HASH", allowed=_read_only
        )
        last += 1
        if image.content[place] & 1:
            return last
    raise image.refusal(
        "DT_GNU_HASH", f"reaches beyond {elf.MAX_SYMBOLS} symbols or before its first"
    )


def _relocations(
    image: Image, single: dict[int, int], tag: int, size_tag: int, symbols: int
) -> tuple[Relocation, ...]:
    address, size = single.get(tag), single.get(size_tag, 0)
    if address is None and size == 0:
        return ()
    if address is None or size % _RELOCATION.size or size > _MAX_RELOCATIONS * _RELOCATION.size:
        raise image.refusal("relocations", f"{size} bytes of them are not 1 to {_MAX_RELOCATIONS}")
    start = file_offset(image, address, size, key="relocations", allowed=_read_only)
    rows = _RELOCATION.iter_unpack(image.content[start : start + size])
    found = tuple(Relocation(offset, kind, symbol, addend) for offset, kind, symbol, addend in rows)
    beyond = next((one.symbol for one in found if one.symbol >= symbols), None)
    if beyond is not None:
        raise image.refusal("relocations", f"name symbol {beyond} of {symbols}")
    return found


def _version_files(
    image: Image, single: dict[int, int], names: StringTable, symbols: int
) -> tuple[str, ...]:
    """For each symbol the library that its version belongs to, by DT_VERSYM and DT_VERNEED; else empty."""
    if VERSION_SYMBOLS not in single:
        return ("",) * symbols
    files = _needed_versions(image, single, names)
    start = file_offset(
        image, single[VERSION_SYMBOLS], 2 * symbols, key="DT_VERSYM", allowed=_read_only
    )
    indexes = struct.unpack_from(f"<{symbols}H", image.content, start)
    return tuple(files.get(index & 0x7FFF, "") for index in indexes)


def _needed_versions(image: Image, single: dict[int, int], names: StringTable) -> dict[int, str]:
    files: dict[int, str] = {}
    count = single.get(VERSIONS_NEEDED_COUNT, 0)
    if count > _MAX_VERSION_FILES:
        raise image.refusal("DT_VERNEED", f"names {count} files, at most {_MAX_VERSION_FILES}")
    at = single.get(VERSIONS_NEEDED, 0)
    total = 0
    for _ in range(count):
        place = file_offset(image, at, _VERSION_FILE.size, key="DT_VERNEED", allowed=_read_only)
        _, versions, name, first, after = _VERSION_FILE.unpack_from(image.content, place)
        total += versions
        if total > _MAX_VERSIONS:
            raise image.refusal("DT_VERNEED", f"names over {_MAX_VERSIONS} versions")
        file = names.at(name)
        version_at = at + first
        for _ in range(versions):
            place = file_offset(
                image, version_at, _VERSION.size, key="DT_VERNEED", allowed=_read_only
            )
            _, _, index, _, step = _VERSION.unpack_from(image.content, place)
            if files.setdefault(index & 0x7FFF, file) != file:
                raise image.refusal("DT_VERNEED", f"gives version {index} to two files")
            version_at += step
        at += after
    return files
