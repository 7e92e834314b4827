"""Two searches through the bytes of a host library: system call instructions, and images carried as data."""

from bisect import bisect_right
from itertools import pairwise
from typing import Final

from evaluation.core.binary import elf
from evaluation.core.binary.elf import Image, Section, Symbol
from evaluation.core.binary.x86_length import instruction_length

_SYSTEM_CALLS: Final = (b"\x0f\x05", b"\x0f\x34", b"\xcd\x80")  # syscall, sysenter, int 0x80
_MAX_SITES: Final = 1000

_ELF: Final = b"\x7fELF"
_FATBIN: Final = b"\x50\xed\x55\xba"
_MACHINE_AT: Final = 18  # e_machine in an ELF header


def count_syscalls(image: Image, symbols: tuple[Symbol, ...]) -> int:
    """System call instructions in executable segments that start where a walk from the last function start arrives.

    At most 1,000 are counted. Work is linear in the code: each stretch between two known starts is walked once, and
    only if it holds one of the byte pairs at all.
    """
    starts = {one.value for one in symbols if one.defined and one.kind == elf.SYMBOL_FUNCTION}
    starts |= {one.address for one in image.sections if one.flags & elf.SECTION_FLAG_EXECUTABLE}
    found = 0
    for segment in image.segments:
        if segment.kind != elf.SEGMENT_LOAD or not segment.flags & elf.SEGMENT_FLAG_EXECUTABLE:
            continue
        code = image.content[segment.offset : segment.offset + segment.file_bytes]
        inside = {start - segment.address for start in starts}
        marks = sorted({0, len(code)} | {one for one in inside if 0 <= one < len(code)})
        for start, end in pairwise(marks):
            if found >= _MAX_SITES:
                return _MAX_SITES
            found += _count_in(code[start:end])
    return min(found, _MAX_SITES)


def _count_in(code: bytes) -> int:
    if not any(pair in code for pair in _SYSTEM_CALLS):
        return 0
    found = place = 0
    while place < len(code) and found < _MAX_SITES:
        found += code[place : place + 2] in _SYSTEM_CALLS
        place += instruction_length(code, place)
    return found


def find_images(image: Image) -> tuple[str, ...]:
    """ELF files, cubins and fat binaries inside the file, as ``kind in section``; one line a kind and section.

    The judge's own build puts none there: its ``.nv_fatbin`` holds sixteen zeros.
    """
    sections = sorted(
        (one for one in image.sections if one.has_bytes and one.size), key=lambda one: one.offset
    )
    offsets = [one.offset for one in sections]
    found: list[str] = []
    for magic in (_ELF, _FATBIN):
        place = image.content.find(magic, 1)
        while place >= 0:
            section = _covering(sections, offsets, place)
            found.append(f"{_kind(image, magic, place)} in {section.name if section else '?'}")
            place = image.content.find(magic, _next_start(sections, offsets, section, place))
    return tuple(dict.fromkeys(found))


def _kind(image: Image, magic: bytes, place: int) -> str:
    if magic == _FATBIN:
        return "fatbin"
    machine = image.content[place + _MACHINE_AT : place + _MACHINE_AT + 2]
    return "cubin" if machine == elf.MACHINE_CUDA.to_bytes(2, "little") else "elf"


def _covering(sections: list[Section], offsets: list[int], place: int) -> Section | None:
    index = bisect_right(offsets, place) - 1
    if index >= 0 and place < sections[index].offset + sections[index].size:
        return sections[index]
    return None


def _next_start(
    sections: list[Section], offsets: list[int], section: Section | None, place: int
) -> int:
    """Where the search goes on: one image a section is enough, and a file full of magics must not cost more."""
    if section is not None:
        return section.offset + section.size
    index = bisect_right(offsets, place)
    return sections[index].offset if index < len(sections) else elf.MAX_FILE_BYTES
