from pathlib import Path

import pytest

from evaluation.adapters.toolchain import Toolchain
from evaluation.core.source.policy_headers import ALLOWED, CUDA_RUNTIME, LIBCUXX, refuse


@pytest.mark.parametrize(
    "name",
    [
        *("cuda.h", "cuda_runtime.h", "cuda_bf16.h", "mma.h", "cooperative_groups/scan.h"),
        *("cuda/barrier", "cuda/std/span", "cuda/latch", "nv/target", "cudaTypedefs.h"),
        *("stdint.h", "cstdint", "atomic", "semaphore", "memory", "bits/stdc++.h", "threads.h"),
        *("tvm/ffi/tvm_ffi.h", "tvm/ffi/extra/cuda/device_guard.h", "dlpack/dlpack.h"),
    ],
)
def test_a_header_on_the_list_may_be_included(name: str) -> None:
    assert refuse(name) is None


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        *(("include-library", one) for one in ("cublasXt.h", "cuDNN.h", "cute.hpp", "cub/x.cuh")),
        *(("include-library", one) for one in ("tvm/runtime/c_api.h", "tvm_ffi_python_helpers.h")),
        *(("include-library", one) for one in ("nvToolsExt.h", "cuda_profiler_api.h", "nvvm.h")),
        *(("include-unlisted", one) for one in ("cuda/functional", "cuda/std/__cccl/assert.h")),
        *(("include-unlisted", one) for one in ("cooperative_groups/details/info.h", "nv/detail")),
        *(("include-unlisted", one) for one in ("semaphore.h", "immintrin.h", "cuda_gl_interop.h")),
        *(("include-unlisted", one) for one in ("kernel.cu", "Stdint.h", "tvm", "cuda")),
        *(("include-path", one) for one in ("", "/", "/a", "a/", "a//b", "..", "../a", "a/..")),
        *(("include-path", one) for one in ("a/./b", "tvm/ffi/../../x", "dlpack/", "a\\b", " a")),
        *(("include-path", one) for one in ("a b", ".a", "a\n", "caf\u00e9.h", "a\udcff", "a*b")),
    ],
)
def test_any_other_header_is_refused_by_a_named_rule(rule: str, name: str) -> None:
    refusal = refuse(name)
    assert refusal is not None
    assert refusal.rule == rule


def test_a_wrong_case_is_answered_with_the_right_name() -> None:
    refusal = refuse("Cuda_Runtime.H")
    assert refusal is not None
    assert refusal.instead == "Header names are case-sensitive: write <cuda_runtime.h>."


def test_a_hostile_name_is_shown_quoted_and_bounded() -> None:
    refusal = refuse("\x1b[31m" + "a" * 5000)
    assert refusal is not None
    assert refusal.message.startswith("'\\x1b[31maaaa")
    assert len(refusal.message) < 200


@pytest.mark.toolchain
def test_every_cuda_header_on_the_list_is_shipped_and_every_shipped_one_is_decided(
    toolchain: Toolchain,
) -> None:
    root = toolchain.root / "nvidia/cu13/include"
    assert [name for name in sorted(CUDA_RUNTIME) if not (root / name).is_file()] == []
    assert [name for name in sorted(LIBCUXX) if not (root / "cccl" / name).is_file()] == []
    assert refused_at(root) == {
        *("cudaEGL.h", "cudaEGLTypedefs.h", "cudaGL.h", "cudaGLTypedefs.h", "cudaVDPAU.h"),
        *("cudaProfilerTypedefs.h", "cudaVDPAUTypedefs.h", "cuda_device_runtime_api.h"),
        *("cuda_egl_interop.h", "cuda_gl_interop.h", "cuda_vdpau_interop.h", "cudart_platform.h"),
        *("fatbinary_section.h", "nvvm.h"),
    }


def refused_at(root: Path) -> set[str]:
    return {one.name for one in root.iterdir() if one.is_file()} - ALLOWED
