"""Readings of hardware counters for tests, written as short words; whatever is not named counts zero."""

from evaluation.core.measure.seen import ProbeSeen, Reading

_TENSOR = "sm__ops_path_tensor_"
_COMMON = {
    "loads": "smsp__inst_executed_op_tma_ld_pred_on_any.sum",
    "stores": "smsp__inst_executed_op_tma_st_pred_on_any.sum",
    "bytes": "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
    "ns": "gpu__time_duration.sum",
    "busy": "sm__cycles_active.max",
    "elapsed": "sm__cycles_elapsed.max",
    "fma": "sm__thread_inst_executed_pipe_fma_pred_on.sum",
    "fp64": "sm__thread_inst_executed_pipe_fp64_pred_on.sum",
}
HOPPER = {
    "bf16": f"{_TENSOR}op_hgmma_src_bf16_dst_fp32_sparsity_off.sum",
    "bf16_sparse": f"{_TENSOR}op_hgmma_src_bf16_dst_fp32_sparsity_on.sum",
    "tf32": f"{_TENSOR}op_hgmma_src_tf32_dst_fp32_sparsity_off.sum",
    "tf32_sparse": f"{_TENSOR}op_hgmma_src_tf32_dst_fp32_sparsity_on.sum",
    "fp16": f"{_TENSOR}op_hgmma_src_fp16_sparsity_off.sum",
    "fp16_sparse": f"{_TENSOR}op_hgmma_src_fp16_sparsity_on.sum",
    "fp8": f"{_TENSOR}src_fp8_sparsity_off.sum",
    "fp8_sparse": f"{_TENSOR}src_fp8_sparsity_on.sum",
    "gmma": "sm__inst_executed_pipe_tensor_op_gmma.sum",
    "half": "sm__inst_executed_pipe_tensor_op_hmma.sum",
    "hfma2": "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum",
    "integer": "sm__inst_executed_pipe_tensor_op_imma.sum",
    "double": "sm__inst_executed_pipe_tensor_op_dmma.sum",
    "fma_fp16": "sm__thread_inst_executed_pipe_fma_type_fp16_pred_on.sum",
    **_COMMON,
}
BLACKWELL = {
    "bf16": f"{_TENSOR}op_utchmma_src_bf16_dst_fp32_sparsity_off.sum",
    "bf16_sparse": f"{_TENSOR}op_utchmma_src_bf16_dst_fp32_sparsity_on.sum",
    "tf32": f"{_TENSOR}op_utchmma_src_tf32_dst_fp32_sparsity_off.sum",
    "tf32_sparse": f"{_TENSOR}op_utchmma_src_tf32_dst_fp32_sparsity_on.sum",
    "fp16_to_fp16": f"{_TENSOR}op_utchmma_src_fp16_dst_fp16.sum",
    "fp16": f"{_TENSOR}op_utchmma_src_fp16_dst_fp32.sum",
    "fp8_to_fp16": f"{_TENSOR}op_utcqmma_src_fp4_fp6_fp8_dst_fp16.sum",
    "fp8": f"{_TENSOR}op_utcqmma_src_fp4_fp6_fp8_dst_fp32.sum",
    "fp4": f"{_TENSOR}op_utcomma_src_fp4_dst_fp32.sum",
    "int8": f"{_TENSOR}op_utcimma_src_int8.sum",
    "warp_bf16": f"{_TENSOR}op_hmma_src_bf16_dst_fp32.sum",
    "warp_fp16_to_fp16": f"{_TENSOR}op_hmma_src_fp16_dst_fp16.sum",
    "warp_fp16": f"{_TENSOR}op_hmma_src_fp16_dst_fp32.sum",
    "warp_tf32": f"{_TENSOR}op_hmma_src_tf32_dst_fp32.sum",
    "warp_int8": f"{_TENSOR}op_imma_src_int8.sum",
    "warp_fp64": f"{_TENSOR}src_fp64.sum",
    **_COMMON,
}


def reading(names: dict[str, str], call: int = 0, **counts: int) -> Reading:
    """One reading: ``bf16=4`` is a count of four of the metric that the table has under ``bf16``."""
    left = {names[word]: count for word, count in counts.items()}
    values = tuple((name, left.get(name, 0)) for name in names.values())
    return Reading(launcher=0, call=call, values=values)


def hopper(**counts: int) -> ProbeSeen:
    """Three readings that agree."""
    return ProbeSeen(tuple(reading(HOPPER, call, **counts) for call in (5, 17, 40)))


def blackwell(**counts: int) -> ProbeSeen:
    return ProbeSeen(tuple(reading(BLACKWELL, call, **counts) for call in (5, 17, 40)))
