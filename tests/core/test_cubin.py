import struct
from collections.abc import Callable

import pytest
from cubin_files import Cubin, Kernel, Variable, attribute, half, parameter, wide_parameter
from elf_files import Built, Part

from evaluation.core.binary.cubin import read_cubin
from evaluation.core.binary.facts import CubinFacts, DeviceSymbol, KernelFunction, Parameter
from evaluation.core.errors import InvalidInput


def facts(cubin: Cubin) -> CubinFacts:
    return read_cubin(bytes(cubin.build().content))


def refused(built: Built) -> str:
    with pytest.raises(InvalidInput) as caught:
        read_cubin(bytes(built.content))
    assert caught.value.where == "cubin"
    return f"{caught.value.key}: {caught.value.rule}"


GEMM = Kernel(
    "_Z4gemmPKfPfi",
    records=parameter(2, 16, 4) + parameter(1, 8, 8) + parameter(0, 0, 8),
    parameter_bytes=20,
)


def three(number: int, x: int, y: int, z: int) -> bytes:
    return attribute(number, struct.pack("<III", x, y, z))


def test_a_plain_kernel_is_read_with_its_parameters_in_order() -> None:
    found = facts(Cubin((GEMM,)))
    assert found == CubinFacts(
        sm=90,
        functions=(
            KernelFunction(
                name="_Z4gemmPKfPfi",
                parameters=(Parameter(0, 0, 8), Parameter(1, 8, 8), Parameter(2, 16, 4)),
                parameter_base=0x210,
                parameter_bytes=20,
                registers=24,
                static_shared_bytes=0,
                local_bytes=0,
                max_threads=0,
                cluster=None,
                code_bytes=128,
            ),
        ),
        symbols=(),
        externs=(),
        global_bytes=0,
    )
    assert found.function("_Z4gemmPKfPfi") is found.functions[0]
    assert found.function("gemm") is None


def test_every_record_that_shapes_a_launch_is_read() -> None:
    (kernel,) = facts(
        Cubin(
            (
                Kernel(
                    "k",
                    records=three(0x05, 32, 4, 2) + three(0x3D, 2, 1, 1),
                    registers=168,
                    frame=8,
                    stack=400,
                    shared=1024 + 49152,
                ),
            )
        )
    ).functions
    assert (kernel.max_threads, kernel.cluster) == (256, (2, 1, 1))
    assert (kernel.registers, kernel.local_bytes, kernel.static_shared_bytes) == (168, 400, 49152)
    assert kernel.required_block is None
    assert not kernel.grid_counts_clusters


def test_a_required_block_is_also_the_largest() -> None:
    records = three(0x10, 64, 2, 1) + three(0x3D, 4, 1, 1) + struct.pack("<BBH", 1, 0x5B, 0)
    (kernel,) = facts(Cubin((Kernel("k", records=records),))).functions
    assert (kernel.required_block, kernel.max_threads) == ((64, 2, 1), 128)
    assert kernel.grid_counts_clusters


def test_a_frame_counts_where_it_is_larger_than_the_stack() -> None:
    (kernel,) = facts(Cubin((Kernel("k", frame=96, stack=0),))).functions
    assert kernel.local_bytes == 96


def test_a_kernel_without_parameters_still_has_a_base() -> None:
    (kernel,) = facts(Cubin((Kernel("k", base=0x380),), sm=100)).functions
    assert (kernel.parameter_base, kernel.parameter_bytes, kernel.parameters) == (0x380, 0, ())


def test_parameters_over_4_kib_have_wide_records() -> None:
    records = wide_parameter(1, 20000, 8) + wide_parameter(0, 0, 20000)
    (kernel,) = facts(Cubin((Kernel("k", records=records, parameter_bytes=20008),))).functions
    assert kernel.parameters == (Parameter(0, 0, 20000), Parameter(1, 20000, 8))


def test_local_kernels_of_anonymous_namespaces_are_kernels_too() -> None:
    name = "_ZN33_GLOBAL__N__c4a4a2a8_4_a_cu_init_4anonEPi"
    assert facts(Cubin((Kernel(name, local=True),))).functions[0].name == name


def test_device_functions_and_other_symbols_are_no_kernels() -> None:
    cubin = Cubin((Kernel("k"),), other_symbols=(("$k$helper", 0x02, 0, 6), ("", 0x03, 0, 6)))
    assert [one.name for one in facts(cubin).functions] == ["k"]


def test_variables_are_named_with_space_and_size() -> None:
    cubin = Cubin(
        (Kernel("k"),),
        variables=(
            Variable("counter", ".nv.global", 0, 4),
            Variable("table", ".nv.global", 4, 4000),
            Variable("start", ".nv.global.init", 0, 12),
            Variable("weights", ".nv.constant3", 0, 256),
            Variable("tile", ".nv.shared.k", 0, 64),
        ),
        sizes={".nv.global": 4004, ".nv.global.init": 12, ".nv.constant3": 256},
    )
    cubin.kernels[0].shared = 2048
    found = facts(cubin)
    assert found.symbols == (
        DeviceSymbol("counter", "global", 4),
        DeviceSymbol("table", "global", 4000),
        DeviceSymbol("start", "global", 12),
        DeviceSymbol("weights", "constant", 256),
    )
    assert found.global_bytes == 4016
    assert found.overflowing == ()


def test_an_array_of_8_gib_is_larger_than_its_section_since_section_sizes_wrap() -> None:
    cubin = Cubin(
        (Kernel("k"),),
        variables=(
            Variable("small", ".nv.global", 0, 4),
            Variable("huge", ".nv.global", 4, 1 << 33),
        ),
        sizes={".nv.global": 4},
    )
    found = facts(cubin)
    assert found.overflowing == ("huge",)
    assert found.global_bytes == (1 << 33) + 4


def test_padding_between_variables_counts_as_global_memory() -> None:
    cubin = Cubin(
        (Kernel("k"),), variables=(Variable("a", ".nv.global", 0, 4),), sizes={".nv.global": 256}
    )
    assert facts(cubin).global_bytes == 256


def test_externs_are_what_the_driver_would_have_to_provide() -> None:
    cubin = Cubin((Kernel("k"),), externs=("vprintf", "malloc"))
    assert facts(cubin).externs == ("vprintf", "malloc")


@pytest.mark.parametrize(
    ("name", "info"),
    [
        (".nv.reservedSmem.offset1", 0x11),  # strong
        (".nv.reservedSmem.offset1", 0x22),  # a function
        ("nv.reservedSmem.offset1", 0x21),
    ],
)
def test_only_weak_markers_of_reserved_shared_memory_are_no_externs(name: str, info: int) -> None:
    assert facts(Cubin((Kernel("k"),), other_symbols=((name, info, 0, 0),))).externs == (name,)


def test_an_image_without_kernels_has_no_functions() -> None:
    assert facts(Cubin()).functions == ()


def test_blackwell_is_told_by_flags_and_note() -> None:
    assert facts(Cubin((Kernel("k", base=0x380),), sm=100)).sm == 100


def test_a_note_that_names_another_architecture_is_refused() -> None:
    assert refused(Cubin((Kernel("k"),), note_sm=100).build()) == (
        "header: says sm_90, the note says sm_100"
    )


DAMAGE: tuple[tuple[str, Callable[[Built], object], str], ...] = (
    ("machine", lambda b: b.put("header", "<H", 62, add=18), "header: is not a linked CUDA image"),
    ("relocatable", lambda b: b.put("header", "<H", 1, add=16), "header: is not a linked CUDA image"),
    ("abi", lambda b: b.put("header", "B", 0x33, add=7), "header: has ABI 0x33 version 8, 0x41"),
    ("abi version", lambda b: b.put("header", "B", 7, add=8), "header: has ABI 0x41 version 7"),
    ("note size", lambda b: b.put("section .note.nv.cuinfo", "<Q", 31, add=32), ".note.nv.cuinfo: is 31 bytes"),
    ("note large", lambda b: b.put("section .note.nv.cuinfo", "<Q", 65, add=32), ".note.nv.cuinfo: is 65 bytes"),
    ("note owner", lambda b: b.write(".note.nv.cuinfo", b"X", add=12), ".note.nv.cuinfo: is not ptxas's"),
    ("note type", lambda b: b.put(".note.nv.cuinfo", "<I", 1001, add=8), ".note.nv.cuinfo: is not ptxas's"),
    ("code short", lambda b: b.put("section .text._Z4gemmPKfPfi", "<Q", 64, add=32), "_Z4gemmPKfPfi: the kernel is not"),
    ("code data", lambda b: b.put("section .text._Z4gemmPKfPfi", "<Q", 2, add=8), "_Z4gemmPKfPfi: the kernel is not"),
    ("code absent", lambda b: b.put("section .text._Z4gemmPKfPfi", "<I", 8, add=4), "_Z4gemmPKfPfi: the kernel is not"),
    ("entry offset", lambda b: b.put(".symtab", "<Q", 16, add=56), "_Z4gemmPKfPfi: the kernel is not"),
    ("entry elsewhere", lambda b: b.put(".symtab", "<H", 1, add=54), "_Z4gemmPKfPfi: the kernel is not"),
    ("records elsewhere", lambda b: b.put("section .nv.info._Z4gemmPKfPfi", "<I", 1, add=44), ".nv.info._Z4gemmPKfPfi: does not belong"),
    ("bank", lambda b: b.put("section .nv.constant0._Z4gemmPKfPfi", "<Q", 8, add=32), ".nv.constant0._Z4gemmPKfPfi: does not end"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("damage", "rule"), [one[1:] for one in DAMAGE], ids=[one[0] for one in DAMAGE]
)
def test_what_ptxas_would_not_write_is_refused(
    damage: Callable[[Built], object], rule: str
) -> None:
    built = Cubin((GEMM,)).build()  # the kernel is symbol 2, so 48 bytes into the table
    damage(built)
    assert refused(built).startswith(rule)


@pytest.mark.parametrize(
    "name", [".symtab", ".nv.info", ".nv.info.k", ".text.k", ".nv.constant0.k", ".note.nv.cuinfo"]
)
def test_a_missing_section_is_named(name: str) -> None:
    built = Cubin((Kernel("k"),)).build()
    names = built.content.index(b"\0" + name.encode() + b"\0", built.places["section names"])
    built.content[names + len(name)] = ord("Z")
    assert refused(built) == f"{name}: the section is missing"


def test_two_sections_of_one_name_are_refused() -> None:
    cubin = Cubin((Kernel("k"),), extra=(Part(".text.k", 1, b"other"),))
    assert refused(cubin.build()) == ".text.k: two sections have this name"


def test_two_kernels_of_one_name_are_refused() -> None:
    cubin = Cubin((Kernel("k"),), other_symbols=(("k", 0x12, 0x10, 6),))
    assert refused(cubin.build()) == "k: two symbols have this name"


def test_a_variable_and_a_kernel_of_one_name_are_refused() -> None:
    cubin = Cubin(
        (Kernel("k"),), variables=(Variable("k", ".nv.global", 0, 4),), sizes={".nv.global": 4}
    )
    assert refused(cubin.build()) == "k: two symbols have this name"


@pytest.mark.parametrize(
    ("kernel", "rule"),
    [
        (Kernel("k", registers=256), "k: has a register count of 256"),
        (Kernel("k", stack=(512 << 10) + 4), "k: asks for 524292 bytes of local memory"),
        (Kernel("k", frame=0xFFFFFFFF), "k: asks for 4294967295 bytes of local memory"),
        (Kernel("k", shared=1000), ".nv.shared.k: is 1000 bytes; the reserved 1024 come first"),
        (Kernel("k", shared=1 << 40), ".nv.shared.k: is 1099511627776 bytes"),
        (
            Kernel("k", records=parameter(0, 0, 8), parameter_bytes=32_765),
            ".nv.info.k: gives the parameter block 32765 and 32765 bytes",
        ),
    ],
)
def test_numbers_beyond_the_hardware_are_refused(kernel: Kernel, rule: str) -> None:
    assert refused(Cubin((kernel,)).build()).startswith(rule)


def test_a_kernel_without_register_count_is_refused() -> None:
    built = Cubin((Kernel("k"),)).build()
    built.put(".nv.info", "<B", 0x2E, add=1)
    assert refused(built) == "k: has a register count of None"


@pytest.mark.parametrize(
    ("records", "rule"),
    [
        (b"\x04", "ends inside a record"),
        (b"\x04\x17\x0c\x00abc", "ends inside a record"),
        (b"\x05\x17\x00\x00", "holds a record of unknown format 5"),
        (attribute(0x17, b"short"), "holds a parameter record of another size"),
        (attribute(0x05, bytes(8)), "record 0x5 is not 12 bytes"),
        (three(0x05, 0, 1, 1), "record 0x5 says 0 by 1 by 1"),
        (three(0x3D, 1, 1, 65_536), "record 0x3d says 1 by 1 by 65536"),
        (three(0x05, 1, 1, 1) * 2, "holds record 0x5 twice"),
        (half(0x19, 8), "gives the parameter block without place or size"),
        (attribute(0x0A, bytes(8)), "gives the parameter block without place or size"),
        (attribute(0x0A, bytes(4)) + half(0x19, 0), "gives the parameter block without place"),
        (attribute(0x0A, bytes(8)) + half(0x19, 8), "gives the parameter block 0 and 8 bytes"),
        (parameter(0, 0, 8), "places parameter 0 (8 bytes at 0) outside the block of 0 bytes"),
    ],
)
def test_malformed_records_of_a_kernel_are_refused(records: bytes, rule: str) -> None:
    assert refused(Cubin((Kernel("k", records=records),)).build()).startswith(f".nv.info.k: {rule}")


@pytest.mark.parametrize(
    ("records", "rule"),
    [
        (parameter(1, 0, 8), "has no parameter 0, or has it twice"),
        (parameter(0, 0, 8) * 2, "has no parameter 1, or has it twice"),
        (parameter(0, 0, 8) + parameter(1, 4, 4), "places parameter 1 (4 bytes at 4)"),
        (parameter(0, 16, 8), "places parameter 0 (8 bytes at 16)"),
    ],
)
def test_parameters_that_do_not_fit_their_block_are_refused(records: bytes, rule: str) -> None:
    kernel = Kernel("k", records=records, parameter_bytes=16)
    assert refused(Cubin((kernel,)).build()).startswith(f".nv.info.k: {rule}")


def test_more_than_4096_parameters_are_refused() -> None:
    records = b"".join(parameter(place, 0, 0) for place in range(4097))
    assert refused(Cubin((Kernel("k", records=records),)).build()) == (
        ".nv.info.k: 4097 parameters, at most 4096"
    )


def test_records_of_one_kernel_over_a_mebibyte_are_refused() -> None:
    kernel = Kernel("k", records=attribute(0x1C, bytes(65_532)) * 17)
    assert refused(Cubin((kernel,)).build()) == ".nv.info.k: is 1114112 bytes, at most 1048576"


def test_kernels_that_share_one_large_record_section_are_refused_as_a_whole() -> None:
    kernels = tuple(Kernel(f"k{place}", records=bytes(4)) for place in range(9))
    built = Cubin(kernels, extra=(Part(".large", 1, bytes(1 << 20)),)).build()
    for kernel in kernels:
        place = f"section .nv.info.{kernel.name}"
        built.put(place, "<Q", built.places[".large"], add=24).put(place, "<Q", 1 << 20, add=32)
    assert refused(built) == ".nv.info: the kernels' records are over 8388608 bytes"


@pytest.mark.parametrize(
    ("damage", "rule"),
    [
        (attribute(0x2F, bytes(4)), ".nv.info: record 0x2f is not 8 bytes"),
        (attribute(0x2F, struct.pack("<II", 2, 99)), ".nv.info: gives symbol 2 two numbers"),
    ],
)
def test_malformed_register_counts_are_refused(damage: bytes, rule: str) -> None:
    # A second kernel makes room: its records are overwritten from the start.
    built = Cubin((Kernel("a"), Kernel("b"))).build()
    start = built.places[".nv.info"] + 36
    built.content[start : start + len(damage)] = damage
    rest = 36 - len(damage)
    built.content[start + len(damage) : start + 36] = struct.pack(
        "<BBH", 4, 0x99, rest - 4
    ) + bytes(rest - 4)
    assert refused(built) == rule


def test_records_that_are_not_needed_are_passed_over() -> None:
    records = half(0x50, 0) + half(0x5F, 0x101) + struct.pack("<BBH", 2, 0x4C, 1)
    (kernel,) = facts(Cubin((Kernel("k", records=records + attribute(0x1C, bytes(8))),))).functions
    assert kernel.parameters == ()
