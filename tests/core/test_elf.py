import struct
from collections.abc import Callable

import pytest
from cubin_files import Cubin, Kernel
from elf_files import Built, Part
from library_files import Library

from evaluation.core.binary import elf
from evaluation.core.errors import InvalidInput


def library() -> Built:
    return Library().build()


def refused(built: Built) -> str:
    with pytest.raises(InvalidInput) as caught:
        elf.read_image(bytes(built.content), where="library")
    assert caught.value.where == "library"
    return f"{caught.value.key}: {caught.value.rule}"


def test_headers_of_a_library_are_read_as_written() -> None:
    image = elf.read_image(bytes(library().content), where="library")
    assert (image.machine, image.kind, image.abi) == (62, 3, 0)
    assert [one.name for one in image.sections[:5]] == ["", ".init", ".text", ".fini", ".rodata"]
    text = image.section(".text")
    assert text is not None
    assert (text.kind, text.flags, text.address, text.size) == (1, 6, 0x1018, 64)
    assert [one.kind for one in image.segments] == [1, 1, 1, 1, 2, 0x6474E552]
    assert image.section(".nowhere") is None


def test_bytes_of_a_section_are_its_bytes_in_the_file() -> None:
    image = elf.read_image(bytes(library().content), where="library")
    rodata = image.section(".rodata")
    assert rodata is not None
    assert image.bytes_of(rodata, limit_bytes=100) == b"constants\0"
    with pytest.raises(InvalidInput, match="is 10 bytes, at most 9"):
        image.bytes_of(rodata, limit_bytes=9)


def test_a_section_without_bytes_in_the_file_may_be_of_any_size() -> None:
    built = Cubin((Kernel("k"),), sizes={".nv.global": 1 << 40}).build()
    image = elf.read_image(bytes(built.content), where="cubin")
    section = image.section(".nv.global")
    assert section is not None
    assert section.size == 1 << 40
    assert image.bytes_of(section, limit_bytes=1) == b""


def test_a_name_that_two_sections_have_is_refused_when_it_is_asked_for() -> None:
    built = Library(extra=(Part(".twice", 1, b"a"), Part(".twice", 1, b"b"))).build()
    image = elf.read_image(bytes(built.content), where="library")
    with pytest.raises(InvalidInput, match=r"\.twice: 2 sections have this name"):
        image.section(".twice")


DAMAGE: tuple[tuple[str, Callable[[Built], object], str], ...] = (
    ("magic", lambda b: b.write("header", b"\x7fELG"), "header: is not an ELF64"),
    ("32 bits", lambda b: b.put("header", "B", 1, add=4), "header: is not an ELF64"),
    ("big endian", lambda b: b.put("header", "B", 2, add=5), "header: is not an ELF64"),
    ("version", lambda b: b.put("header", "<I", 2, add=20), "header: is not an ELF64"),
    ("own size", lambda b: b.put("header", "<H", 52, add=52), "header: says it is 52 bytes"),
    ("no sections", lambda b: b.put("header", "<H", 0, add=60), "section headers: 0 of 64"),
    ("4097 sections", lambda b: b.put("header", "<H", 4097, add=60), "section headers: 4097 of 64"),
    ("section size", lambda b: b.put("header", "<H", 40, add=58), "section headers: 19 of 40"),
    ("65 segments", lambda b: b.put("header", "<H", 65, add=56), "program headers: 65 of 56"),
    ("segment size", lambda b: b.put("header", "<H", 32, add=54), "program headers: 6 of 32"),
    ("sections far", lambda b: b.put("header", "<Q", 1 << 63, add=40), "section headers: lie outside"),
    ("segments far", lambda b: b.put("header", "<Q", 1 << 63, add=32), "program headers: lie outside"),
    ("names beyond", lambda b: b.put("header", "<H", 99, add=62), "header: names no string table"),
    ("names no table", lambda b: b.put("header", "<H", 2, add=62), "header: names no string table"),
    ("section far", lambda b: b.put("section .text", "<Q", 1 << 40, add=24), "section 2: lies outside"),
    ("section long", lambda b: b.put("section .text", "<Q", 1 << 40, add=32), "section 2: lies outside"),
    ("name far", lambda b: b.put("section .text", "<I", 1 << 20, add=0), "section names: name at 1048576 lies outside"),
    ("segment long", lambda b: b.put("segment 1", "<Q", 1 << 40, add=32), "segment 1: lies outside"),
    ("segment shrinks", lambda b: b.put("segment 1", "<Q", 1, add=40), "segment 1: is larger in the file"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "rule"), [one[1:] for one in DAMAGE], ids=[one[0] for one in DAMAGE]
)
def test_a_header_out_of_place_is_refused(damage: Callable[[Built], object], rule: str) -> None:
    built = library()
    damage(built)
    assert refused(built).startswith(rule)


def test_a_file_shorter_than_a_header_is_refused() -> None:
    with pytest.raises(InvalidInput, match="shorter than an ELF header"):
        elf.read_image(b"\x7fELF", where="library")


def test_a_file_over_64_mib_is_refused_before_anything_is_read() -> None:
    with pytest.raises(InvalidInput, match="is 67108865 bytes, at most 67108864"):
        elf.read_image(bytes((64 << 20) + 1), where="library")


def test_an_image_without_program_headers_needs_no_size_for_them() -> None:
    built = Cubin((Kernel("k"),)).build()
    assert elf.read_image(bytes(built.content), where="cubin").segments == ()


def table(content: bytes) -> elf.StringTable:
    return elf.StringTable("library", ".strtab", content, 0, len(content))


def test_a_name_ends_at_its_nul_inside_the_table() -> None:
    names = table(b"\0first\0second\0")
    assert (names.at(0), names.at(1), names.at(7), names.at(9)) == ("", "first", "second", "cond")


def test_names_may_be_unicode_since_identifiers_may() -> None:
    assert table("\0größe\0".encode()).at(1) == "größe"


@pytest.mark.parametrize(
    ("content", "offset", "rule"),
    [
        (b"\0abc\0", 5, "lies outside"),
        (b"\0abc", 1, "has no end"),
        (b"a" * 5000 + b"\0", 0, "has no end within 4096 bytes"),
        (b"\xff\xfe\0", 0, "is not UTF-8"),
        (b"a\nb\0", 0, "cannot be printed"),
        (b"\x1b[31m\0", 0, "cannot be printed"),
        ("\u202ereverse\0".encode(), 0, "cannot be printed"),
    ],
)
def test_a_name_that_could_mislead_a_reader_is_refused(
    content: bytes, offset: int, rule: str
) -> None:
    with pytest.raises(InvalidInput, match=rule):
        table(content).at(offset)


def test_a_name_of_4096_bytes_is_the_longest() -> None:
    assert table(b"a" * 4096 + b"\0").at(0) == "a" * 4096


def symbols_of(built: Built) -> tuple[elf.Symbol, ...]:
    image = elf.read_image(bytes(built.content), where="library")
    section = image.section(".symtab")
    assert section is not None
    return elf.read_symbols(image, section)


def test_symbols_are_read_with_their_names_and_places() -> None:
    found = symbols_of(library())
    assert [(one.name, one.kind, one.binding, one.section) for one in found] == [
        ("", 0, 0, 0),
        ("file.cpp", 4, 0, 0xFFF1),
        ("__tvm_ffi_run", 2, 1, 1),
    ]
    assert [one.defined for one in found] == [False, True, True]
    assert (found[2].value, found[2].size) == (0x1018, 8)


@pytest.mark.parametrize(
    ("place", "form", "value", "add", "rule"),
    [
        ("section .symtab", "<Q", 16, 56, "entries are not 24 bytes"),
        ("section .symtab", "<Q", 71, 32, "entries are not 24 bytes"),
        ("section .symtab", "<Q", 0, 32, "0 symbols, 1 to 4096"),
        ("section .symtab", "<I", 8, 4, "3 symbols, 1 to 4096"),
        ("section .symtab", "<I", 99, 40, "links to no string table"),
        ("section .symtab", "<I", 1, 40, "links to no string table"),
        (".symtab", "<H", 99, 48 + 6, "symbol 2 names section 99"),
        (".symtab", "<H", 0xFFFF, 48 + 6, "symbol 2 names section 65535"),
        (".symtab", "<I", 9999, 48, "name at 9999 lies outside"),
    ],
)
def test_a_damaged_symbol_table_is_refused(
    place: str, form: str, value: int, add: int, rule: str
) -> None:
    with pytest.raises(InvalidInput, match=rule):
        symbols_of(library().put(place, form, value, add=add))


def test_a_table_of_4097_symbols_is_refused() -> None:
    rows = Part(".symtab2", 2, bytes(4097 * 24), link=".strtab", entry=24)
    built = Library(extra=(rows,)).build()
    image = elf.read_image(bytes(built.content), where="library")
    section = image.section(".symtab2")
    assert section is not None
    with pytest.raises(InvalidInput, match="4097 symbols, 1 to 4096 are allowed"):
        elf.read_symbols(image, section)


def test_symbols_that_share_one_long_name_still_count_in_full() -> None:
    names = Part(".names", 3, b"n" * 4096 + b"\0")
    row = struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    rows = Part(".long", 2, row * 1025, link=".names", entry=24)
    built = Library(extra=(names, rows)).build()
    image = elf.read_image(bytes(built.content), where="library")
    section = image.section(".long")
    assert section is not None
    with pytest.raises(InvalidInput, match="longer than 4194304 bytes in all"):
        elf.read_symbols(image, section)
