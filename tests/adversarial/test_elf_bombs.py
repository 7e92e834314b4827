"""Files made to cost time or memory: all limits at once. The suite's time limit ends a reader that is not linear."""

import struct

import pytest
from cubin_files import Cubin, Kernel
from elf_files import Built, Part
from library_files import ENTRY, Defined, Library, Undefined

from evaluation.core.binary import library_scan
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.binary.library import read_library
from evaluation.core.errors import InvalidInput

pytestmark = pytest.mark.timeout(60)


def refusal_of_cubin(built: Built) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_cubin(bytes(built.content))
    return caught.value.rule


def refusal_of_library(built: Built) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_library(bytes(built.content))
    return caught.value.rule


def test_a_cubin_of_eight_hundred_kernels_is_read() -> None:
    kernels = tuple(Kernel(f"kernel_{place}") for place in range(800))
    assert len(read_cubin(bytes(Cubin(kernels).build().content)).functions) == 800


def test_a_library_of_four_thousand_symbols_and_as_many_initialisers_is_read() -> None:
    names = [f"_GLOBAL__sub_I_{place}" for place in range(4000)]
    library = Library(
        text=bytes(2048),
        defined=(ENTRY, *(Defined(name, place % 2048) for place, name in enumerate(names))),
    )
    found = read_library(bytes(library.build().content))
    assert len(found.defined) == 4001


def test_many_names_at_one_initialiser_are_told_once() -> None:
    library = Library(
        defined=(ENTRY, *(Defined(f"alias_{place}", 8) for place in range(3000))),
        initialisers=("alias_0",) * 80,
    )
    assert len(read_library(bytes(library.build().content)).initialisers) == 3000


def test_sections_that_all_share_one_huge_string_are_refused() -> None:
    parts = tuple(Part(f"{'n' * 4000}{place}", 1) for place in range(1200))
    assert "names are longer than 4194304 bytes" in refusal_of_cubin(Cubin(extra=parts).build())


def test_a_string_table_without_any_end_costs_4096_bytes_a_name() -> None:
    names = Part(".long", 3, b"n" * (4 << 20))
    rows = Part(".rows", 2, struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0) * 4096, entry=24)
    built = Library(extra=(names, rows)).build()
    built.put("section .strtab", "<Q", built.places[".long"], add=24)
    built.put("section .strtab", "<Q", 4 << 20, add=32)
    assert "has no end within 4096 bytes" in refusal_of_library(built)


def test_a_file_full_of_magics_costs_one_line_a_section() -> None:
    library = Library(extra=(Part(".magics", 1, b"\x7fELF\x50\xed\x55\xba" * 1_000_000),))
    assert read_library(bytes(library.build().content)).images == (
        "elf in .magics",
        "fatbin in .magics",
    )


def test_magics_behind_the_last_section_cost_one_line() -> None:
    built = Library().build()
    built.content += b"\x7fELF" * 2_000_000
    assert read_library(bytes(built.content)).images == ("elf in ?",)


def test_segments_that_map_the_same_bytes_again_and_again_are_refused() -> None:
    built = Library().build()
    built.put("segment 1", "<Q", 0, add=8).put("segment 1", "<Q", 0x8000, add=16)
    built.put("segment 1", "<Q", len(built.content), add=32)
    built.put("segment 1", "<Q", 1 << 20, add=40)
    assert "load more bytes than the file has" in refusal_of_library(built)


def test_records_without_end_are_refused_by_size() -> None:
    kernels = tuple(
        Kernel(f"k{place}", records=b"\x01\x50\x00\x00" * 200_000) for place in range(12)
    )
    assert "records are over 8388608 bytes" in refusal_of_cubin(Cubin(kernels).build())


def test_a_version_table_that_circles_is_read_to_its_count() -> None:
    library = Library(undefined=(Undefined("printf", library="libc.so.6"),))
    built = library.build()
    built.put("dynamic 0x6fffffff", "<Q", 64, add=8)  # 64 files, each the next of itself
    found = read_library(bytes(built.content))
    assert [one.library for one in found.imports] == ["libc.so.6"]


def test_a_run_of_nothing_but_prefixes_is_walked_once() -> None:
    assert library_scan._count_in(b"\x66" * 100_000 + b"\x90\x0f\x05") == 1
