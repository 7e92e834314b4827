"""What a linked host library says about itself; bytes in, LibraryFacts out.

The library was written by our linker from hostile objects, and is only ever loaded in the record jail (rule R1). These
facts feed the binary rules; none of them is a boundary.
"""

import hashlib
import struct
from typing import Final

from evaluation.core.binary import elf, elf_dynamic
from evaluation.core.binary.elf import Image, Symbol
from evaluation.core.binary.elf_dynamic import Dynamic, Relocation
from evaluation.core.binary.facts import Import, LibraryFacts
from evaluation.core.binary.library_scan import count_syscalls, find_images

WHERE: Final = "library"

_DF_TEXT_RELOCATIONS: Final = 4
_DF_BIND_NOW: Final = 8
_DF_1_NOW: Final = 1
_INITIALISERS: Final = (
    (elf_dynamic.PREINIT_ARRAY, elf_dynamic.PREINIT_ARRAY_BYTES),
    (elf_dynamic.INIT_ARRAY, elf_dynamic.INIT_ARRAY_BYTES),
)
_FINALISERS: Final = ((elf_dynamic.FINI_ARRAY, elf_dynamic.FINI_ARRAY_BYTES),)
_START_CODE: Final = ((elf_dynamic.INIT, ".init"), (elf_dynamic.FINI, ".fini"))
_MAX_POINTERS: Final = 4096  # of .ctors or .dtors
_MAX_IFUNCS: Final = 64  # one is already too many; a hostile table may hold thousands
_LIST_ENDS: Final = frozenset({0, (1 << 64) - 1})  # first and last word of .ctors and .dtors
_LOAD_SLOT: Final = b"\x48\x8b\x05"  # mov rax, [rip + 4 bytes]
_UNNAMED: Final = "?"


def read_library(content: bytes) -> LibraryFacts:
    """Read one shared library. Raise InvalidInput (``where`` is ``library``) for what our linker would not write."""
    image = elf.read_image(content, where=WHERE)
    if (image.machine, image.kind) != (elf.MACHINE_X86_64, elf.TYPE_SHARED):
        raise image.refusal("header", "is not a shared library for x86-64")
    dynamic = elf_dynamic.read_dynamic(image)
    table = image.section(".symtab")
    if table is None or table.kind != elf.SECTION_SYMTAB:
        raise image.refusal(".symtab", "is missing; the rules need the names of local definitions")
    symbols = elf.read_symbols(image, table)
    named = tuple(one for one in (*symbols, *dynamic.symbols) if one.name and one.defined)
    targets = _Targets(image, dynamic, symbols)
    return LibraryFacts(
        needed=dynamic.needed,
        runpaths=dynamic.runpaths,
        imports=tuple(
            Import(one.name, one.binding == elf.BINDING_WEAK, library)
            for one, library in zip(dynamic.symbols, dynamic.libraries, strict=True)
            if one.name and not one.defined
        ),
        exports=tuple(
            one.name
            for one in dynamic.symbols
            if one.name and one.defined and one.binding != elf.BINDING_LOCAL
        ),
        defined=_once(
            [one.name for one in named if one.kind not in {elf.SYMBOL_SECTION, elf.SYMBOL_FILE}]
        ),
        initialisers=targets.of_arrays(_INITIALISERS) + targets.of_list(".ctors"),
        finalisers=targets.of_arrays(_FINALISERS) + targets.of_list(".dtors"),
        init_sections=_start_code(image, dynamic),
        ifuncs=_ifuncs(named, dynamic),
        text_relocations=elf_dynamic.TEXT_RELOCATIONS in dynamic.single
        or dynamic.flag(elf_dynamic.FLAGS, _DF_TEXT_RELOCATIONS),
        bind_now=elf_dynamic.BIND_NOW in dynamic.single
        or dynamic.flag(elf_dynamic.FLAGS, _DF_BIND_NOW)
        or dynamic.flag(elf_dynamic.FLAGS_1, _DF_1_NOW),
        relro=any(one.kind == elf.SEGMENT_RELRO and one.memory_bytes for one in image.segments),
        syscall_sites=count_syscalls(image, symbols),
        images=find_images(image),
    )


def _once(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


class _Targets:
    """Which functions the loader calls through arrays of pointers, by relocation and symbol."""

    def __init__(self, image: Image, dynamic: Dynamic, symbols: tuple[Symbol, ...]) -> None:
        self._image = image
        self._dynamic = dynamic
        self._relocations: dict[int, Relocation] = {one.offset: one for one in dynamic.relocations}
        self._names: dict[int, list[str]] = {}
        for one in symbols:
            if one.name and one.defined and one.kind in _CALLED_KINDS:
                self._names.setdefault(one.value, []).append(one.name)

    def of_arrays(self, arrays: tuple[tuple[int, int], ...]) -> tuple[str, ...]:
        """Names behind each slot; all names of one address, so that an alias hides nothing."""
        slots = [
            slot
            for tag, size_tag in arrays
            for slot in elf_dynamic.read_slots(self._image, self._dynamic, tag, size_tag)
        ]
        return _once([name for slot in slots for name in self._behind(slot)])

    def of_list(self, section_name: str) -> tuple[str, ...]:
        """The same for an old-style section of pointers between two end marks."""
        section = self._image.section(section_name)
        if section is None:
            return ()
        if section.size % 8 or section.size > _MAX_POINTERS * 8:
            raise self._image.refusal(section_name, f"is not a list of {_MAX_POINTERS} pointers")
        slots = range(section.address, section.address + section.size, 8)
        return _once(
            [
                name
                for slot in slots
                if slot in self._relocations or self._word(slot) not in _LIST_ENDS
                for name in self._behind(slot)
            ]
        )

    def _behind(self, slot: int) -> list[str]:
        relocation = self._relocations.get(slot)
        if relocation is None:
            address = self._word(slot)
        elif relocation.symbol:
            symbol = self._dynamic.symbols[relocation.symbol]
            if not symbol.defined:
                return [symbol.name or _UNNAMED]
            address = symbol.value + relocation.addend
        else:
            address = relocation.addend
        return self._names.get(address, [_UNNAMED])

    def _word(self, slot: int) -> int:
        place = elf_dynamic.file_offset(self._image, slot, 8, key="pointers")
        return int.from_bytes(self._image.content[place : place + 8], "little")


_CALLED_KINDS: Final = frozenset({elf.SYMBOL_NOTYPE, elf.SYMBOL_FUNCTION, elf.SYMBOL_IFUNC})


def _start_code(image: Image, dynamic: Dynamic) -> tuple[tuple[str, str], ...]:
    """Hashes of ``.init`` and ``.fini``, which the loader enters at DT_INIT and DT_FINI."""
    hashes = []
    for tag, name in _START_CODE:
        section = image.section(name)
        entry = dynamic.single.get(tag)
        if entry is not None and (section is None or section.address != entry):
            raise image.refusal(name, "the loader would start somewhere else")
        if section is not None:
            code = image.bytes_of(section, limit_bytes=elf.MAX_FILE_BYTES)
            code = _without_displacement(code, section.address, dynamic)
            hashes.append((name, hashlib.sha256(code).hexdigest()))
    return tuple(hashes)


def _without_displacement(code: bytes, address: int, dynamic: Dynamic) -> bytes:
    """The start code with the distance to the slot of ``__gmon_start__`` zeroed: it differs with each link.

    Only where that slot really is filled with the undefined ``__gmon_start__``; a call to anything else stays visible.
    """
    place = code.find(_LOAD_SLOT)
    end = place + len(_LOAD_SLOT) + 4
    if place < 0 or end > len(code):
        return code
    (distance,) = struct.unpack_from("<i", code, end - 4)
    slot = address + end + distance
    for one in dynamic.relocations:
        symbol = dynamic.symbols[one.symbol]
        if (
            one.offset == slot
            and one.kind == elf_dynamic.RELOCATION_GLOB_DAT
            and symbol.name == "__gmon_start__"
            and not symbol.defined
        ):
            return code[: end - 4] + bytes(4) + code[end:]
    return code


def _ifuncs(named: tuple[Symbol, ...], dynamic: Dynamic) -> tuple[str, ...]:
    symbols = [one.name for one in named if one.kind == elf.SYMBOL_IFUNC]
    relocations = [
        f"IRELATIVE at {one.offset:#x}"
        for one in dynamic.relocations
        if one.kind == elf_dynamic.RELOCATION_IRELATIVE
    ]
    return _once(symbols + relocations)[:_MAX_IFUNCS]
