"""What a cubin says about its kernels, variables and externs; bytes in, CubinFacts out.

The cubin is our own compile of hostile source (rule R4), so its names are the author's and the rest is ptxas's; all of
it is read as if forged (rule T7).
"""

import struct
from typing import Final

from evaluation.core.binary import elf
from evaluation.core.binary.cubin_attributes import (
    FRAME_SIZE,
    MIN_STACK_SIZE,
    REGISTER_COUNT,
    read_function_words,
    read_kernel,
)
from evaluation.core.binary.elf import Image, Section, Symbol
from evaluation.core.binary.facts import CubinFacts, DeviceSymbol, KernelFunction

WHERE: Final = "cubin"

_ABI: Final = (
    0x41,
    8,
)  # OS ABI and ABI version of ptxas 13; other versions lay flags and records out differently
_ENTRY: Final = 0x10  # st_other of a __global__ function
_RESERVED_SHARED_BYTES: Final = (
    1024  # sm_90 and sm_100 keep the first KiB of each block's shared memory
)
_RESERVED_SHARED_PREFIX: Final = ".nv.reservedSmem."
_MAX_REGISTERS: Final = 255
_MAX_LOCAL_BYTES: Final = 512 << 10  # per thread, by the hardware since sm_30
_MAX_INFO_BYTES: Final = (
    8 << 20
)  # all .nv.info.* sections; hostile headers may let them share bytes
_SPACES: Final = {".nv.global": "global", ".nv.global.init": "global", ".nv.constant3": "constant"}
_NOTE_CUINFO: Final = struct.Struct("<III12sHHI")


def read_cubin(content: bytes) -> CubinFacts:
    """Read one cubin. Raise InvalidInput (``where`` is ``cubin``) for anything that ptxas would not write."""
    image = elf.read_image(content, where=WHERE)
    if (image.machine, image.kind) != (elf.MACHINE_CUDA, elf.TYPE_EXECUTABLE):
        raise image.refusal("header", "is not a linked CUDA image")
    if (image.abi, image.abi_version) != _ABI:
        raise image.refusal(
            "header",
            f"has ABI {image.abi:#x} version {image.abi_version}, {_ABI[0]:#x} version {_ABI[1]} expected",
        )
    sections = _sections_by_name(image)
    symbols = elf.read_symbols(image, _required(image, sections, ".symtab"))
    _check_names(image, symbols)
    device_symbols, overflowing, symbol_bytes = _device_symbols(image, symbols)
    return CubinFacts(
        sm=_architecture(image, sections),
        functions=_functions(image, sections, symbols),
        symbols=device_symbols,
        externs=_externs(symbols),
        global_bytes=max(
            symbol_bytes,
            sum(one.size for name, one in sections.items() if _SPACES.get(name) == "global"),
        ),
        overflowing=overflowing,
    )


def _sections_by_name(image: Image) -> dict[str, Section]:
    """Every name once: ptxas never repeats one, and each is relied upon."""
    by_name: dict[str, Section] = {}
    for section in image.sections:
        if section.name and by_name.setdefault(section.name, section) is not section:
            raise image.refusal(section.name, "two sections have this name")
    return by_name


def _required(image: Image, sections: dict[str, Section], name: str) -> Section:
    section = sections.get(name)
    if section is None:
        raise image.refusal(name, "the section is missing")
    return section


def _architecture(image: Image, sections: dict[str, Section]) -> int:
    """The sm number of the header's flags, which must be that of the note."""
    note = image.bytes_of(_required(image, sections, ".note.nv.cuinfo"), limit_bytes=64)
    if len(note) != _NOTE_CUINFO.size:
        raise image.refusal(
            ".note.nv.cuinfo", f"is {len(note)} bytes, {_NOTE_CUINFO.size} expected"
        )
    *head, owner, _, noted, _ = _NOTE_CUINFO.unpack(note)
    if head != [12, 8, 1000] or owner != b"NVIDIA Corp\0":
        raise image.refusal(".note.nv.cuinfo", "is not ptxas's note")
    flagged = image.flags >> 8 & 0xFF
    if flagged != noted:
        raise image.refusal("header", f"says sm_{flagged}, the note says sm_{noted}")
    return flagged


def _check_names(image: Image, symbols: tuple[Symbol, ...]) -> None:
    seen: set[str] = set()
    for symbol in symbols:
        if not symbol.name or symbol.kind == elf.SYMBOL_SECTION:
            continue
        if symbol.name in seen:
            raise image.refusal(symbol.name, "two symbols have this name")
        seen.add(symbol.name)


def _functions(
    image: Image, sections: dict[str, Section], symbols: tuple[Symbol, ...]
) -> tuple[KernelFunction, ...]:
    entries = [
        one
        for one in symbols
        if one.defined and one.kind == elf.SYMBOL_FUNCTION and one.other & _ENTRY
    ]
    infos = [_required(image, sections, f".nv.info.{one.name}") for one in entries]
    if sum(one.size for one in infos) > _MAX_INFO_BYTES:
        raise image.refusal(".nv.info", f"the kernels' records are over {_MAX_INFO_BYTES} bytes")
    words = read_function_words(image, _required(image, sections, ".nv.info"))
    return tuple(
        _function(image, sections, entry, info, words)
        for entry, info in zip(entries, infos, strict=True)
    )


def _function(
    image: Image,
    sections: dict[str, Section],
    entry: Symbol,
    info: Section,
    words: dict[int, dict[int, int]],
) -> KernelFunction:
    code = _required(image, sections, f".text.{entry.name}")
    whole = entry.section == code.index and entry.value == 0 and entry.size == code.size
    if not whole or not code.flags & elf.SECTION_FLAG_EXECUTABLE or not code.has_bytes:
        raise image.refusal(entry.name, "the kernel is not the whole of its own code section")
    if info.info != code.index:
        raise image.refusal(info.name, "does not belong to the kernel's code section")
    attributes = read_kernel(image, info)
    bank = _required(image, sections, f".nv.constant0.{entry.name}")
    base = bank.size if attributes.parameter_base is None else attributes.parameter_base
    if bank.size != base + attributes.parameter_bytes:
        raise image.refusal(bank.name, "does not end where the parameter block ends")
    registers = words[REGISTER_COUNT].get(entry.index)
    if registers is None or registers > _MAX_REGISTERS:
        raise image.refusal(entry.name, f"has a register count of {registers}")
    local_bytes = max(
        words[FRAME_SIZE].get(entry.index, 0), words[MIN_STACK_SIZE].get(entry.index, 0)
    )
    if local_bytes > _MAX_LOCAL_BYTES:
        raise image.refusal(entry.name, f"asks for {local_bytes} bytes of local memory a thread")
    return KernelFunction(
        name=entry.name,
        parameters=attributes.parameters,
        parameter_base=base,
        parameter_bytes=attributes.parameter_bytes,
        registers=registers,
        static_shared_bytes=_static_shared_bytes(image, sections, entry.name),
        local_bytes=local_bytes,
        max_threads=attributes.max_threads,
        cluster=attributes.cluster,
        code_bytes=code.size,
        required_block=attributes.required_block,
        grid_counts_clusters=attributes.grid_counts_clusters,
        barriers=attributes.barriers,
        max_cluster_blocks=attributes.max_cluster_blocks,
    )


def _static_shared_bytes(image: Image, sections: dict[str, Section], kernel: str) -> int:
    section = sections.get(f".nv.shared.{kernel}")
    if section is None:
        return 0
    if not _RESERVED_SHARED_BYTES <= section.size <= 1 << 20:
        raise image.refusal(
            section.name,
            f"is {section.size} bytes; the reserved {_RESERVED_SHARED_BYTES} come first",
        )
    return section.size - _RESERVED_SHARED_BYTES


def _device_symbols(
    image: Image, symbols: tuple[Symbol, ...]
) -> tuple[tuple[DeviceSymbol, ...], tuple[str, ...], int]:
    """The variables, the names of those that reach beyond their section, and the global bytes they need.

    ptxas 13.0 writes sizes of symbols in full but sizes of sections, and places inside them, modulo 4 GiB (rule R9).
    The driver goes by the symbols' sizes, so a lone array of 8 GiB works; what stands behind one shares its bytes.
    """
    found, overflowing, global_bytes = [], [], 0
    for symbol in symbols:
        if symbol.kind != elf.SYMBOL_OBJECT or not 0 < symbol.section < elf.INDEX_RESERVED:
            continue
        section = image.sections[symbol.section]
        space = _SPACES.get(section.name)
        if space is None:
            continue
        found.append(DeviceSymbol(symbol.name, space, symbol.size))
        if symbol.value + symbol.size > section.size:
            overflowing.append(symbol.name)
        if space == "global":
            global_bytes += symbol.size
    return tuple(found), tuple(overflowing), global_bytes


def _externs(symbols: tuple[Symbol, ...]) -> tuple[str, ...]:
    """Names that the driver would have to provide; not the markers of ptxas's own reserved shared memory."""
    return tuple(
        one.name
        for one in symbols
        if one.name
        and not one.defined
        and not (
            one.kind == elf.SYMBOL_OBJECT
            and one.binding == elf.BINDING_WEAK
            and one.name.startswith(_RESERVED_SHARED_PREFIX)
        )
    )
