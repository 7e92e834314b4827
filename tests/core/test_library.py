import hashlib
from collections.abc import Callable

import pytest
from elf_files import Built, Part
from library_files import ENTRY, Defined, Library, Undefined

from evaluation.core.binary.facts import Import, LibraryFacts
from evaluation.core.binary.library import read_library
from evaluation.core.errors import InvalidInput

GMON = Undefined("__gmon_start__", weak=True)
# The start code of Debian's glibc, by sha256sum of the 23 and 9 bytes with the displacement zeroed.
INIT_HASH = "a423a51c85a5a71ffeb5425a4f7591e6c777fc565ae95155b758adfcd245ff5a"
FINI_HASH = "66e6f54550612182b4ad78f30b140dd08318b968db3878de2db65fef87dc04d7"


def facts(library: Library) -> LibraryFacts:
    return read_library(bytes(library.build().content))


def refused(built: Built) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_library(bytes(built.content))
    assert caught.value.where == "library"
    return f"{caught.value.key}: {caught.value.rule}"


def test_an_ordinary_library_is_read_as_written() -> None:
    library = Library(
        needed=("libptxboard_shim.so", "libc.so.6"),
        undefined=(GMON, Undefined("cudaMalloc"), Undefined("printf", library="libc.so.6")),
        defined=(ENTRY, Defined("_ZL6helperv", 8), Defined("table", 0, kind=1, section=".data")),
        initialisers=("_ZL6helperv",),
        finalisers=("__tvm_ffi_run",),
    )
    assert facts(library) == LibraryFacts(
        needed=("libptxboard_shim.so", "libc.so.6"),
        runpaths=(),
        imports=(
            Import("__gmon_start__", weak=True),
            Import("cudaMalloc", weak=False),
            Import("printf", weak=False, library="libc.so.6"),
        ),
        exports=("__tvm_ffi_run",),
        defined=("__tvm_ffi_run", "_ZL6helperv", "table"),
        initialisers=("_ZL6helperv",),
        finalisers=("__tvm_ffi_run",),
        init_sections=((".init", INIT_HASH), (".fini", FINI_HASH)),
        ifuncs=(),
        text_relocations=False,
        bind_now=True,
        relro=True,
        syscall_sites=0,
        images=(),
    )


def test_a_name_without_a_type_is_a_definition_too() -> None:
    assert "cudaMalloc" in facts(Library(defined=(ENTRY, Defined("cudaMalloc", kind=0)))).defined


def test_all_names_of_one_initialiser_are_told_so_that_an_alias_hides_nothing() -> None:
    library = Library(
        defined=(ENTRY, Defined("evil", 16), Defined("_GLOBAL__sub_I_kernel", 16)),
        initialisers=("evil",),
    )
    assert facts(library).initialisers == ("evil", "_GLOBAL__sub_I_kernel")


def test_an_initialiser_without_a_symbol_is_a_question_mark() -> None:
    assert facts(Library(initialisers=("4128",))).initialisers == ("?",)


def test_an_initialiser_may_be_an_imported_function() -> None:
    library = Library(undefined=(GMON, Undefined("abort")), initialisers=("abort",))
    assert facts(library).initialisers == ("abort",)


def test_an_initialiser_reached_through_a_dynamic_symbol_is_named() -> None:
    library = Library(initialisers=("__tvm_ffi_run",))
    built = library.build()
    # The relocation becomes R_X86_64_64 against symbol 2, which is defined.
    built.put(".rela.dyn", "<I", 1, add=8).put(".rela.dyn", "<I", 2, add=12)
    built.put(".rela.dyn", "<q", 0, add=16)
    assert read_library(bytes(built.content)).initialisers == ("__tvm_ffi_run",)


def test_an_initialiser_of_a_nameless_import_is_a_question_mark() -> None:
    built = Library(undefined=(GMON, Undefined("")), initialisers=("",)).build()
    assert read_library(bytes(built.content)).initialisers == ("?",)


def test_pre_initialisers_come_first() -> None:
    library = Library(
        defined=(ENTRY, Defined("early", 8), Defined("late", 16)), initialisers=("early", "late")
    )
    built = library.build()
    library.tags = (*library.tags, (32, 0x3000), (33, 8))
    built = library.build()
    built.put("dynamic 0x19", "<Q", 0x3008, add=8).put("dynamic 0x1b", "<Q", 8, add=8)
    assert read_library(bytes(built.content)).initialisers == ("early", "late")


def test_old_style_lists_of_constructors_and_destructors_are_read_too() -> None:
    marks = (1 << 64) - 1
    words = (marks, 0x1018, 0)
    content = b"".join(word.to_bytes(8, "little") for word in words)
    library = Library(
        extra=(Part(".ctors", 1, content, flags=3), Part(".dtors", 1, content, flags=3))
    )
    found = facts(library)
    assert found.initialisers == ("__tvm_ffi_run",)
    assert found.finalisers == ("__tvm_ffi_run",)


def test_a_relocated_word_of_an_old_style_list_is_a_constructor_even_if_it_reads_zero() -> None:
    built = Library(
        relocations=((0, 8, 0, 0x1018),), extra=(Part(".ctors", 1, bytes(8), flags=3),)
    ).build()
    built.put(".rela.dyn", "<Q", built.places[".ctors"], add=24)
    assert read_library(bytes(built.content)).initialisers == ("__tvm_ffi_run",)


def test_an_old_style_list_of_odd_size_is_refused() -> None:
    library = Library(extra=(Part(".ctors", 1, bytes(12), flags=3),))
    assert refused(library.build()) == ".ctors: is not a list of 4096 pointers"


def test_start_code_with_another_instruction_has_another_hash() -> None:
    library = Library(fini_code=b"\x90\xc3")
    digest = hashlib.sha256(b"\x90\xc3").hexdigest()
    assert facts(library).init_sections == ((".init", INIT_HASH), (".fini", digest))


def test_a_call_through_another_slot_than_that_of_gmon_start_keeps_its_displacement() -> None:
    built = Library().build()
    built.put(".init", "<i", built.get(".init", "<i", add=7) + 8, add=7)
    (name, digest), _ = read_library(bytes(built.content)).init_sections
    assert (name, digest == INIT_HASH) == (".init", False)


def test_start_code_that_calls_a_defined_gmon_start_keeps_its_displacement() -> None:
    library = Library(defined=(ENTRY, Defined("__gmon_start__", exported=True)), undefined=())
    (_, digest), _ = facts(library).init_sections
    assert digest != INIT_HASH


def test_start_code_that_ends_inside_its_load_is_hashed_as_it_is() -> None:
    library = Library(init_code=b"\x48\x8b\x05\x00")
    digest = hashlib.sha256(b"\x48\x8b\x05\x00").hexdigest()
    assert facts(library).init_sections[0] == (".init", digest)


def test_start_code_elsewhere_than_its_section_is_refused() -> None:
    assert refused(Library().build().put("dynamic 0xc", "<Q", 0x1018, add=8)) == (
        ".init: the loader would start somewhere else"
    )
    built = Library().build().put("section .fini", "<I", 0)
    assert refused(built) == ".fini: the loader would start somewhere else"


def test_a_library_without_start_code_is_read() -> None:
    built = Library().build()
    for tag, name in ((0xC, ".init"), (0xD, ".fini")):
        built.put(f"dynamic {tag:#x}", "<Q", 0x6FFFFFF9 + tag).put(f"section {name}", "<I", 0)
    assert read_library(bytes(built.content)).init_sections == ()


def test_indirect_functions_are_found_by_symbol_and_by_relocation() -> None:
    library = Library(
        defined=(ENTRY, Defined("chooser", 8, kind=10)), relocations=((8, 37, 0, 0x1020),)
    )
    assert facts(library).ifuncs == ("chooser", "IRELATIVE at 0x3010")


def test_no_more_than_64_indirect_functions_are_listed() -> None:
    library = Library(relocations=tuple((place, 37, 0, 0) for place in range(100)))
    assert len(facts(library).ifuncs) == 64


@pytest.mark.parametrize(
    ("tags", "text", "now"),
    [
        (((22, 0),), True, False),
        (((30, 4),), True, False),
        (((30, 8),), False, True),
        (((24, 0),), False, True),
        (((0x6FFFFFFB, 1),), False, True),
        ((), False, False),
    ],
)
def test_link_flags_are_read_in_every_spelling(
    tags: tuple[tuple[int, int], ...], text: bool, now: bool
) -> None:
    found = facts(Library(tags=tags))
    assert (found.text_relocations, found.bind_now) == (text, now)


def test_a_library_without_read_only_relocations_says_so() -> None:
    assert not facts(Library(relro=False)).relro


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        (lambda b: b.put("header", "<H", 183, add=18), "header: is not a shared library"),
        (lambda b: b.put("header", "<H", 2, add=16), "header: is not a shared library"),
        (lambda b: b.put("section .symtab", "<I", 0), ".symtab: is missing"),
        (lambda b: b.put("section .symtab", "<I", 1, add=4), ".symtab: is missing"),
    ],
)
def test_what_our_linker_would_not_write_is_refused(
    damage: Callable[[Built], Built], rule: str
) -> None:
    assert refused(damage(Library().build())).startswith(rule)


RET = b"\xc3"
SYSCALL = b"\x0f\x05"


def sites(text: bytes, *defined: Defined) -> int:
    return facts(Library(text=text, defined=(ENTRY, *defined))).syscall_sites


@pytest.mark.parametrize("pair", [SYSCALL, b"\x0f\x34", b"\xcd\x80"])
def test_a_system_call_instruction_is_counted(pair: bytes) -> None:
    assert sites(b"\xb8\x3c\x00\x00\x00" + pair + RET) == 1


def test_the_same_bytes_inside_a_constant_are_no_system_call() -> None:
    assert sites(b"\xb8\x0f\x05\xcd\x80" + RET) == 0


def test_a_walk_starts_anew_at_each_function() -> None:
    # The first function ends in a byte that would swallow the second one's first instruction.
    assert sites(b"\xc3\xb8" + SYSCALL + RET, Defined("second", 2)) == 1
    assert sites(b"\xc3\xb8" + SYSCALL + RET + b"\x00\x00") == 0


def test_no_more_than_1000_system_calls_are_counted() -> None:
    assert sites(SYSCALL * 1200) == 1000
    half = SYSCALL * 600
    assert sites(half + half, Defined("second", 1200)) == 1000
    assert sites(SYSCALL * 1300, Defined("second", 2100), Defined("third", 2200)) == 1000


def test_images_in_data_are_told_apart_by_magic_and_machine() -> None:
    cubin = b"\x7fELF\x02\x01\x01\x41\x08" + bytes(7) + b"\x02\x00\xbe\x00"
    program = b"\x7fELF\x02\x01\x01\x00" + bytes(8) + b"\x03\x00\x3e\x00"
    library = Library(
        rodata=b"text" + cubin,
        data=program,
        extra=(
            Part(".nv_fatbin", 1, b"\x50\xed\x55\xba" + bytes(12), flags=2),
            Part(".comment", 1, b"-" + program + program),
        ),
    )
    assert facts(library).images == (
        "cubin in .rodata",
        "elf in .data",
        "elf in .comment",
        "fatbin in .nv_fatbin",
    )


def test_the_empty_fat_binary_of_the_judges_own_build_is_no_image() -> None:
    assert facts(Library(extra=(Part(".nv_fatbin", 1, bytes(16), flags=2),))).images == ()


def test_an_image_between_and_behind_all_sections_is_found() -> None:
    built = Library().build()
    built.write("header", b"\x50\xed\x55\xba", add=0x1800)  # between .fini and .rodata
    built.content += b"\x7fELF"
    assert read_library(bytes(built.content)).images == ("elf in ?", "fatbin in ?")
