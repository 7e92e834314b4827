import pytest

from evaluation.core.catalogue.dtype import DType
from evaluation.core.scan.opcode_names import BLACKWELL, HOPPER
from evaluation.core.scan.opcodes import (
    MatrixWork,
    NumberFormat,
    OpcodeKind,
    counts_for,
    is_narrower,
    is_other_precision,
    kind_of,
    matrix_work,
    name_of,
)
from evaluation.core.verdict import Target


@pytest.mark.parametrize(
    ("opcode", "kind"),
    [
        ("HGMMA.64x16x16.F32.BF16", OpcodeKind.GMMA),
        ("QGMMA.64x16x32.F32.E4M3.E5M2", OpcodeKind.GMMA),
        ("IGMMA.64x16x32.S8.U8.SAT", OpcodeKind.GMMA),
        ("BGMMA.64x16x256.AND.POPC", OpcodeKind.GMMA),
        ("UTMALDG.2D", OpcodeKind.TMA_LOAD),
        ("UTMASTG.2D", OpcodeKind.TMA_STORE),
        ("UTMAREDG.2D.ADD", OpcodeKind.TMA_REDUCE),
        ("UTMAPF.L2.2D", OpcodeKind.TMA_OTHER),
        ("UTMACCTL.PF", OpcodeKind.TMA_OTHER),
        ("UTMACMDFLUSH", OpcodeKind.TMA_OTHER),
        ("UBLKCP.S.G", OpcodeKind.BULK),
        ("UBLKRED.G.S.ADD", OpcodeKind.BULK),
        ("UBLKPF.L2", OpcodeKind.BULK),
        ("HMMA.16816.F32.BF16", OpcodeKind.OTHER_MATRIX),
        ("IMMA.16832.S8.S8", OpcodeKind.OTHER_MATRIX),
        ("BMMA.168256.AND.POPC", OpcodeKind.OTHER_MATRIX),
        ("DMMA.8x8x4", OpcodeKind.OTHER_MATRIX),
        ("WARPGROUP.ARRIVE", OpcodeKind.ORDINARY),
        ("HFMA2.MMA", OpcodeKind.ORDINARY),  # it loads a constant
        ("FFMA", OpcodeKind.ORDINARY),
        ("ULDC.64", OpcodeKind.ORDINARY),
        ("UTCHMMA", OpcodeKind.UNKNOWN),
        ("LDTM.x4", OpcodeKind.UNKNOWN),
    ],
)
def test_hopper_opcodes_are_told_apart_by_their_first_token(opcode: str, kind: OpcodeKind) -> None:
    assert kind_of(opcode, Target.HOPPER) is kind


@pytest.mark.parametrize(
    ("opcode", "kind"),
    [
        ("UTCHMMA.2CTA", OpcodeKind.TCGEN05_MATRIX),
        ("UTCHMMA.WS", OpcodeKind.TCGEN05_MATRIX),
        ("UTCQMMA", OpcodeKind.TCGEN05_MATRIX),
        ("UTCIMMA", OpcodeKind.TCGEN05_MATRIX),
        ("UTCOMMA.4X", OpcodeKind.TCGEN05_MATRIX),
        ("UTCMXQMMA", OpcodeKind.TCGEN05_MATRIX),
        ("LDTM.x4", OpcodeKind.TENSOR_MEMORY),
        ("STTM.x4", OpcodeKind.TENSOR_MEMORY),
        ("UTCCP.T.S", OpcodeKind.TENSOR_MEMORY),
        ("UTCATOMSWS.FIND_AND_SET.ALIGN", OpcodeKind.TENSOR_MEMORY),
        ("UTCSHIFT.DOWN", OpcodeKind.TENSOR_MEMORY),
        ("UTCBAR.2CTA", OpcodeKind.TCGEN05_OTHER),
        ("HMMA.16816.F32.BF16", OpcodeKind.OTHER_MATRIX),
        ("QMMA.16832.F32.E4M3.E4M3", OpcodeKind.OTHER_MATRIX),
        ("UTMALDG.2D", OpcodeKind.TMA_LOAD),
        ("LDCU.128", OpcodeKind.ORDINARY),
        ("FFMA2", OpcodeKind.ORDINARY),
        ("HGMMA.64x16x16.F32.BF16", OpcodeKind.UNKNOWN),
        ("WARPGROUP.ARRIVE", OpcodeKind.UNKNOWN),
    ],
)
def test_blackwell_opcodes_are_told_apart_by_their_first_token(
    opcode: str, kind: OpcodeKind
) -> None:
    assert kind_of(opcode, Target.BLACKWELL) is kind


@pytest.mark.parametrize(
    "opcode",
    [
        "HGMMA64",
        "XHGMMA.64x16x16.F32.BF16",
        "HGMM",
        "UTMALDGX.2D",
        "hgmma",
        "HGMMA 64",
        "",
        ".HGMMA",
        "UTCMMA",
    ],
)
def test_a_name_that_only_resembles_an_opcode_is_unknown(opcode: str) -> None:
    assert kind_of(opcode, Target.HOPPER) is OpcodeKind.UNKNOWN
    assert kind_of(opcode, Target.BLACKWELL) is OpcodeKind.UNKNOWN


def test_the_name_of_an_opcode_is_its_first_token() -> None:
    assert name_of("HGMMA.64x128x16.F32.BF16") == "HGMMA"
    assert name_of("NOP") == "NOP"


def test_no_name_of_a_family_is_listed_as_ordinary() -> None:
    families = {
        "HGMMA",
        "QGMMA",
        "UTMALDG",
        "UTMASTG",
        "UTMAREDG",
        "UTCHMMA",
        "UTCBAR",
        "HMMA",
        "UBLKCP",
    }
    assert not families & (HOPPER | BLACKWELL)


@pytest.mark.parametrize(
    ("opcode", "work"),
    [
        ("HGMMA.64x16x16.F32.BF16", MatrixWork(NumberFormat.BF16, sparse=False, products=16_384)),
        ("HGMMA.64x256x16.F32.BF16", MatrixWork(NumberFormat.BF16, sparse=False, products=262_144)),
        ("HGMMA.64x8x16.F16", MatrixWork(NumberFormat.F16, sparse=False, products=8_192)),
        ("HGMMA.64x16x16.F32", MatrixWork(NumberFormat.F16, sparse=False, products=16_384)),
        ("HGMMA.64x16x8.F32.TF32", MatrixWork(NumberFormat.TF32, sparse=False, products=8_192)),
        (
            "QGMMA.64x16x32.F32.E4M3.E5M2",
            MatrixWork(NumberFormat.F8, sparse=False, products=32_768),
        ),
        (
            "QGMMA.64x16x32.F16.E4M3.E4M3",
            MatrixWork(NumberFormat.F8, sparse=False, products=32_768),
        ),
        ("IGMMA.64x16x32.S8.U8.SAT", MatrixWork(NumberFormat.I8, sparse=False, products=32_768)),
        ("BGMMA.64x16x256.AND.POPC", MatrixWork(NumberFormat.B1, sparse=False, products=262_144)),
        # A sparse instruction counts half of its nominal K.
        ("HGMMA.SP.64x16x32.F32.BF16", MatrixWork(NumberFormat.BF16, sparse=True, products=16_384)),
        ("HGMMA.SP.64x16x16.F32.TF32", MatrixWork(NumberFormat.TF32, sparse=True, products=8_192)),
        (
            "QGMMA.SP.64x16x64.F32.E4M3.E4M3",
            MatrixWork(NumberFormat.F8, sparse=True, products=32_768),
        ),
    ],
)
def test_the_work_of_a_gmma_is_read_from_its_modifiers(opcode: str, work: MatrixWork) -> None:
    assert matrix_work(opcode, OpcodeKind.GMMA) == work


@pytest.mark.parametrize(
    "opcode",
    [
        "HGMMA",
        "HGMMA.64x16x16",
        "HGMMA.64x16x16.F32.BF16.NEW",
        "HGMMA.64x16x32.F32.BF16",  # the K of a sparse one without .SP
        "HGMMA.SP.64x16x16.F32.BF16",
        "HGMMA.128x16x16.F32.BF16",
        "QGMMA.64x16x16.F32.BF16",
        "HGMMA.64x16x32.F32.E4M3.E4M3",
    ],
)
def test_a_gmma_with_modifiers_of_no_table_has_unknown_work(opcode: str) -> None:
    work = matrix_work(opcode, OpcodeKind.GMMA)
    assert work is not None
    assert (work.format, work.products) == (NumberFormat.UNKNOWN, None)


@pytest.mark.parametrize(
    ("opcode", "number_format"),
    [
        ("UTCHMMA", NumberFormat.OPEN),
        ("UTCQMMA.2CTA", NumberFormat.F8),
        ("UTCMXQMMA", NumberFormat.F8),
        ("UTCIMMA", NumberFormat.I8),
        ("UTCOMMA.4X", NumberFormat.F4),
    ],
)
def test_shape_and_sparsity_of_a_tcgen05_matrix_instruction_are_not_in_the_opcode(
    opcode: str, number_format: NumberFormat
) -> None:
    work = matrix_work(opcode, OpcodeKind.TCGEN05_MATRIX)
    assert work == MatrixWork(number_format, sparse=False, products=None)


@pytest.mark.parametrize(
    ("opcode", "work"),
    [
        ("HMMA.16816.F32.BF16", MatrixWork(NumberFormat.BF16, sparse=False, products=2_048)),
        ("HMMA.16816.F32", MatrixWork(NumberFormat.F16, sparse=False, products=2_048)),
        ("HMMA.1688.F32.TF32", MatrixWork(NumberFormat.TF32, sparse=False, products=1_024)),
        ("HMMA.SP.16832.F32.BF16", MatrixWork(NumberFormat.BF16, sparse=True, products=2_048)),
        ("IMMA.16832.S8.S8", MatrixWork(NumberFormat.I8, sparse=False, products=4_096)),
        ("BMMA.168256.AND.POPC", MatrixWork(NumberFormat.B1, sparse=False, products=32_768)),
        ("DMMA.8x8x4", MatrixWork(NumberFormat.F64, sparse=False, products=256)),
        ("QMMA.16832.F32.E4M3.E4M3", MatrixWork(NumberFormat.F8, sparse=False, products=4_096)),
        ("OMMA.SP.1234", MatrixWork(NumberFormat.F4, sparse=True, products=None)),
    ],
)
def test_the_work_of_mma_sync_is_for_one_warp(opcode: str, work: MatrixWork) -> None:
    assert matrix_work(opcode, OpcodeKind.OTHER_MATRIX) == work


@pytest.mark.parametrize("kind", [OpcodeKind.TMA_LOAD, OpcodeKind.ORDINARY, OpcodeKind.UNKNOWN])
def test_what_is_no_matrix_instruction_has_no_work(kind: OpcodeKind) -> None:
    assert matrix_work("HGMMA.64x16x16.F32.BF16", kind) is None


@pytest.mark.parametrize(
    ("declared", "counting"),
    [
        (DType.BFLOAT16, {NumberFormat.BF16, NumberFormat.TF32, NumberFormat.OPEN}),
        (DType.FLOAT16, {NumberFormat.F16, NumberFormat.TF32, NumberFormat.OPEN}),
        (DType.FLOAT32, {NumberFormat.TF32, NumberFormat.OPEN}),
        (DType.FLOAT8_E4M3FN, {NumberFormat.F8}),
        (DType.FLOAT8_E5M2, {NumberFormat.F8}),
        (DType.INT8, {NumberFormat.I8}),
        (DType.INT64, set()),
    ],
)
def test_the_declared_type_says_which_formats_count(
    declared: DType, counting: set[NumberFormat]
) -> None:
    assert {one for one in NumberFormat if counts_for(one, declared)} == counting


def test_a_bf16_problem_shows_every_other_format_and_calls_the_small_ones_narrower() -> None:
    other = {one for one in NumberFormat if is_other_precision(one, DType.BFLOAT16)}
    narrower = {one for one in NumberFormat if is_narrower(one, DType.BFLOAT16)}
    assert narrower == {NumberFormat.F8, NumberFormat.F4, NumberFormat.I8, NumberFormat.B1}
    assert other == narrower | {NumberFormat.F16, NumberFormat.TF32, NumberFormat.F64}
