"""The command lines of a build: nvcc's own steps for this pinned version, run by ourselves in fixed places.

nvcc would run them one after another. Here the host and the device half are independent: both get the same fixed
module id, and the host half gets an empty fat binary, so it waits for no assembler and holds no device image. The cubin
is what ptxas writes and nothing else (docs/rules.md, R4). ``tests/adapters/test_nvcc_steps.py`` compares every step
with ``nvcc --dryrun``.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from evaluation.core.library_names import ENTRY, SHIM_LIBRARY
from evaluation.core.verdict import Target

SOURCE = "/w/kernel.cu"
MODULE_ID = "/w/module_id"
FATBIN = "/w/kernel.fatbin.c"
VERSION_SCRIPT = "/w/exports.map"

MODULE_ID_TEXT = b"_00000000_9_kernel_cu_00000000"
VERSION_SCRIPT_TEXT = f"{{ global: {ENTRY}; local: *; }};\n".encode()
FATBIN_TEXT = b"""\
#include "fatbinary_section.h"
static const unsigned long long ptxboard_no_image[2] __attribute__((section(".nv_fatbin"), aligned(8))) = {0, 0};
static const __fatBinC_Wrapper_t __fatDeviceText
    __attribute__((section(".nvFatBinSegment"), aligned(8))) = {0x466243b1, 1, ptxboard_no_image, 0};
"""

_GCC = "/usr/bin/gcc"
_GXX = "/usr/bin/g++"
_INCLUDE = "/toolchain/include"
_MAX_ERRORS = "50"

# A tool may use what the ones before it have left. ``times`` says that of ended children: "0m1.250s 0m0.750s".
_BOUND = """\
bound() {
times >times
{ read -r _; read -r user system; } <times
used=$((${user%m*} * 60 + ${system%m*} * 60))
user=${user#*m} system=${system#*m}
used=$((used + ${user%.*} + ${system%.*}))
ulimit -S -t $((used < budget ? budget - used : 1)); }"""

STEP_REPORT_DESCRIPTOR = 20
FIRST_RESULT_DESCRIPTOR = 10


# Steps whose errors can come from what a set of headers lacks.
READS_HEADERS = frozenset(
    {"host_preprocess", "host_split", "device_preprocess", "device_compile", "host_compile"}
)


class HeaderSet(StrEnum):
    """Which C++ face of TVM-FFI a source was compiled with: our slim one or the package's own."""

    SLIM = "slim"
    REAL = "real"


@dataclass(frozen=True, slots=True)
class Step:
    """One run of one tool. ``name`` is also the word for it in reports."""

    name: str
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What one jail does: steps in order, then files (relative to /tmp) handed out in order."""

    name: str
    steps: tuple[Step, ...]
    results: tuple[str, ...]

    def script(self) -> str:
        """Shell text for the jail; its one argument is the processor time of all steps together, in seconds.

        Every step writes its name, exit code and end to the report descriptor.
        """
        closed = " ".join(f"{FIRST_RESULT_DESCRIPTOR + n}>&-" for n in range(len(self.results)))
        report = f">&{STEP_REPORT_DESCRIPTOR}"
        lines = (
            "exec 9>&2 2>/dev/null",  # the shell's own remarks on a tool's death are not the tool's
            _BOUND,
            f'step() {{ name=$1; shift; bound; "$@" >&9 2>&9 9>&- {closed} {STEP_REPORT_DESCRIPTOR}>&-; code=$?;',
            f'echo "$name $code $EPOCHREALTIME" {report}; [ $code -eq 0 ] || exit 1; }}',
            "budget=$1",
            f'echo "start 0 $EPOCHREALTIME" {report}',
            *(f"step {step.name} {shlex.join(step.argv)}" for step in self.steps),
            *(
                f"/usr/bin/cat {name} >&{FIRST_RESULT_DESCRIPTOR + n}"
                for n, name in enumerate(self.results)
            ),
        )
        return "\n".join(lines) + "\n"


def host_front(target: Target, headers: HeaderSet, *, gnu_version: int) -> Part:
    """From the source to C++ that g++ can compile."""
    preprocess = (
        *(_GCC, "-std=c++17", f"-D__CUDA_ARCH_LIST__={_arch(target)}", "-E", "-x", "c++"),
        *("-D__CUDACC__", "-D__NVCC__", *_for_preprocessor(headers)),
        *("-include", "cuda_runtime.h", "-m64", SOURCE, "-o", "kernel.cpp4.ii"),
    )
    split = (
        *("/toolchain/bin/cudafe++", *_for_front_end(gnu_version), "--m64", "--parse_templates"),
        *("--gen_c_file_name", "kernel.cudafe1.cpp", "--stub_file_name", "kernel.cudafe1.stub.c"),
        *("--module_id_file_name", MODULE_ID, "kernel.cpp4.ii"),
    )
    steps = (Step("host_preprocess", preprocess), Step("host_split", split))
    return Part("host_front", steps, ("kernel.cudafe1.cpp",))


def device_front(target: Target, headers: HeaderSet, *, gnu_version: int) -> Part:
    """From the source to PTX, and to the stub that registers the kernels in the host half."""
    preprocess = (
        *(_GCC, "-std=c++17", *_arch_macros(target), "-E", "-x", "c++"),
        *(
            "-DCUDA_DOUBLE_MATH_FUNCTIONS",
            "-D__CUDACC__",
            "-D__NVCC__",
            *_for_preprocessor(headers),
        ),
        *("-include", "cuda_runtime.h", "-m64", SOURCE, "-o", "kernel.cpp1.ii"),
    )
    compile_ = (
        *("/toolchain/nvvm/bin/cicc", *_for_front_end(gnu_version)),
        *("-arch", target.sm.replace("sm_", "compute_"), "-m64", "--no-version-ident"),
        *("-ftz=0", "-prec_div=1", "-prec_sqrt=1", "-fmad=1"),
        *("--include_file_name", "kernel.fatbin.c", "-generate-line-info", "-tused"),
        *("--module_id_file_name", MODULE_ID, "--gen_c_file_name", "kernel.cudafe1.c"),
        *(
            "--stub_file_name",
            "kernel.cudafe1.stub.c",
            "--gen_device_file_name",
            "kernel.cudafe1.gpu",
        ),
        *("kernel.cpp1.ii", "-o", "kernel.ptx"),
    )
    steps = (Step("device_preprocess", preprocess), Step("device_compile", compile_))
    return Part("device_front", steps, ("kernel.cudafe1.stub.c", "kernel.ptx"))


def assemble(target: Target, *, measured: bool = False) -> Part:
    """From PTX (``/w/kernel.ptx``) to the cubin; if ``measured``, from ``/w/measured.ptx`` to a second one (T5)."""
    names = ("kernel", "measured") if measured else ("kernel",)
    ptxas = ("/toolchain/bin/ptxas", f"-arch={target.sm}", "-m64", "--generate-line-info")
    steps = tuple(
        Step(
            "assemble" if name == "kernel" else f"assemble_{name}",
            (*ptxas, f"/w/{name}.ptx", "-o", f"{name}.cubin"),
        )
        for name in names
    )
    return Part("assemble", steps, tuple(f"{name}.cubin" for name in names))


def host_back(target: Target) -> Part:
    """From C++ and stub (in ``/w``) to the linked host library."""
    compile_ = (
        *(_GCC, "-std=c++17", *_arch_macros(target), "-S", "-x", "c++"),
        *("-DCUDA_DOUBLE_MATH_FUNCTIONS", "-fPIC", "-O3", "-Wno-psabi"),
        # One source, one library: no seed of the day, no random canary in what the recorder sees on the stack (L3).
        *("-frandom-seed=kernel.cu", "-fno-stack-protector", f"-fmax-errors={_MAX_ERRORS}"),
        *("-I/w", f"-I{_INCLUDE}", "-isystem", "/toolchain/cccl", "-m64"),
        *("/w/kernel.cudafe1.cpp", "-o", "kernel.s"),
    )
    # nvcc leaves this to gcc, which would hide how the assembler ended and name its file at random.
    assemble_ = ("/usr/bin/as", "--64", "kernel.s", "-o", "kernel.o")
    # The real shim is not needed to link, only its name.
    name_object = ("/usr/bin/as", "/dev/null", "-o", "empty.o")
    name = ("/usr/bin/ld", "-shared", "-soname", SHIM_LIBRARY, "empty.o", "-o", SHIM_LIBRARY)
    # Undefined CUDA names stay undefined here: the binary rules refuse them by name, which a linker error would not.
    link = (
        *(
            _GXX,
            "-shared",
            "-m64",
            "-fno-use-linker-plugin",
            "-Wl,--build-id=none",
            "-Wl,-z,now",
            "-Wl,-z,relro",
        ),
        *(f"-Wl,--version-script={VERSION_SCRIPT}", "kernel.o"),
        *(
            "-Wl,--no-as-needed",
            f"./{SHIM_LIBRARY}",
            "-L/toolchain/tvm/lib",
            "-ltvm_ffi",
            "-o",
            "kernel.so",
        ),
    )
    steps = (
        Step("host_compile", compile_),
        Step("host_assemble", assemble_),
        Step("shim_name", name_object),
        Step("shim_name", name),
        Step("link", link),
    )
    return Part("host_back", steps, ("kernel.so",))


def _arch(target: Target) -> str:
    return {Target.HOPPER: "900", Target.BLACKWELL: "1000"}[target]


def _arch_macros(target: Target) -> Iterator[str]:
    number = _arch(target)
    yield f"-D__CUDA_ARCH__={number}"
    yield f"-D__CUDA_ARCH_FEAT_SM{number[:-1]}_ALL"
    yield f"-D__CUDA_ARCH_SPECIFIC__={number}"
    yield f"-D__CUDA_ARCH_FAMILY_SPECIFIC__={number}"
    yield f"-D__CUDA_ARCH_LIST__={number}"


def _for_preprocessor(headers: HeaderSet) -> Iterator[str]:
    yield from ("-fPIC", "-O3", f"-fmax-errors={_MAX_ERRORS}")
    if headers is HeaderSet.SLIM:
        yield from (
            "-I/slim",
            "-I/capi",
        )  # our headers and the three C headers they stand on, nothing else of TVM-FFI
    else:
        yield "-I/toolchain/tvm/include"
    yield from (f"-I{_INCLUDE}", "-isystem", "/toolchain/cccl")
    yield from (
        "-D__CUDACC_VER_MAJOR__=13",
        "-D__CUDACC_VER_MINOR__=0",
        "-D__CUDACC_VER_BUILD__=88",
    )
    yield from ("-D__CUDA_API_VER_MAJOR__=13", "-D__CUDA_API_VER_MINOR__=0")
    yield from ("-D__NVCC_DIAG_PRAGMA_SUPPORT__=1", "-D__CUDACC_DEVICE_ATOMIC_BUILTINS__=1")


def _for_front_end(gnu_version: int) -> Iterator[str]:
    yield from (
        "--c++17",
        "--static-host-stub",
        "--device-hidden-visibility",
        f"--gnu_version={gnu_version}",
    )
    yield from ("--display_error_number", f"--error_limit={_MAX_ERRORS}", "--allow_managed")
    yield from ("--orig_src_file_name", SOURCE, "--orig_src_path_name", SOURCE)
