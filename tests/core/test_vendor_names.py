"""Kernel names that prove a baseline, and names that disprove it."""

import pytest

from evaluation.core.catalogue.problem import Baseline
from evaluation.core.measure.vendor_names import strangers

MATMUL, FORWARD = Baseline.CUBLAS_MATMUL, Baseline.CUDNN_SDPA_FORWARD
CUDNN = (
    "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_kernel0_0"
)


@pytest.mark.parametrize(
    ("baseline", "names"),
    [
        (MATMUL, ["nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT"]),
        (
            MATMUL,
            ["sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1"],
        ),
        (
            MATMUL,
            [
                "Memset (Device)",
                "void cublasLt::splitKreduce_kernel<32, 16>()",
                "cutlass_80_wmma_tensorop_bf16_s161616gemm",
            ],
        ),
        (MATMUL, ["cutlass3x_sm90_tensorop_s64x128x16gemm_bf16"]),
        (FORWARD, [CUDNN]),
        (
            FORWARD,
            ["void at::native::vectorized_elementwise_kernel<4, FillFunctor<long>>()", CUDNN],
        ),
        (
            Baseline.CUDNN_SDPA_BACKWARD,
            ["void cudnn::fusion::compute_dot_do_o_specialized<true>()", CUDNN],
        ),
    ],
)
def test_the_vendors_own_kernels_prove_it(baseline: Baseline, names: list[str]) -> None:
    assert strangers(baseline, names) == ()


@pytest.mark.parametrize(
    ("baseline", "names", "foreign"),
    [
        (MATMUL, [], ("nothing",)),
        (MATMUL, ["triton_mm"], ("triton_mm",)),
        (MATMUL, ["nvjet_tst_128x256", "my_epilogue"], ("my_epilogue",)),
        (FORWARD, ["Memset (Device)"], ("Memset (Device)",)),  # nothing of the vendor's ran
        (
            FORWARD,
            ["void pytorch_flash::flash_fwd_kernel<>()"],
            ("void pytorch_flash::flash_fwd_kernel<>()",),
        ),
        (
            FORWARD,
            ["fmha_cutlassF_bf16_aligned_64x128_rf_sm80", CUDNN],
            ("fmha_cutlassF_bf16_aligned_64x128_rf_sm80",),
        ),
        (FORWARD, ["nvjet_tst_128x256"], ("nvjet_tst_128x256",)),
    ],
)
def test_other_kernels_disprove_it(
    baseline: Baseline, names: list[str], foreign: tuple[str, ...]
) -> None:
    assert strangers(baseline, names) == foreign
