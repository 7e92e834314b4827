"""What this host can do for the half of the judge that needs no GPU, and what to do where it cannot."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters import cgroup
from evaluation.adapters.nvcc import Nvcc, without_cache
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.compile.build import Built
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import ToolFailure
from evaluation.core.ports import Jail, JailCommand, Limits
from evaluation.core.verdict import Target

_LIMITS = Limits(
    wall_seconds=30,
    cpu_seconds=10,
    memory_bytes=2 << 30,
    file_bytes=1 << 20,
    scratch_bytes=1 << 20,
    processes=16,
    open_files=64,
    stdout_bytes=16 * 1024,
    stderr_bytes=16 * 1024,
)

# Where distributions put vendor libraries that kernels may not use. The jail shows /usr/include as it is.
_FOREIGN_HEADERS = ("cublas_v2.h", "cudnn.h", "cub", "thrust", "cutlass", "cute", "torch")

_SAMPLE = b"""\
#include <cuda_runtime.h>
#include <tvm/ffi/tvm_ffi.h>
namespace { __global__ void add_one(float* x) { x[threadIdx.x] += 1.0f; } }
void run(tvm::ffi::TensorView x) { add_one<<<1, 32>>>(static_cast<float*>(x.data_ptr())); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);
"""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried. ``ok`` False stops the judge; ``action`` says what to do, also where ok is True."""

    name: str
    ok: bool
    detail: str
    action: str = ""


def check_jail(jail: Jail) -> Check:
    """Run one harmless command in a jail."""
    try:
        result = jail.run(JailCommand(("/usr/bin/true",), _LIMITS))
    except ToolFailure as failure:
        return Check("jail", ok=False, detail=failure.what, action=failure.action)
    return Check("jail", ok=result.clean, detail=f"works, {result.seconds * 1000:.0f} ms a start")


def check_memory_bound() -> Check:
    """Say whether one bound holds for all processes of a jail together."""
    group = cgroup.create("ptxboard-doctor", memory_bytes=1 << 30, processes=16)
    if group is None:
        return Check(
            "cgroup",
            ok=True,
            detail="none to be had: memory is bounded for each process of a jail, not for all together",
            action="run as root, or under systemd with Delegate=yes, for one bound a jail",
        )
    group.remove()
    return Check(
        "cgroup",
        ok=True,
        detail=f"version {group.version}: memory and processes of a jail are bounded together",
    )


def check_toolchain(toolchain: Toolchain, jail: Jail) -> Iterator[Check]:
    """Start the tools in the jail's view and look for headers that should not be in it."""
    packages = ", ".join(f"{name} {version}" for name, version in toolchain.packages)
    yield Check("toolchain", ok=True, detail=f"{toolchain.identity[:16]}: {packages}")
    yield Check("host compiler", ok=True, detail="; ".join(toolchain.host_tools[1:]))
    for tool in ("ptxas", "nvdisasm"):
        command = JailCommand(
            (f"/toolchain/bin/{tool}", "--version"), _LIMITS, binds=toolchain.compile_binds()
        )
        try:
            result = jail.run(command)
        except ToolFailure as failure:
            yield Check(tool, ok=False, detail=failure.what, action=failure.action)
            continue
        detail = result.stdout.content.decode(errors="replace").strip().rpartition("\n")[2]
        yield Check(
            tool,
            ok=result.clean,
            detail=detail or "does not start",
            action="" if result.clean else "run bin/install-toolchain",
        )
    found = [name for name in _FOREIGN_HEADERS if (Path("/usr/include") / name).exists()]
    yield Check(
        "headers",
        ok=True,  # the policy stage rejects them by name; a clean host is better still
        detail=f"/usr/include has {', '.join(found)}"
        if found
        else "no vendor library in /usr/include",
        action="remove the packages that own them; kernels must not see them" if found else "",
    )


def check_build(nvcc: Nvcc) -> Check:
    """Compile a sample twice with the real headers, once with the slim ones, and compare (docs/rules.md, R8)."""
    compiler = without_cache(nvcc)
    try:
        programs = [
            compiler.build(_SAMPLE, Target.HOPPER, headers=(headers,))
            for headers in (*HeaderSet, HeaderSet.REAL)
        ]
    except ToolFailure as failure:
        return Check("build", ok=False, detail=failure.what, action=failure.action)
    failed = next((program for program in programs if not isinstance(program, Built)), None)
    if failed:
        return Check(
            "build",
            ok=False,
            detail=f"the sample does not compile: {failed.step}: {failed.log[:300]}",
            action="run bin/install-toolchain",
        )
    slim, real, again = (program for program in programs if isinstance(program, Built))
    if (real.cubin, real.library) != (again.cubin, again.library):
        return Check(
            "build",
            ok=False,
            detail="two builds of one source differ",
            action="do not judge on this host; tell the maintainers",
        )
    seconds = f"{slim.seconds:.1f} s with slim headers, {real.seconds:.1f} s with the real ones"
    return Check("build", ok=True, detail=f"two builds are equal; {seconds}")
