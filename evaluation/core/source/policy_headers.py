"""Which headers a kernel may include, and what to say about the others.

The CUDA names are those that nvidia-cuda-runtime, nvidia-cuda-crt and nvidia-cuda-cccl 13.0 really
ship; rule R12 (docs/rules.md) decides about ``cuda/``. A name is compared whole and with its case.
"""

import re
from dataclasses import dataclass

from evaluation.core.quoting import quoted
from evaluation.core.source.policy_families import FAMILIES


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


CUDA_RUNTIME = _names(
    """
    builtin_types.h channel_descriptor.h common_functions.h cooperative_groups.h cuComplex.h cuda.h
    cudaTypedefs.h cuda_awbarrier.h cuda_awbarrier_helpers.h cuda_awbarrier_primitives.h cuda_bf16.h
    cuda_bf16.hpp cuda_fp16.h cuda_fp16.hpp cuda_fp4.h cuda_fp4.hpp cuda_fp6.h cuda_fp6.hpp
    cuda_fp8.h cuda_fp8.hpp cuda_occupancy.h cuda_pipeline.h cuda_pipeline_helpers.h
    cuda_pipeline_primitives.h cuda_runtime.h cuda_runtime_api.h device_atomic_functions.h
    device_atomic_functions.hpp device_double_functions.h device_functions.h
    device_launch_parameters.h device_types.h driver_functions.h driver_types.h host_config.h
    host_defines.h library_types.h math_constants.h math_functions.h mma.h
    sm_20_atomic_functions.h sm_20_atomic_functions.hpp sm_20_intrinsics.h sm_20_intrinsics.hpp
    sm_30_intrinsics.h sm_30_intrinsics.hpp sm_32_atomic_functions.h sm_32_atomic_functions.hpp
    sm_32_intrinsics.h sm_32_intrinsics.hpp sm_35_atomic_functions.h sm_35_intrinsics.h
    sm_60_atomic_functions.h sm_60_atomic_functions.hpp sm_61_intrinsics.h sm_61_intrinsics.hpp
    surface_indirect_functions.h surface_types.h texture_indirect_functions.h texture_types.h
    vector_functions.h vector_functions.hpp vector_types.h
    cooperative_groups/memcpy_async.h cooperative_groups/reduce.h cooperative_groups/scan.h
    """
)
# R12 names barrier, pipeline, ptx and atomic; latch and semaphore are their siblings of libcu++.
LIBCUXX = _names(
    "cuda/atomic cuda/barrier cuda/latch cuda/pipeline cuda/ptx cuda/semaphore nv/target"
) | frozenset(
    f"cuda/std/{name}"
    for name in _names("""
    array atomic barrier bit bitset cassert ccomplex cfloat chrono climits cmath complex concepts
    cstddef cstdint cstdlib cstring ctime expected functional initializer_list inplace_vector
    iterator latch limits linalg mdspan memory numbers numeric optional ranges ratio semaphore
    source_location span tuple type_traits utility variant version
    """)
)
C_LIBRARY = _names(
    """
    assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h
    setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
    stdnoreturn.h string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h
    """
)
# C++17 and C++20. bits/stdc++.h is libstdc++'s own list of exactly these.
CXX_LIBRARY = _names(
    """
    algorithm any array atomic barrier bit bits/stdc++.h bitset cassert ccomplex cctype cerrno cfenv
    cfloat charconv chrono cinttypes ciso646 climits clocale cmath codecvt compare complex concepts
    condition_variable coroutine csetjmp csignal cstdalign cstdarg cstdbool cstddef cstdint cstdio
    cstdlib cstring ctgmath ctime cuchar cwchar cwctype deque exception execution filesystem format
    forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream
    iterator latch limits list locale map memory memory_resource mutex new numbers numeric optional
    ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex
    source_location span sstream stack stdexcept stop_token streambuf string string_view strstream
    syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set
    utility valarray variant vector version
    """
)
ALLOWED = CUDA_RUNTIME | LIBCUXX | C_LIBRARY | CXX_LIBRARY
ALLOWED_TREES = ("tvm/ffi/", "dlpack/")
_BY_LOWER_CASE = {name.lower(): name for name in ALLOWED}

_PLAIN_PATH = re.compile(r"[A-Za-z0-9_+-][A-Za-z0-9_+.-]*(?:/[A-Za-z0-9_+-][A-Za-z0-9_+.-]*)*\Z")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a header may not be included: a rule id, what is wrong, what to do instead."""

    rule: str
    message: str
    instead: str


def refuse(name: str) -> Refusal | None:
    """Say why the header ``name`` (without brackets or quotes) may not be included; None if it may."""
    if not _PLAIN_PATH.match(name):
        return Refusal(
            "include-path",
            f"{quoted(name)} is not a plain header path",
            "Write the name as its package does, for example <cuda_runtime.h>: no leading slash, no "
            "'.' or '..' directory, no '//', no backslash, no spaces.",
        )
    if name in ALLOWED or name.startswith(ALLOWED_TREES):
        return None
    lower = name.lower()
    for family in FAMILIES:
        if lower.startswith(family.starts):
            return Refusal(family.rule, f"{quoted(name)} {family.what}", family.instead)
    same = _BY_LOWER_CASE.get(lower)
    return Refusal(
        "include-unlisted",
        f"{quoted(name)} is not on the list of headers that kernels may include",
        f"Header names are case-sensitive: write <{same}>."
        if same
        else "Put the code into this one file, or use the CUDA runtime headers, the C and C++ "
        "standard library, tvm/ffi/ or dlpack/.",
    )
