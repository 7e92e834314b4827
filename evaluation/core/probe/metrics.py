"""The hardware counters that a probe reads on each target, and what one count of each may stand for.

Names are those of CUPTI and Nsight Compute. All were found in CUPTI 13.0's own tables for GH100 and GB100, where the
set of Hopper takes 3 passes and that of Blackwell 8. Nothing here is taken from patched code: every metric is a
counter of the hardware, and none is of the ``sass`` kind (rule I2).
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from fractions import Fraction

from evaluation.core.catalogue.problem import Problem
from evaluation.core.measure.hardware_clock import BUSY_METRIC, DURATION_METRIC, ELAPSED_METRIC
from evaluation.core.scan.opcodes import NumberFormat
from evaluation.core.verdict import Target


@unique
class Counted(StrEnum):
    """What a metric counts."""

    TARGET_OPS = "target_ops"  # operations of the target's own matrix family, two a product
    WARP_MATRIX_OPS = "warp_matrix_ops"  # operations of mma.sync, two a product
    SCALAR_THREADS = "scalar_threads"  # threads that ran an instruction of an arithmetic pipe
    # Warp instructions, on Hopper: mma.sync has no counter of its own there that would not take a pass for each type.
    GMMA_INSTRUCTIONS = "gmma_instructions"  # HGMMA, QGMMA, IGMMA, BGMMA
    HALF_INSTRUCTIONS = "half_instructions"  # HMMA, HFMA2.MMA, HGMMA, QGMMA
    HFMA2_INSTRUCTIONS = "hfma2_instructions"  # HFMA2.MMA
    INTEGER_INSTRUCTIONS = "integer_instructions"  # IMMA, BMMA, IGMMA, BGMMA
    DOUBLE_INSTRUCTIONS = "double_instructions"  # DMMA
    TRANSFERS = (
        "transfers"  # bulk copies with and without a tensor map, at least one thread predicated on
    )
    TRANSFER_BYTES = "transfer_bytes"  # read from L2 by their loads
    # The parts of the hardware's own clock (measure/hardware_clock.py).
    DURATION_NS = "duration_ns"
    BUSY_CYCLES = "busy_cycles"  # with a warp on it, of the multiprocessor that was busy longest
    ELAPSED_CYCLES = "elapsed_cycles"


@dataclass(frozen=True, slots=True)
class Metric:
    """``products``: how many products of a matrix product one count can have made at most.

    ``format`` and ``sparse`` say what the factors of a TARGET_OPS metric are. ``products`` is 0 for what makes none by
    itself, or is weighed together with others (``work.py``).
    """

    name: str
    counted: Counted
    products: Fraction = Fraction(0)
    format: NumberFormat | None = None
    sparse: bool = False


_OPERATION = Fraction(1, 2)  # a product is a multiplication and an addition


def metrics_for(target: Target, problem: Problem) -> tuple[str, ...]:
    """Name the counters of one reading, in a fixed order. The same for every problem of a target so far."""
    del problem  # all declared types are told apart by the set of a target
    return tuple(one.name for one in METRICS[target])


def _target_ops(kind: str, number_format: NumberFormat, *, sparse: bool = False) -> Metric:
    name = f"sm__ops_path_tensor_{kind}.sum"
    return Metric(name, Counted.TARGET_OPS, _OPERATION, number_format, sparse)


def _both(kind: str, number_format: NumberFormat) -> tuple[Metric, Metric]:
    return (
        _target_ops(f"{kind}_sparsity_off", number_format),
        _target_ops(f"{kind}_sparsity_on", number_format, sparse=True),
    )


def _warp_ops(kind: str) -> Metric:
    return Metric(f"sm__ops_path_tensor_{kind}.sum", Counted.WARP_MATRIX_OPS, _OPERATION)


def _instructions(kind: str, counted: Counted) -> Metric:
    return Metric(f"sm__inst_executed_pipe_tensor_op_{kind}.sum", counted)


def _threads(pipe: str, products: int) -> Metric:
    name = f"sm__thread_inst_executed_pipe_{pipe}_pred_on.sum"
    return Metric(name, Counted.SCALAR_THREADS, Fraction(products))


_COMMON = (
    Metric("smsp__inst_executed_op_tma_ld_pred_on_any.sum", Counted.TRANSFERS),
    Metric("smsp__inst_executed_op_tma_st_pred_on_any.sum", Counted.TRANSFERS),
    Metric("l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum", Counted.TRANSFER_BYTES),
    Metric(DURATION_METRIC, Counted.DURATION_NS),
    Metric(BUSY_METRIC, Counted.BUSY_CYCLES),
    Metric(ELAPSED_METRIC, Counted.ELAPSED_CYCLES),
)

# The fma pipe runs FFMA, FMUL, FADD, IMAD, IMAD.MOV and HFMA2: each is taken for one product, HFMA2 for two, so the sum
# is never too small.
_HOPPER = (
    *_both("op_hgmma_src_bf16_dst_fp32", NumberFormat.BF16),
    *_both("op_hgmma_src_tf32_dst_fp32", NumberFormat.TF32),
    *_both("op_hgmma_src_fp16", NumberFormat.F16),
    *_both("src_fp8", NumberFormat.F8),  # QGMMA alone has 8-bit floats there
    _instructions("gmma", Counted.GMMA_INSTRUCTIONS),
    _instructions("hmma", Counted.HALF_INSTRUCTIONS),
    _instructions("hmma_type_hfma2", Counted.HFMA2_INSTRUCTIONS),
    _instructions("imma", Counted.INTEGER_INSTRUCTIONS),
    _instructions("dmma", Counted.DOUBLE_INSTRUCTIONS),
    _threads("fma", 1),
    _threads("fma_type_fp16", 1),  # a second time: HFMA2 makes two
    _threads("fp64", 1),
    *_COMMON,
)
# There FFMA2 makes two products a thread as HFMA2 does, so every instruction of the pipe is taken for two.
_BLACKWELL = (
    *_both("op_utchmma_src_bf16_dst_fp32", NumberFormat.BF16),
    *_both("op_utchmma_src_tf32_dst_fp32", NumberFormat.TF32),
    _target_ops("op_utchmma_src_fp16_dst_fp16", NumberFormat.F16),
    _target_ops("op_utchmma_src_fp16_dst_fp32", NumberFormat.F16),
    _target_ops("op_utcqmma_src_fp4_fp6_fp8_dst_fp16", NumberFormat.F8),
    _target_ops("op_utcqmma_src_fp4_fp6_fp8_dst_fp32", NumberFormat.F8),
    _target_ops("op_utcomma_src_fp4_dst_fp32", NumberFormat.F4),
    _target_ops("op_utcimma_src_int8", NumberFormat.I8),
    _warp_ops("op_hmma_src_bf16_dst_fp32"),
    _warp_ops("op_hmma_src_fp16_dst_fp16"),
    _warp_ops("op_hmma_src_fp16_dst_fp32"),
    _warp_ops("op_hmma_src_tf32_dst_fp32"),
    _warp_ops("op_imma_src_int8"),
    _warp_ops("src_fp64"),
    _threads("fma", 2),
    _threads("fp64", 1),
    *_COMMON,
)

METRICS = {Target.HOPPER: _HOPPER, Target.BLACKWELL: _BLACKWELL}
