import struct
from collections.abc import Callable

import pytest
from elf_files import Built
from library_files import ENTRY, Defined, Library, Undefined

from evaluation.core.binary import elf, elf_dynamic
from evaluation.core.binary.elf_dynamic import Dynamic
from evaluation.core.errors import InvalidInput

LIBC = Undefined("printf", library="libc.so.6", version="GLIBC_2.2.5")
LIBC_NEWER = Undefined("pthread_once", library="libc.so.6", version="GLIBC_2.34")
LIBM = Undefined("sqrt", library="libm.so.6", version="GLIBC_2.2.5")


def dynamic(built: Built) -> Dynamic:
    return elf_dynamic.read_dynamic(elf.read_image(bytes(built.content), where="library"))


def refused(built: Built) -> str:
    with pytest.raises(InvalidInput) as caught:
        dynamic(built)
    return f"{caught.value.key}: {caught.value.rule}"


def test_needed_libraries_and_paths_come_from_the_dynamic_segment() -> None:
    found = dynamic(
        Library(needed=("libc.so.6", "libm.so.6"), strings=((15, "/a"), (29, "/b:/c"))).build()
    )
    assert found.needed == ("libc.so.6", "libm.so.6")
    assert found.runpaths == ("/a", "/b:/c")


@pytest.mark.parametrize("tag", [0x6FFFFEFA, 0x6FFFFEFB, 0x6FFFFEFC, 0x7FFFFFFD, 0x7FFFFFFF])
def test_every_entry_that_makes_the_loader_open_a_file_counts_as_needed(tag: int) -> None:
    assert dynamic(Library(strings=((tag, "libother.so"),)).build()).needed == (
        "libc.so.6",
        "libother.so",
    )


def test_symbols_know_the_library_that_their_version_belongs_to() -> None:
    found = dynamic(Library(undefined=(LIBC, Undefined("cudaMalloc"), LIBC_NEWER, LIBM)).build())
    assert [one.name for one in found.symbols] == [
        "",
        "printf",
        "cudaMalloc",
        "pthread_once",
        "sqrt",
        "__tvm_ffi_run",
    ]
    assert found.libraries == ("", "libc.so.6", "", "libc.so.6", "libm.so.6", "")


def test_without_a_version_table_no_symbol_has_a_library() -> None:
    built = Library(undefined=(LIBC,)).build()
    built.put("dynamic 0x6ffffff0", "<Q", 0x6FFFFFFD)
    assert dynamic(built).libraries == ("", "", "")


def test_relocations_of_both_tables_are_read() -> None:
    library = Library(relocations=((0, 8, 0, 0x1018), (8, 7, 1, 0)))
    built = library.build()
    size = built.get("dynamic 0x8", "<Q", add=8)
    start = built.get("dynamic 0x7", "<Q", add=8)
    library.tags = (*library.tags, (23, start + size - 24), (2, 24))
    built = library.build()
    start = built.get("dynamic 0x7", "<Q", add=8)
    built.put("dynamic 0x17", "<Q", start + 48, add=8).put("dynamic 0x8", "<Q", 48, add=8)
    found = dynamic(built).relocations
    assert [(one.kind, one.symbol, one.addend) for one in found] == [
        (6, 1, 0),
        (8, 0, 0x1018),
        (7, 1, 0),
    ]


def test_a_library_without_exports_has_an_empty_hash_table() -> None:
    found = dynamic(Library(defined=(Defined("local"),)).build())
    assert [one.name for one in found.symbols] == ["", "__gmon_start__"]


def test_flags_are_single_bits() -> None:
    found = dynamic(Library(tags=((30, 12),)).build())
    assert found.flag(30, 8)
    assert found.flag(30, 4)
    assert not found.flag(30, 16)
    assert not found.flag(0x6FFFFFFB, 1)


def _load_twice(built: Built) -> None:
    for segment in ("segment 1", "segment 2"):
        built.put(segment, "<Q", 0, add=8)
        built.put(segment, "<Q", 3 * 4096, add=32).put(segment, "<Q", 3 * 4096, add=40)


LOADS: tuple[tuple[str, Callable[[Built], object], str], ...] = (
    ("shared page", lambda b: b.put("segment 0", "<Q", 4097, add=40), "program headers: two segments share a page"),
    ("out of order", lambda b: b.put("segment 3", "<Q", 0, add=16), "program headers: two segments share a page"),
    ("other page offset", lambda b: b.put("segment 1", "<Q", 0x1010, add=16), "program headers: a segment cannot be mapped"),
    ("beyond the address space", lambda b: b.put("segment 3", "<Q", 1 << 47, add=40), "program headers: a segment cannot be mapped"),
    ("file twice", _load_twice, "program headers: load more bytes"),
)  # fmt: skip
DYNAMIC: tuple[tuple[str, Callable[[Built], object], str], ...] = (
    ("no segment", lambda b: b.put("segment 4", "<I", 4), "dynamic: 0 dynamic segments"),
    ("two segments", lambda b: b.put("segment 5", "<I", 2), "dynamic: 2 dynamic segments"),
    ("not loaded", lambda b: b.put("segment 4", "<Q", 0x9000, add=16), "dynamic: "),
    ("loaded from elsewhere", lambda b: b.put("segment 4", "<Q", 0x1000, add=8), "dynamic: the segment is not where"),
    ("odd size", lambda b: b.put("segment 4", "<Q", 40, add=32), "dynamic: the segment is not where"),
    ("section elsewhere", lambda b: b.put("section .dynamic", "<Q", 0x3000, add=16), ".dynamic: the section header disagrees"),
    ("no end", lambda b: b.put("dynamic 0x0", "<Q", 21), "dynamic: has no end"),
    ("twice", lambda b: b.put("dynamic 0xd", "<Q", 12), "dynamic: entry 0xc stands there twice"),
    ("DT_REL", lambda b: b.put("dynamic 0xd", "<Q", 17), "DT_REL: the judge's linker"),
    ("DT_RELR", lambda b: b.put("dynamic 0xd", "<Q", 36), "DT_RELR: the judge's linker"),
    ("symbol size", lambda b: b.put("dynamic 0xb", "<Q", 16, add=8), "dynamic: entry 11 gives a size"),
    ("relocation size", lambda b: b.put("dynamic 0x9", "<Q", 16, add=8), "dynamic: entry 9 gives a size"),
)  # fmt: skip
TABLES: tuple[tuple[str, Callable[[Built], object], str], ...] = (
    ("no strings", lambda b: b.put("dynamic 0x5", "<Q", 21), "dynamic: DT_STRTAB is missing"),
    ("no string size", lambda b: b.put("dynamic 0xa", "<Q", 21), "dynamic: DT_STRSZ is missing"),
    ("strings not loaded", lambda b: b.put("dynamic 0x5", "<Q", 1 << 40, add=8), "DT_STRTAB: "),
    ("strings writable", lambda b: b.put("dynamic 0x5", "<Q", 0x3000, add=8), "DT_STRTAB: "),
    ("strings moved", lambda b: b.put("dynamic 0x5", "<Q", 0x190, add=8), ".dynstr: the section header disagrees"),
    ("needed name far", lambda b: b.put("dynamic 0x1", "<Q", 9999, add=8), ".dynstr: name at 9999 lies outside"),
    ("no symbols", lambda b: b.put("dynamic 0x6", "<Q", 21), "dynamic: DT_SYMTAB is missing"),
    ("symbols moved", lambda b: b.put("dynamic 0x6", "<Q", 0x198, add=8), ".dynsym: the section header disagrees"),
    ("symbol section odd", lambda b: b.put("section .dynsym", "<Q", 71, add=32), ".dynsym: 71 bytes are not"),
    ("symbol section empty", lambda b: b.put("section .dynsym", "<Q", 0, add=32), ".dynsym: 0 bytes are not"),
    ("symbol section renamed", lambda b: b.put("section .dynsym", "<I", 0), ".dynsym: 0 bytes are not"),
    ("fewer symbols", lambda b: b.put("section .dynsym", "<Q", 48, add=32), ".dynsym: 2 symbols by the section, 3 by"),
    ("no hash", lambda b: b.put("dynamic 0x6ffffef5", "<Q", 21), "dynamic: DT_GNU_HASH is missing"),
    ("no buckets", lambda b: b.put(".gnu.hash", "<I", 0), "DT_GNU_HASH: has 0 buckets"),
    ("many buckets", lambda b: b.put(".gnu.hash", "<I", 4097), "DT_GNU_HASH: has 4097 buckets"),
    ("large filter", lambda b: b.put(".gnu.hash", "<I", 4097, add=8), "DT_GNU_HASH: has 1 buckets and 4097"),
    ("bucket before the first", lambda b: b.put(".gnu.hash", "<I", 1, add=24), "DT_GNU_HASH: reaches beyond"),
    ("bucket far", lambda b: b.put(".gnu.hash", "<I", 1 << 31, add=24), "DT_GNU_HASH: reaches beyond"),
    ("longer chain", lambda b: b.put(".gnu.hash", "<I", 0, add=28), ".dynsym: 3 symbols by the section, "),
    ("relocations odd", lambda b: b.put("dynamic 0x8", "<Q", 25, add=8), "relocations: 25 bytes"),
    ("relocations many", lambda b: b.put("dynamic 0x8", "<Q", 24 * 65_537, add=8), "relocations: 1572888 bytes"),
    ("relocations nowhere", lambda b: b.put("dynamic 0x7", "<Q", 21), "relocations: 24 bytes"),
    ("relocations not loaded", lambda b: b.put("dynamic 0x7", "<Q", 1 << 40, add=8), "relocations: "),
    ("relocation of no symbol", lambda b: b.put(".rela.dyn", "<I", 9, add=12), "relocations: name symbol 9 of 3"),
)  # fmt: skip
ALL = LOADS + DYNAMIC + TABLES


@pytest.mark.parametrize(("damage", "rule"), [one[1:] for one in ALL], ids=[one[0] for one in ALL])
def test_what_the_loader_would_see_differently_is_refused(
    damage: Callable[[Built], object], rule: str
) -> None:
    built = Library().build()
    damage(built)
    assert refused(built).startswith(rule)


def test_a_chain_that_runs_past_4096_symbols_is_refused() -> None:
    # The last page of the library is read-only data full of even words: a chain that never ends.
    built = Library(rodata=bytes(4000)).build()
    built.put("dynamic 0x6ffffef5", "<Q", 0x2000, add=8)
    built.write(".rodata", struct.pack("<IIIIQI", 1, 1, 1, 0, 0, 4090))
    assert refused(built).startswith("DT_GNU_HASH: ")


@pytest.mark.parametrize(
    ("place", "form", "value", "add", "rule"),
    [
        ("dynamic 0x6fffffff", "<Q", 65, 8, "DT_VERNEED: names 65 files, at most 64"),
        (".gnu.version_r", "<H", 1025, 2, "DT_VERNEED: names over 1024 versions"),
        (".gnu.version_r", "<I", 9999, 4, ".dynstr: name at 9999 lies outside"),
        (".gnu.version_r", "<I", 1 << 31, 8, "DT_VERNEED: 16 bytes at"),
        (".gnu.version_r", "<I", 1 << 31, 12, "DT_VERNEED: 16 bytes at"),
        (".gnu.version_r", "<H", 3, 16 + 6, "DT_VERNEED: gives version 3 to two files"),
        ("dynamic 0x6ffffffe", "<Q", 0x3000, 8, "DT_VERNEED: 16 bytes at"),
        ("dynamic 0x6ffffff0", "<Q", 0x3000, 8, "DT_VERSYM: 8 bytes at"),
    ],
)
def test_a_damaged_version_table_is_refused(
    place: str, form: str, value: int, add: int, rule: str
) -> None:
    built = Library(undefined=(LIBC, LIBM), defined=(ENTRY,)).build()
    assert refused(built.put(place, form, value, add=add)).startswith(rule)


def slots(built: Built) -> tuple[int, ...]:
    image = elf.read_image(bytes(built.content), where="library")
    found = elf_dynamic.read_dynamic(image)
    return elf_dynamic.read_slots(
        image, found, elf_dynamic.INIT_ARRAY, elf_dynamic.INIT_ARRAY_BYTES
    )


def test_slots_of_an_array_stand_eight_bytes_apart() -> None:
    built = Library(initialisers=("__tvm_ffi_run", "__tvm_ffi_run")).build()
    assert slots(built) == (0x3000, 0x3008)
    assert slots(Library().build()) == ()


@pytest.mark.parametrize(
    ("place", "value", "add", "rule"),
    [
        ("dynamic 0x19", 21, 0, "entries 25 and 27 give no array"),
        ("dynamic 0x1b", 12, 8, "entries 25 and 27 give no array"),
        ("dynamic 0x1b", 8 * 4097, 8, "entries 25 and 27 give no array"),
        ("dynamic 0x1b", 4096, 8, "4096 bytes at 0x3000 are not loaded"),
        ("dynamic 0x19", 1 << 40, 8, "8 bytes at 0x10000000000 are not loaded"),
    ],
)
def test_an_array_that_is_not_loaded_is_refused(
    place: str, value: int, add: int, rule: str
) -> None:
    built = Library(initialisers=("__tvm_ffi_run",)).build()
    with pytest.raises(InvalidInput, match=rule):
        slots(built.put(place, "<Q", value, add=add))
