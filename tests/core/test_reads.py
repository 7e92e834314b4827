import pytest
from hypothesis import given
from hypothesis import strategies as st
from sass_samples import code, disassembly, facts, program

from evaluation.core.binary.facts import KernelReads
from evaluation.core.scan.reads import parameter_reads
from evaluation.core.scan.sass import Disassembly


def reads(read: Disassembly, name: str, *, size: int = 64) -> KernelReads:
    found = parameter_reads(read, facts(read, parameter_bytes=size))
    return next(one for one in found if one.function == name)


def of(*lines: str, sm: int = 90, size: int = 64) -> tuple[bool, tuple[tuple[int, int], ...]]:
    one = reads(program(code("k", *lines), sm=sm), "k", size=size)
    return one.exact, one.read


# In the files the parameters are u64 at 0, a struct of 32 bytes at 8 (u64, u32, padding, f64, u8, padding), u32 at 40.


@pytest.mark.parametrize(
    ("name", "exact", "read"),
    [
        # The padding at 20, the u8 at 32 and the padding after it are never read.
        ("padded", True, ((0, 20), (24, 32))),
        # ptxas reads three bytes of padding with the u8 and masks them away.
        ("narrow", False, ((0, 8), (32, 36))),
        ("reads_pointer_only", True, ((0, 8),)),
        ("indexed", False, ((0, 8), (40, 44))),
        ("address_taken", False, ((0, 8),)),
        ("dimensions", True, ((0, 8),)),
        ("calls", True, ((0, 8), (40, 44))),
    ],
)
def test_what_a_real_hopper_kernel_reads(
    name: str,
    exact: bool,
    read: tuple[tuple[int, int], ...],
) -> None:
    assert reads(disassembly("hopper_reads"), name, size=44) == KernelReads(name, exact, read)


@pytest.mark.parametrize(
    ("name", "exact", "read"),
    [
        ("padded", True, ((0, 20), (24, 32))),
        ("narrow", False, ((0, 8), (32, 36))),
        ("reads_pointer_only", True, ((0, 8),)),
        ("indexed", False, ((0, 8), (40, 44))),
        ("address_taken", False, ((0, 8),)),
        ("dimensions", True, ((0, 8),)),
        ("calls", True, ((0, 8), (40, 44))),
    ],
)
def test_what_a_real_blackwell_kernel_reads(
    name: str,
    exact: bool,
    read: tuple[tuple[int, int], ...],
) -> None:
    assert reads(disassembly("blackwell_reads"), name, size=44) == KernelReads(name, exact, read)


def test_a_tensor_map_parameter_takes_the_blocks_address() -> None:
    read = disassembly("hopper_tma")
    assert reads(read, "tma_transfers", size=320).exact is False
    read = disassembly("blackwell_matrix")
    assert reads(read, "tma_transfers", size=320).exact is False


def test_printf_does_not_make_the_mask_inexact() -> None:
    one = reads(disassembly("hopper_reads"), "prints", size=44)
    assert one == KernelReads("prints", exact=True, read=((0, 8),))


def test_a_jump_to_unknown_code_does() -> None:
    assert of("LDC.64 R6,c[0x0][0x218]", "CALL.REL.NOINC R6,k") == (False, ((8, 16),))


@pytest.mark.parametrize(
    ("line", "end"),
    [
        ("LDC.U8 R0,c[0x0][0x218]", 9),
        ("LDC.S8 R0,c[0x0][0x218]", 9),
        ("ULDC.U16 UR4,c[0x0][0x218]", 10),
        ("LDC.S16 R0,c[0x0][0x218]", 10),
        ("LDC R0,c[0x0][0x218]", 12),
        ("ULDC.64 UR4,c[0x0][0x218]", 16),
        ("LDC.128 R4,c[0x0][0x218]", 24),
        ("LDCU.256 UR4,c[0x0][0x218]", 40),
        ("LDC.NEW R0,c[0x0][0x218]", 40),  # a width that no table has
        ("IMAD R0,R1,c[0x0][0x218],R2", 12),
        ("FADD R0,-|c[0x0][0x218]|,R2", 12),
        ("HFMA2 R0,R1,c[0x0][0x218].H0_H0,R2", 12),
        ("IMAD.WIDE R2,R3,R4,c[0x0][0x218]", 16),
        ("IMAD.WIDE.U32 R2,R3,R4,c[0x0][0x218]", 16),
        ("DADD R2,R4,c[0x0][0x218]", 16),
        ("DSETP.MAX.AND P0,P1,R4,c[0x0][0x218],PT", 16),
        ("F2F.F32.F64 R2,c[0x0][0x218]", 16),
        ("I2F.S64 R2,c[0x0][0x218]", 16),
        ("FFMA2 R2,R4,c[0x0][0x218],R6", 16),
        ("BRX R2,c[0x0][0x218]", 16),
        ("ODD R2,c[0x0][0x218]", 40),
    ],
)
def test_the_width_of_a_read_comes_from_the_opcode(line: str, end: int) -> None:
    assert of(line) == (True, ((8, end),))


def test_two_constants_in_one_instruction_are_both_read() -> None:
    assert of("FFMA R0,c[0x0][0x210],R1,c[0x0][0x220]") == (True, ((0, 4), (16, 20)))


def test_touching_and_nested_reads_are_merged() -> None:
    lines = (
        "LDC R1,c[0x0][0x214]",
        "LDC.64 R2,c[0x0][0x210]",
        "LDC R1,c[0x0][0x218]",
        "LDC R1,c[0x0][0x220]",
    )
    assert of(*lines) == (True, ((0, 12), (16, 20)))


def test_a_read_over_the_end_of_the_block_is_cut_there() -> None:
    assert of("LDC.128 R4,c[0x0][0x218]", size=12) == (True, ((8, 12),))


def test_a_read_that_begins_before_the_block_is_cut_there() -> None:
    assert of("LDC.128 R4,c[0x0][0x208]") == (True, ((0, 8),))


@pytest.mark.parametrize(
    "operand",
    [
        "c[0x0][R2]",
        "c[0x0][R2+0x218]",
        "c[0x0][R2+-0x8]",
        "c[0x0][UR4+0x218]",
        "c[0x0][UR4]",
        "c[0x0][]",
        "c[UR4][0x218]",
        "cx[UR4][0x218]",
        "c[0x0]",
        "c[0x0][0x218",
        "c[0x0][0x1234567]",
    ],
)
def test_an_access_whose_place_is_not_known_makes_the_mask_inexact(operand: str) -> None:
    assert of("LDC R0,c[0x0][0x210]", f"LDC R0,{operand}") == (False, ((0, 4),))


def test_the_zero_register_is_no_index() -> None:
    assert of("LDC R5,c[0x0][RZ]") == (True, ())
    assert of("LDC R5,c[0x0][URZ+0x210]") == (True, ((0, 4),))


@pytest.mark.parametrize(
    "line",
    [
        "LDC R9,c[0x3][R2]",
        "LDC.64 R2,c[0x4][RZ]",
        "LDC.64 R4,c[0x2][R2+0x8]",
        "LDG.E R4,desc[UR4][R2.64]",
        "HGMMA.64x8x16.F32.BF16 R24,gdesc[UR4],RZ",
        "UTCHMMA gdesc[UR16],gdesc[UR18],tmem[UR10],tmem[UR4],idesc[UR5],UP0",
        "UTMALDG.2D [UR12],[UR8]",
    ],
)
def test_other_banks_and_descriptors_read_no_parameter(line: str) -> None:
    assert of(line) == (True, ())


@pytest.mark.parametrize(
    ("sm", "offset"),
    [
        (90, 0x198),
        (90, 0x1A0),
        (90, 0x1B0),
        (90, 0x250),
        (100, 0x348),
        (100, 0x350),
        (100, 0x3C0),
        (100, 0x0),
    ],
)
def test_a_constant_that_no_table_calls_harmless_makes_the_mask_inexact(
    sm: int, offset: int
) -> None:
    assert of(f"LDC.64 R2,c[0x0][0x{offset:x}]", sm=sm) == (False, ())


@pytest.mark.parametrize(
    ("sm", "offset"),
    [(90, 0x0), (90, 0x28), (90, 0x44), (90, 0x208), (100, 0x37C), (100, 0x358), (100, 0x360)],
)
def test_dimensions_stack_and_descriptors_are_harmless(sm: int, offset: int) -> None:
    assert of(f"LDC R2,c[0x0][0x{offset:x}]", sm=sm) == (True, ())


def test_an_architecture_without_a_table_is_inexact_as_soon_as_it_reads_before_the_block() -> None:
    read = Disassembly(120, "by hand", (code("k", "LDC R1,c[0x0][0x28]"),))
    known = facts(program(code("k", "LDC R1,c[0x0][0x28]")), parameter_bytes=8)
    unknown = type(known)(120, known.functions, (), (), 0)
    assert parameter_reads(read, unknown)[0].exact is False


def test_a_texture_may_take_its_handle_from_anywhere() -> None:
    assert of("TEX.B.LL RZ,R7,R6,R4,UR4") == (False, ())


def test_a_called_function_reads_for_its_caller() -> None:
    read = program(
        code("k", "CALL.REL.NOINC helper", "EXIT"),
        code("helper", "LDC R1,c[0x0][0x218]", "RET.REL.NODEC R2,helper"),
    )
    assert reads(read, "k").read == ((8, 12),)


def test_a_kernel_without_parameters_reads_none() -> None:
    assert of("LDC R0,c[0x0][R2]", size=0) == (True, ())


def test_a_kernel_whose_code_is_missing_is_not_exact() -> None:
    known = facts(program(code("k", "EXIT")), parameter_bytes=8)
    assert parameter_reads(program(), known) == (KernelReads("k", exact=False, read=()),)


LOADS = st.tuples(st.sampled_from(("LDC.U8", "LDC", "LDC.64", "LDC.128")), st.integers(0, 80))


@given(st.lists(LOADS, max_size=12))
def test_ranges_are_ascending_disjoint_and_inside_the_block(loads: list[tuple[str, int]]) -> None:
    _, read = of(*(f"{name} R4,c[0x0][0x{0x210 + place:x}]" for name, place in loads), "EXIT")
    flat = [edge for one in read for edge in one]
    assert flat == sorted(set(flat))
    assert all(0 <= start < end <= 64 for start, end in read)
    assert all(any(start <= place < end for start, end in read) for _, place in loads if place < 64)
