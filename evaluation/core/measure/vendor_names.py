"""Which kernels are the vendor library's own: a baseline must be proven by what ran, not by what was called."""

import re
from collections.abc import Iterable

from evaluation.core.catalogue.problem import Baseline

# Names of kernels as the CUDA tracer gives them. cuBLAS: its own generator's nvjet, and the older cutlass and xmma
# families that carry its names; cuDNN says so itself.
_CUBLAS = re.compile(r"^(void )?(nvjet|sm\d+_xmma_gemm|cutlass|gemv|gemm)|cublas")
_CUDNN = re.compile(r"^(void )?cudnn")
# Helpers around a vendor call: zeros of a workspace, sums of parts.
_HELPER = re.compile(r"^Memset|^Memcpy|memset|fill|splitKreduce|vectorized_elementwise_kernel")

_OWN = {
    Baseline.CUBLAS_MATMUL: _CUBLAS,
    Baseline.CUDNN_SDPA_FORWARD: _CUDNN,
    Baseline.CUDNN_SDPA_BACKWARD: _CUDNN,
}


def strangers(baseline: Baseline, kernels: Iterable[str]) -> tuple[str, ...]:
    """Give the kernels of one call that are neither the library's nor helpers; ``("nothing",)`` where none was its."""
    names = tuple(kernels)
    own = _OWN[baseline]
    if not any(own.search(name) for name in names):
        return names or ("nothing",)
    return tuple(name for name in names if not own.search(name) and not _HELPER.search(name))
