"""Damaged images of every kind: a reader states facts or refuses, and raises nothing else."""

import struct
from collections.abc import Callable

import pytest
from cubin_files import Cubin, Kernel, Variable, attribute, parameter, wide_parameter
from elf_files import Built, Part
from hypothesis import given, settings
from hypothesis import strategies as st
from library_files import ENTRY, Defined, Library, Undefined

from evaluation.core import wire
from evaluation.core.binary import facts_json
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.binary.facts import CubinFacts, LibraryFacts
from evaluation.core.binary.facts_json import CubinAnswer, LibraryAnswer
from evaluation.core.binary.library import read_library
from evaluation.core.errors import InvalidInput

CUBIN = Cubin(
    (
        Kernel(
            "_Z4gemmPKfPfi",
            records=parameter(2, 16, 4)
            + parameter(1, 8, 8)
            + parameter(0, 0, 8)
            + attribute(0x05, struct.pack("<III", 256, 1, 1))
            + attribute(0x3D, struct.pack("<III", 2, 1, 1)),
            parameter_bytes=20,
            shared=4096,
        ),
        Kernel("wide", records=wide_parameter(0, 0, 20000), parameter_bytes=20000, local=True),
    ),
    variables=(
        Variable("counter", ".nv.global", 0, 4),
        Variable("weights", ".nv.constant3", 0, 64),
    ),
    externs=("vprintf",),
    sizes={".nv.global": 4, ".nv.constant3": 64},
).build()
LIBRARY = Library(
    undefined=(
        Undefined("__gmon_start__", weak=True),
        Undefined("cudaMalloc"),
        Undefined("printf", library="libc.so.6"),
        Undefined("sqrt", library="libm.so.6"),
    ),
    defined=(ENTRY, Defined("_GLOBAL__sub_I_kernel", 16), Defined("chooser", 24, kind=10)),
    initialisers=("_GLOBAL__sub_I_kernel",),
    finalisers=("__tvm_ffi_run",),
    text=b"\xb8\x3c\x00\x00\x00\x0f\x05\xc3" * 8,
    relocations=((8, 37, 0, 0x1030),),
    extra=(
        Part(".ctors", 1, struct.pack("<QQQ", (1 << 64) - 1, 0x1028, 0), flags=3),
        Part(".note.extra", 7, b"\x7fELF" + bytes(20)),
    ),
).build()

EDGES = (0, 1, 2, 3, 4, 8, 24, 0x7F, 0xFF, 0xFFFF, 1 << 31, (1 << 32) - 1, 1 << 47, (1 << 64) - 1)
Mutation = Callable[[bytearray], None]


def _overwrite(place: int, form: str, value: int) -> Mutation:
    def apply(content: bytearray) -> None:
        size = struct.calcsize(form)
        at = place % max(1, len(content) - size)
        if at + size <= len(content):
            struct.pack_into(form, content, at, value % (1 << 8 * size))

    return apply


def _cut(length: int) -> Mutation:
    def apply(content: bytearray) -> None:
        del content[length % (len(content) + 1) :]

    return apply


def _move(source: int, destination: int, length: int) -> Mutation:
    def apply(content: bytearray) -> None:
        at, to = source % (len(content) + 1), destination % (len(content) + 1)
        piece = content[at : at + length]
        content[to : to + len(piece)] = piece

    return apply


def mutations(built: Built) -> st.SearchStrategy[list[Mutation]]:
    """Mostly writes near a header, table or entry whose place is known; else anywhere."""
    known = st.builds(
        int.__add__, st.sampled_from(sorted(built.places.values())), st.integers(0, 72)
    )
    place = st.one_of(known, known, known, st.integers(0, len(built.content)))
    value = st.one_of(
        st.sampled_from(EDGES),
        st.integers(0, len(built.content) + 8),
        st.integers(0, (1 << 64) - 1),
    )
    form = st.sampled_from(("<B", "<H", "<I", "<Q"))
    one = st.one_of(
        st.builds(_overwrite, place, form, value),
        st.builds(_overwrite, place, form, value),
        st.builds(_overwrite, place, form, value),
        st.builds(_cut, place),
        st.builds(_move, place, place, st.integers(1, 128)),
    )
    return st.lists(one, min_size=1, max_size=6)


def damaged(built: Built, changes: list[Mutation]) -> bytes:
    content = bytearray(built.content)
    for change in changes:
        change(content)
    return bytes(content)


def cubin_or_refusal(content: bytes) -> CubinFacts | None:
    try:
        return read_cubin(content)
    except InvalidInput as refusal:
        assert refusal.where == "cubin"
        assert refusal.rule
        return None


def library_or_refusal(content: bytes) -> LibraryFacts | None:
    try:
        return read_library(content)
    except InvalidInput as refusal:
        assert refusal.where == "library"
        assert refusal.rule
        return None


def test_the_undamaged_images_are_read() -> None:
    assert cubin_or_refusal(bytes(CUBIN.content)) is not None
    assert library_or_refusal(bytes(LIBRARY.content)) is not None


@settings(max_examples=1000, deadline=None)
@given(changes=mutations(CUBIN))
def test_a_damaged_cubin_gives_facts_that_travel_or_a_refusal(changes: list[Mutation]) -> None:
    found = cubin_or_refusal(damaged(CUBIN, changes))
    if found is not None:
        assert facts_json.cubin_facts(wire.encode(CubinAnswer(found, None))) == found
        for kernel in found.functions:
            assert kernel.registers <= 255
            assert all(one.offset + one.size <= kernel.parameter_bytes for one in kernel.parameters)


@settings(max_examples=1000, deadline=None)
@given(changes=mutations(LIBRARY))
def test_a_damaged_library_gives_facts_that_travel_or_a_refusal(changes: list[Mutation]) -> None:
    found = library_or_refusal(damaged(LIBRARY, changes))
    if found is not None:
        assert facts_json.library_facts(wire.encode(LibraryAnswer(found, None))) == found


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=400), headed=st.booleans())
def test_bytes_from_nowhere_are_refused(content: bytes, headed: bool) -> None:
    start = bytes(CUBIN.content[:64]) if headed else b""
    assert cubin_or_refusal(start + content) is None
    start = bytes(LIBRARY.content[:64]) if headed else b""
    assert library_or_refusal(start + content) is None


@pytest.mark.parametrize("built", [CUBIN, LIBRARY], ids=["cubin", "library"])
def test_every_truncation_is_read_or_refused(built: Built) -> None:
    """The section headers stand last, so nothing short of the whole file can be read."""
    content = bytes(built.content)
    reader = cubin_or_refusal if built is CUBIN else library_or_refusal
    for length in range(0, len(content) - 1, 23):
        assert reader(content[:length]) is None
