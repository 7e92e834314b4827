"""Compiling kernels for real: products, determinism, headers and failures."""

import dataclasses
import hashlib
import time

import pytest

from evaluation.adapters.nvcc import Nvcc
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.binary.elf import read_image
from evaluation.core.binary.library import read_library
from evaluation.core.compile.build import BuildLimits, Built, Failed, FailureKind
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.ports import Jail, JailCommand, JailFile, Limits, Output
from evaluation.core.verdict import Target

pytestmark = pytest.mark.toolchain

KERNEL = b"""\
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <tvm/ffi/tvm_ffi.h>
__device__ float scale = 2.0f;
__global__ void twice(const __nv_bfloat16* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scale * __bfloat162float(in[i]) + expf(out[i]);
}
namespace { template <int N> __global__ void hidden(float* out) { out[threadIdx.x] = N; } }
void run(tvm::ffi::TensorView in, tvm::ffi::TensorView out) {
  int n = static_cast<int>(in.size(0));
  twice<<<(n + 127) / 128, 128>>>(static_cast<__nv_bfloat16*>(in.data_ptr()), static_cast<float*>(out.data_ptr()), n);
  hidden<7><<<1, 32>>>(static_cast<float*>(out.data_ptr()));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
"""


def built(program: Built | Failed) -> Built:
    assert isinstance(program, Built), program.log
    return program


def failed(program: Built | Failed) -> Failed:
    assert isinstance(program, Failed)
    return program


@pytest.fixture(scope="module")
def program(compiler: Nvcc) -> Built:
    return built(compiler.build(KERNEL, Target.HOPPER))


def test_the_cubin_holds_the_kernels_under_names_without_hash_or_path(program: Built) -> None:
    facts = read_cubin(program.cubin)

    assert facts.sm == 90
    assert sorted(one.name for one in facts.functions) == [
        "_Z5twicePK13__nv_bfloat16Pfi",
        "_ZN41_GLOBAL__N__00000000_9_kernel_cu_000000006hiddenILi7EEEvPf",
    ]
    assert [(one.name, one.size) for one in facts.symbols] == [("scale", 4)]


def test_the_library_exports_run_alone_and_holds_no_device_image(program: Built) -> None:
    facts = read_library(program.library)

    assert facts.exports == ("__tvm_ffi_run",)
    assert {"libptxboard_shim.so", "libtvm_ffi.so"} <= set(facts.needed)
    assert set(facts.needed) <= {
        "libptxboard_shim.so",
        "libtvm_ffi.so",
        "libstdc++.so.6",
        "libgcc_s.so.1",
        "libm.so.6",
        "libc.so.6",
        "ld-linux-x86-64.so.2",
    }
    assert (facts.bind_now, facts.relro, facts.runpaths, facts.images) == (True, True, (), ())
    assert {"__cudaRegisterFatBinary", "__cudaLaunchKernel"} <= {one.name for one in facts.imports}


def test_the_slim_headers_serve_an_ordinary_kernel(program: Built) -> None:
    assert program.headers is HeaderSet.SLIM
    assert [step.name for step in program.steps] == [
        "device_preprocess",
        "device_compile",
        "host_preprocess",
        "host_split",
        "assemble",
        "host_compile",
        "host_assemble",
        "shim_name",
        "shim_name",
        "link",
    ]


def test_one_source_gives_the_same_bytes_at_another_time_and_in_another_jail(
    compiler: Nvcc, program: Built
) -> None:
    source = KERNEL + b"static const char* when = __DATE__ __TIME__ __TIMESTAMP__ __FILE__;\n"
    source += b"__device__ char stamp[] = __DATE__ __TIME__ __FILE__;\n"

    first = built(compiler.build(source, Target.HOPPER))
    time.sleep(1.1)
    second = built(compiler.build(source, Target.HOPPER))

    assert first.cubin == second.cubin
    assert first.library == second.library
    assert b"Jan  1 197000:00:00/w/kernel.cu\0" in first.cubin


def test_the_code_is_what_nvcc_itself_makes_of_the_source(
    jail: Jail, toolchain: Toolchain, compiler: Nvcc
) -> None:
    source = KERNEL.replace(b"namespace {", b"namespace visible {").replace(
        b"hidden<7><<<", b"visible::hidden<7><<<"
    )
    nvcc = f"/toolchain/bin/nvcc -cubin -O3 -std=c++17 -lineinfo -gencode {Target.HOPPER.gencode}"
    result = jail.run(
        JailCommand(
            (
                *("/usr/bin/bash", "-c"),
                f"{nvcc} -I/toolchain/tvm/include -isystem /toolchain/cccl /w/kernel.cu -o k.cubin && cat k.cubin >&10",
            ),
            Limits(120, 120, 4 << 30, 1 << 28, 1 << 28, 32, 64, 10_000, 10_000),
            binds=toolchain.compile_binds(),
            files=(JailFile("/w/kernel.cu", source),),
            outputs=(Output("cubin", 10, 1 << 24),),
            environment=(("PATH", "/usr/bin"), ("SOURCE_DATE_EPOCH", "0")),
        )
    )
    assert result.exit_code == 0, result.stderr.content

    ours = built(compiler.build(source, Target.HOPPER, headers=(HeaderSet.REAL,)))

    assert code(ours.cubin) == code(result.outputs["cubin"].content)
    assert len(code(ours.cubin)) == 2


def code(cubin: bytes) -> dict[str, str]:
    image = read_image(cubin, where="cubin")
    sections = [one for one in image.sections if one.name.startswith(".text.")]
    return {
        one.name: hashlib.sha256(image.bytes_of(one, limit_bytes=1 << 20)).hexdigest()
        for one in sections
    }


def test_a_blackwell_kernel_compiles_for_blackwell_only(compiler: Nvcc) -> None:
    source = (
        KERNEL
        + b"""
__global__ void tensor_memory(unsigned* out) {
  __shared__ unsigned where;
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;"
               :: "r"((unsigned)__cvta_generic_to_shared(&where)));
  out[threadIdx.x] = where;
}
"""
    )

    assert read_cubin(built(compiler.build(source, Target.BLACKWELL)).cubin).sm == 100
    refused = failed(compiler.build(source, Target.HOPPER))
    assert (refused.kind, refused.step) == (FailureKind.ERROR, "assemble")
    assert "tcgen05.alloc" in refused.log


def test_the_allowed_headers_compile(compiler: Nvcc) -> None:
    names = (
        *(
            "cuda/barrier",
            "cuda/ptx",
            "cuda/std/array",
            "cuda/pipeline",
            "cuda/atomic",
            "nv/target",
        ),
        *("cooperative_groups.h", "cooperative_groups/reduce.h", "mma.h", "cuda_fp8.h", "cuda.h"),
    )
    includes = "".join(f"#include <{name}>\n" for name in names)

    built(compiler.build(includes.encode() + KERNEL, Target.HOPPER))


@pytest.mark.parametrize(
    "include",
    [
        "<cub/cub.cuh>",
        "<thrust/sort.h>",
        "<cccl/cub/cub.cuh>",
        '"/toolchain/include/cccl/thrust/sort.h"',
        "<cublas_v2.h>",
        "<cudnn.h>",
        "<cutlass/cutlass.h>",
    ],
)
def test_a_vendor_library_is_not_there(compiler: Nvcc, include: str) -> None:
    refused = failed(compiler.build(f"#include {include}\n".encode() + KERNEL, Target.HOPPER))

    assert (refused.kind, refused.step) == (FailureKind.ERROR, "device_preprocess")
    assert "No such file or directory" in refused.log


def test_a_source_that_needs_more_of_tvm_ffi_gets_the_real_headers(compiler: Nvcc) -> None:
    source = b"#include <tvm/ffi/container/array.h>\nstatic tvm::ffi::Array<int> kept;\n" + KERNEL

    assert built(compiler.build(source, Target.HOPPER)).headers is HeaderSet.REAL
    alone = failed(compiler.build(source, Target.HOPPER, headers=(HeaderSet.SLIM,)))
    assert (alone.kind, alone.headers) == (FailureKind.ERROR, HeaderSet.SLIM)


def test_an_error_names_its_line_without_the_jails_paths(compiler: Nvcc) -> None:
    refused = failed(compiler.build(KERNEL + b"int broken = ;\n", Target.HOPPER))

    assert refused.kind is FailureKind.ERROR
    assert "kernel.cu(16): error: expected an expression" in refused.log
    assert "/w/" not in refused.log


def test_at_most_fifty_errors_are_listed(compiler: Nvcc) -> None:
    many = b"void many() {\n" + b"".join(b"missing_%d();\n" % n for n in range(300)) + b"}\n"

    refused = failed(compiler.build(many, Target.HOPPER))

    assert refused.log.count("is undefined") == 50


def test_a_source_over_the_limit_is_not_compiled(compiler: Nvcc) -> None:
    small = dataclasses.replace(compiler, limits=BuildLimits(source_bytes=100))

    refused = failed(small.build(b"x" * 101, Target.HOPPER))

    assert (refused.kind, refused.log) == (
        FailureKind.SOURCE_TOO_LARGE,
        "101 bytes; at most 100 are taken",
    )
