"""What an opcode of the target is: its family by its first token, its number format by its modifiers (I1, I6, I7, I10).

Names are matched whole against one table an architecture; what is in none is unknown and is reported, never guessed.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Family
from evaluation.core.scan.opcode_names import BLACKWELL, HOPPER
from evaluation.core.verdict import Target


class OpcodeKind(StrEnum):
    """What the judge tells apart. Every kind up to OTHER_MATRIX is listed as evidence, not every one counts."""

    GMMA = "gmma"
    TMA_LOAD = "tma_load"
    TMA_STORE = "tma_store"
    TMA_REDUCE = "tma_reduce"
    TMA_OTHER = "tma_other"  # prefetch, cache control, flush: no transfer
    BULK = "bulk"  # copies without a tensor map
    TCGEN05_MATRIX = "tcgen05_matrix"
    TENSOR_MEMORY = "tensor_memory"  # allocation, load, store, copy and shift of tensor memory
    TCGEN05_OTHER = "tcgen05_other"  # commit
    OTHER_MATRIX = "other_matrix"  # mma.sync
    ORDINARY = "ordinary"
    UNKNOWN = "unknown"


FAMILY_KINDS = {
    Family.GMMA: frozenset((OpcodeKind.GMMA,)),
    Family.TMA: frozenset((OpcodeKind.TMA_LOAD, OpcodeKind.TMA_STORE, OpcodeKind.TMA_REDUCE)),
    Family.TCGEN05: frozenset((OpcodeKind.TCGEN05_MATRIX,)),
}

MATRIX_KINDS = frozenset(
    (OpcodeKind.GMMA, OpcodeKind.TCGEN05_MATRIX, OpcodeKind.OTHER_MATRIX),
)


class NumberFormat(StrEnum):
    """Format of the factors of a matrix instruction."""

    BF16 = "bf16"
    F16 = "f16"
    TF32 = "tf32"
    F64 = "f64"
    F8 = "f8"  # on Blackwell also the 6- and 4-bit floats of the same opcode
    F4 = "f4"
    I8 = "i8"
    B1 = "b1"
    OPEN = "f16, bf16 or tf32"  # UTCHMMA: only its descriptor says which
    UNKNOWN = "unknown"  # modifiers that no table has


@dataclass(frozen=True, slots=True)
class MatrixWork:
    """What one matrix instruction computes.

    ``products`` is M*N*K for one execution by its warpgroup (GMMA) or warp (mma.sync), half the nominal K where the
    instruction is sparse; None where shape or sparsity are not in the opcode.
    """

    format: NumberFormat
    sparse: bool
    products: int | None


_KINDS_HOPPER = {
    **dict.fromkeys(("HGMMA", "QGMMA", "IGMMA", "BGMMA"), OpcodeKind.GMMA),
    **dict.fromkeys(("HMMA", "IMMA", "BMMA", "DMMA"), OpcodeKind.OTHER_MATRIX),
}
_KINDS_BLACKWELL = {
    **dict.fromkeys(
        ("UTCHMMA", "UTCQMMA", "UTCMXQMMA", "UTCIMMA", "UTCOMMA"), OpcodeKind.TCGEN05_MATRIX
    ),
    **dict.fromkeys(
        ("LDTM", "STTM", "LDT", "STT", "UTCCP", "UTCSHIFT", "UTCATOMSWS", "UTCLDSWS", "UTCSTSWS"),
        OpcodeKind.TENSOR_MEMORY,
    ),
    "UTCBAR": OpcodeKind.TCGEN05_OTHER,
    **dict.fromkeys(
        ("HMMA", "QMMA", "MXQMMA", "OMMA", "IMMA", "BMMA", "DMMA"), OpcodeKind.OTHER_MATRIX
    ),
}
_KINDS_BOTH = {
    "UTMALDG": OpcodeKind.TMA_LOAD,
    "UTMASTG": OpcodeKind.TMA_STORE,
    "UTMAREDG": OpcodeKind.TMA_REDUCE,
    **dict.fromkeys(("UTMAPF", "UTMACCTL", "UTMACMDFLUSH"), OpcodeKind.TMA_OTHER),
    **dict.fromkeys(("UBLKCP", "UBLKRED", "UBLKPF"), OpcodeKind.BULK),
}
_KINDS = {
    Target.HOPPER: {**dict.fromkeys(HOPPER, OpcodeKind.ORDINARY), **_KINDS_BOTH, **_KINDS_HOPPER},
    Target.BLACKWELL: {
        **dict.fromkeys(BLACKWELL, OpcodeKind.ORDINARY),
        **_KINDS_BOTH,
        **_KINDS_BLACKWELL,
    },
}

_GMMA = re.compile(
    r"[HQIB]GMMA(?P<sparse>\.SP)?\.64x(?P<n>[0-9]{1,3})x(?P<k>[0-9]{1,3})\.(?P<rest>[A-Z0-9.]+)"
)
# Type modifiers, and how many factors an instruction has along K when it is dense.
_GMMA_FORMATS = (
    ("HGMMA", re.compile(r"F32\.BF16"), NumberFormat.BF16, 16),
    ("HGMMA", re.compile(r"F32\.TF32"), NumberFormat.TF32, 8),
    ("HGMMA", re.compile(r"F32|F16"), NumberFormat.F16, 16),
    ("QGMMA", re.compile(r"(F32|F16)\.E[45]M[32]\.E[45]M[32]"), NumberFormat.F8, 32),
    ("IGMMA", re.compile(r"[US]8\.[US]8(\.SAT)?"), NumberFormat.I8, 32),
    ("BGMMA", re.compile(r"AND\.POPC"), NumberFormat.B1, 256),
)

_WARP_SHAPES = {
    "884": 8 * 8 * 4,
    "1684": 16 * 8 * 4,
    "1688": 16 * 8 * 8,
    "16816": 16 * 8 * 16,
    "16832": 16 * 8 * 32,
    "16864": 16 * 8 * 64,
    "168128": 16 * 8 * 128,
    "168256": 16 * 8 * 256,
    "8816": 8 * 8 * 16,
    "8832": 8 * 8 * 32,
    "88128": 8 * 8 * 128,
    "8x8x4": 8 * 8 * 4,
    "16x8x4": 16 * 8 * 4,
    "16x8x8": 16 * 8 * 8,
    "16x8x16": 16 * 8 * 16,
}

_FORMAT_OF_NAME = {
    "UTCHMMA": NumberFormat.OPEN,
    "UTCQMMA": NumberFormat.F8,
    "UTCMXQMMA": NumberFormat.F8,
    "UTCOMMA": NumberFormat.F4,
    "UTCIMMA": NumberFormat.I8,
    "QMMA": NumberFormat.F8,
    "MXQMMA": NumberFormat.F8,
    "OMMA": NumberFormat.F4,
    "IMMA": NumberFormat.I8,
    "BMMA": NumberFormat.B1,
    "DMMA": NumberFormat.F64,
}

_BITS = {
    NumberFormat.B1: 1,
    NumberFormat.F4: 4,
    NumberFormat.F8: 8,
    NumberFormat.I8: 8,
    NumberFormat.F16: 16,
    NumberFormat.BF16: 16,
    NumberFormat.TF32: 32,
    NumberFormat.F64: 64,
}

_DECLARED = {
    DType.BFLOAT16: NumberFormat.BF16,
    DType.FLOAT16: NumberFormat.F16,
    DType.FLOAT32: NumberFormat.TF32,
    DType.FLOAT8_E4M3FN: NumberFormat.F8,
    DType.FLOAT8_E5M2: NumberFormat.F8,
    DType.INT8: NumberFormat.I8,
}


def name_of(opcode: str) -> str:
    """Give the opcode's first token: ``HGMMA`` of ``HGMMA.64x128x16.F32.BF16``."""
    return opcode.partition(".")[0]


def kind_of(opcode: str, target: Target) -> OpcodeKind:
    return _KINDS[target].get(name_of(opcode), OpcodeKind.UNKNOWN)


def matrix_work(opcode: str, kind: OpcodeKind) -> MatrixWork | None:
    """Read shape and format of a matrix instruction; None for every other kind."""
    if kind is OpcodeKind.GMMA:
        return _gmma(opcode)
    if kind is OpcodeKind.TCGEN05_MATRIX:
        return MatrixWork(_FORMAT_OF_NAME[name_of(opcode)], sparse=False, products=None)
    if kind is OpcodeKind.OTHER_MATRIX:
        return _warp_matrix(opcode)
    return None


def _gmma(opcode: str) -> MatrixWork:
    found = _GMMA.fullmatch(opcode)
    if not found:
        return MatrixWork(NumberFormat.UNKNOWN, sparse=False, products=None)
    sparse = found["sparse"] is not None
    n, k = int(found["n"]), int(found["k"])
    for name, modifiers, number_format, dense_k in _GMMA_FORMATS:
        fits = name == name_of(opcode) and modifiers.fullmatch(found["rest"])
        if fits and k == (2 * dense_k if sparse else dense_k):
            return MatrixWork(number_format, sparse, 64 * n * dense_k)
    return MatrixWork(NumberFormat.UNKNOWN, sparse, products=None)


def _warp_matrix(opcode: str) -> MatrixWork:
    name, *modifiers = opcode.split(".")
    if name == "HMMA":
        said = {"BF16": NumberFormat.BF16, "TF32": NumberFormat.TF32}
        number_format = next((said[one] for one in modifiers if one in said), NumberFormat.F16)
    else:
        number_format = _FORMAT_OF_NAME[name]
    sparse = "SP" in modifiers
    nominal = next((_WARP_SHAPES[one] for one in modifiers if one in _WARP_SHAPES), None)
    products = nominal // 2 if nominal and sparse else nominal
    return MatrixWork(number_format, sparse, products)


def counts_for(number_format: NumberFormat, declared: DType) -> bool:
    """Tell whether matrix work in this format counts for a problem of the declared type (rule I6).

    TF32 counts in a 16-bit problem: it is the wider format, and shown as *other precision*.
    """
    own = _DECLARED.get(declared)
    if own in (NumberFormat.BF16, NumberFormat.F16):
        return number_format in (own, NumberFormat.TF32, NumberFormat.OPEN)
    if own is NumberFormat.TF32:
        return number_format in (own, NumberFormat.OPEN)
    return own is not None and number_format is own


def is_other_precision(number_format: NumberFormat, declared: DType) -> bool:
    """Tell whether the opcode itself shows another format than the declared one."""
    return number_format not in (_DECLARED.get(declared), NumberFormat.OPEN, NumberFormat.UNKNOWN)


def is_narrower(number_format: NumberFormat, declared: DType) -> bool:
    """Tell whether the format holds fewer bits than the declared type."""
    return number_format in _BITS and _BITS[number_format] < 8 * declared.size_bytes
