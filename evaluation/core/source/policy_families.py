"""Headers that people do try and may not have, with the reason and the way out for each family."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """``starts``: how the path begins, in lower case. ``what`` completes "'name' ...".

    The first family that fits speaks, so a narrow one stands before a wide one.
    """

    rule: str
    starts: tuple[str, ...]
    what: str
    instead: str


_IN_KERNEL = "Write this computation in the kernel itself; inline PTX is allowed."

_LIBRARIES = (
    Family(
        "include-library", ("cublas", "nvblas"), "is part of cuBLAS, a vendor library", _IN_KERNEL
    ),
    Family("include-library", ("cudnn",), "is part of cuDNN, a vendor library", _IN_KERNEL),
    Family(
        "include-library",
        ("cufft", "curand", "cusparse", "cusolver", "cutensor", "npp", "nccl", "nvshmem"),
        "is part of a vendor library",
        _IN_KERNEL,
    ),
    Family(
        "include-library",
        ("cutlass", "cute/", "cute."),
        "is part of CUTLASS",
        "Write the loads, layouts and matrix instructions as inline PTX.",
    ),
    Family("include-library", ("cub/", "thrust/"), "is part of CUB and Thrust", _IN_KERNEL),
    Family(
        "include-library",
        ("torch/", "aten/", "c10/", "caffe2/", "pybind11/", "python.h"),
        "is part of PyTorch or Python, which are not there when the kernel runs",
        "Take tvm::ffi::TensorView arguments from <tvm/ffi/tvm_ffi.h>.",
    ),
    Family(
        "include-library",
        ("flashinfer", "flash_attn", "flash.h", "deep_gemm", "xformers", "triton/", "raft/"),
        "is part of a kernel library",
        _IN_KERNEL,
    ),
    Family(
        "include-library",
        ("tvm/", "tvm_ffi"),
        "is outside TVM's function interface",
        "Include <tvm/ffi/tvm_ffi.h> or another header below tvm/ffi/.",
    ),
    Family(
        "include-library",
        ("nvrtc", "nvjitlink", "nvptxcompiler", "nvfatbin", "nvvm", "fatbinary"),
        "is for compiling or loading device code at run time",
        "Instantiate the kernels you need at compile time.",
    ),
    Family(
        "include-library",
        ("cupti", "cuda_profiler", "cudaprofiler", "nvtx", "nvtools", "nvml", "nvperf"),
        "is for profiling and device control, which belong to the judge",
        "Remove it.",
    ),
)
_CUDA = (
    Family(
        "include-unlisted",
        ("cuda_device_runtime_api", "cuda_cdprt"),
        "is for launches from device code (cudadevrt), which are not linked here",
        "Launch every kernel from the host function.",
    ),
    Family(
        "include-unlisted",
        ("cudaegl", "cudagl", "cudavdpau", "cuda_egl", "cuda_gl", "cuda_vdpau", "cudart_platform"),
        "is for graphics, which a judged kernel has not",
        "Remove it.",
    ),
    Family(
        "include-unlisted",
        (
            "crt/",
            "bits/",
            "cuda/__",
            "cuda/std/__",
            "cuda/std/detail",
            "nv/",
            "cooperative_groups/",
        ),
        "is internal to its library",
        "Include the public header that uses it.",
    ),
    Family(
        "include-unlisted",
        ("cuda/",),
        "is a part of libcu++ that is not on the list",
        "Allowed are <cuda/std/...>, <cuda/barrier>, <cuda/pipeline>, <cuda/ptx>, <cuda/atomic>, "
        "<cuda/latch> and <cuda/semaphore>.",
    ),
)
_SYSTEM_DIRECTORIES = ("sys/", "linux/", "asm/", "asm-generic/", "net/", "netinet/", "arpa/")
_SYSTEM_FILES = (
    *("aio.h", "alloca.h", "byteswap.h", "dirent.h", "dlfcn.h", "elf.h", "endian.h", "execinfo.h"),
    *("fcntl.h", "ftw.h", "glob.h", "grp.h", "link.h", "malloc.h", "memory.h", "mqueue.h"),
    *("netdb.h", "poll.h", "pthread.h", "pwd.h", "sched.h", "semaphore.h", "spawn.h", "strings.h"),
    *("syscall.h", "termios.h", "ucontext.h", "unistd.h", "wait.h", "windows.h"),
)
_HOST = (
    Family(
        "include-unlisted",
        _SYSTEM_DIRECTORIES + _SYSTEM_FILES,
        "belongs to the operating system, not to the C or C++ standard library",
        "Remove it: host code may compute, allocate and launch; all else comes as arguments.",
    ),
    Family(
        "include-unlisted",
        ("immintrin.h", "x86intrin.h", "xmmintrin.h", "emmintrin.h", "cpuid.h", "omp.h", "openacc"),
        "is about the host's processor",
        "Put the work into device code; host code only prepares launches.",
    ),
)
FAMILIES = _LIBRARIES + _CUDA + _HOST
