"""The cubin reader against NVIDIA's own words on cubins that ptxas really wrote.

``cuobjdump -elf`` names every attribute, ``ptxas -v`` says what it used; both are independent of our reader.
"""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from evaluation.adapters.toolchain import Toolchain
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.binary.facts import CubinFacts, DeviceSymbol, KernelFunction, Parameter

pytestmark = pytest.mark.toolchain

SOURCE = r"""
#include <cassert>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
struct alignas(64) Aligned { char bytes[128]; };
struct Padded { int a; char b; double c; };
struct Large { char bytes[20000]; };
__device__ int counter;
static __device__ float table[1000];
__device__ int start = 7;
__constant__ float weights[256];
static __constant__ int scale = 5;
__device__ char huge[1ull << 33];
namespace { __global__ void hidden(int* p) { *p = scale + table[threadIdx.x] + huge[*p]; table[3] = 1; } }
template <int N> __global__ void templated(float* p, Padded s) {
    __shared__ float tile[N];
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = tile[N - 1 - threadIdx.x] + s.c * s.a + weights[s.b];
}
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256, 1)
clustered(const __grid_constant__ Aligned b, int x, float* y) { y[threadIdx.x] = b.bytes[x]; counter = start; }
__global__ void mapped(const __grid_constant__ CUtensorMap map, char* y) { y[0] = ((const char*)&map)[threadIdx.x]; }
__global__ void prints(int x) { printf("%d\n", x); }
__global__ void asserts(int x) { assert(x == 3); }
__global__ void allocates(int** y) { *y = (int*)malloc(4); free(y[1]); }
extern "C" __global__ void __launch_bounds__(1024) dynamic(float* y) {
    extern __shared__ float d[];
    d[threadIdx.x] = y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = d[1023 - threadIdx.x];
}
extern "C" __global__ void empty() {}
extern "C" __global__ void __block_size__((128, 1, 1), (2, 1, 1)) blocks(int* p) { p[0] = 1; }
extern "C" __global__ void indexed(int* y) {
    int a[100];
    for (int i = 0; i < 100; i++) a[i] = y[i];
    for (int i = 0; i < 100; i++) y[i] = a[y[i + 100] % 100];
}
extern "C" __global__ void wide(Large h, float* y, int i) { y[0] = h.bytes[i]; }
extern "C" __global__ void narrow(char a, short b, char c, double d, bool e, int* p) { p[0] = a + b + c + d + e; }
void keep() {
    hidden<<<1, 1>>>(nullptr);
    templated<32><<<1, 1>>>(nullptr, Padded{});
    templated<64><<<1, 1>>>(nullptr, Padded{});
}
"""


@dataclass(slots=True)
class Said:
    """What cuobjdump and ptxas print about one kernel."""

    parameters: set[tuple[int, int, int]] = field(default_factory=set)
    block: tuple[int, int] | None = None
    max_threads: int = 0
    cluster: tuple[int, ...] | None = None
    registers: int = -1
    frame: int = 0
    stack: int = 0
    shared: int = 0
    barriers: int = 0


@dataclass(frozen=True, slots=True)
class Compiled:
    facts: CubinFacts
    listing: str
    verbose: str

    def said(self) -> dict[str, Said]:
        kernels: dict[str, Said] = {}
        section = attribute = ""
        for line in self.listing.splitlines():
            if line.startswith(".nv.info"):
                section = line.removeprefix(".nv.info").removeprefix(".").strip()
            elif line.startswith("."):
                section = "?"
            elif line.startswith("\tAttribute:"):
                attribute = line.split()[1]
            elif line.startswith("\tValue:") and section != "?":
                _hear(kernels, section, attribute, line)
        for name, text in re.findall(
            r"Compiling entry function '(\S+)'.*\n(?:(?!.*Compiling).*\n)*?.*(Used .*)",
            self.verbose,
        ):
            shared = re.search(r"(\d+) bytes smem", text)
            kernels[name].shared = int(shared[1]) if shared else 0
            barriers = re.search(r"used (\d+) barriers", text)
            kernels[name].barriers = int(barriers[1]) if barriers else -1
        return kernels


def _hear(kernels: dict[str, Said], section: str, attribute: str, line: str) -> None:
    numbers = [int(word, 16) for word in re.findall(r"\b0x[0-9a-f]+", line)]
    if not section:
        if found := re.search(r"function: ([^\s(]+)\(0x[0-9a-f]+\)\t[a-z ]+: (\w+)", line):
            said = kernels.setdefault(found[1], Said())
            if attribute == "EIATTR_REGCOUNT":
                said.registers = int(found[2], 0)
            if attribute == "EIATTR_FRAME_SIZE":
                said.frame = int(found[2], 0)
            if attribute == "EIATTR_MIN_STACK_SIZE":
                said.stack = int(found[2], 0)
        return
    said = kernels.setdefault(section, Said())
    if attribute.startswith("EIATTR_KPARAM_INFO"):
        said.parameters.add((numbers[1], numbers[2], numbers[3]))
    if attribute == "EIATTR_PARAM_CBANK":
        said.block = (numbers[1] & 0xFFFF, numbers[1] >> 16)
    if attribute in {"EIATTR_MAX_THREADS", "EIATTR_REQNTID"}:
        said.max_threads = numbers[0] * numbers[1] * numbers[2]
    if attribute == "EIATTR_CTA_PER_CLUSTER":
        said.cluster = tuple(numbers)


@pytest.fixture(scope="module", params=["90a", "100a"])
def compiled(
    request: pytest.FixtureRequest, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory
) -> Compiled:
    folder: Path = tmp_path_factory.mktemp(f"cubin{request.param}")
    (folder / "kernel.cu").write_text(SOURCE)
    tools = toolchain.root / "nvidia/cu13/bin"
    gencode = f"-gencode=arch=compute_{request.param},code=sm_{request.param}"
    verbose = subprocess.run(
        [
            *(tools / "nvcc", "-cubin", "-O3", "-std=c++17", "-lineinfo", "-Xptxas", "-v", gencode),
            *("kernel.cu", "-o", "kernel.cubin"),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stderr
    listing = subprocess.run(
        [tools / "cuobjdump", "-elf", "kernel.cubin"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    return Compiled(read_cubin((folder / "kernel.cubin").read_bytes()), listing, verbose)


def test_every_kernel_is_read_as_cuobjdump_prints_it(compiled: Compiled) -> None:
    said = compiled.said()
    assert len(compiled.facts.functions) == 14
    for kernel in compiled.facts.functions:
        told = said[kernel.name]
        assert {(p.ordinal, p.offset, p.size) for p in kernel.parameters} == told.parameters
        if told.block:
            assert (kernel.parameter_base, kernel.parameter_bytes) == told.block
        assert kernel.max_threads == told.max_threads
        assert kernel.cluster == told.cluster
        assert kernel.registers == told.registers
        assert kernel.local_bytes == max(told.frame, told.stack)
        assert kernel.barriers == told.barriers


def test_static_shared_memory_is_what_ptxas_says_it_used(compiled: Compiled) -> None:
    said = compiled.said()
    assert {k.name: k.static_shared_bytes for k in compiled.facts.functions} == {
        k.name: said[k.name].shared for k in compiled.facts.functions
    }
    assert sorted(k.static_shared_bytes for k in compiled.facts.functions)[-2:] == [128, 256]


def test_every_variable_is_in_the_symbol_table_that_cuobjdump_prints(compiled: Compiled) -> None:
    rows = re.findall(
        r"^ +0x[0-9a-f]+ +(?:0x)?[0-9a-f]+ +(?:0x)?([0-9a-f]+) +OBJECT +LOCAL .* (\S+)$",
        compiled.listing,
        flags=re.MULTILINE,
    )
    assert {(one.name, one.size) for one in compiled.facts.symbols} == {
        (name, int(size, 16)) for size, name in rows
    }


def kernel_named(facts: CubinFacts, part: str) -> KernelFunction:
    (found,) = [one for one in facts.functions if part in one.name]
    return found


def test_facts_of_known_kernels_are_as_written_in_the_source(compiled: Compiled) -> None:
    facts = compiled.facts
    base = {90: 0x210, 100: 0x380}[facts.sm]
    assert kernel_named(facts, "hidden").parameters == (Parameter(0, 0, 8),)
    assert kernel_named(facts, "templatedILi64").parameters == (
        Parameter(0, 0, 8),
        Parameter(1, 8, 16),
    )
    clustered = kernel_named(facts, "clustered")
    assert (clustered.cluster, clustered.max_threads) == ((2, 1, 1), 256)
    assert [one.size for one in clustered.parameters] == [128, 4, 8]
    assert kernel_named(facts, "mapped").parameters[0].size == 128
    assert kernel_named(facts, "wide").parameters == (
        Parameter(0, 0, 20000),
        Parameter(1, 20000, 8),
        Parameter(2, 20008, 4),
    )
    assert kernel_named(facts, "narrow").parameters == (
        Parameter(0, 0, 1),
        Parameter(1, 2, 2),
        Parameter(2, 4, 1),
        Parameter(3, 8, 8),
        Parameter(4, 16, 1),
        Parameter(5, 24, 8),
    )
    empty = kernel_named(facts, "empty")
    assert (empty.parameter_base, empty.parameter_bytes, empty.parameters) == (base, 0, ())
    blocks = kernel_named(facts, "blocks")
    assert (blocks.required_block, blocks.cluster) == ((128, 1, 1), (2, 1, 1))
    assert blocks.grid_counts_clusters
    assert kernel_named(facts, "indexed").local_bytes == 400
    assert kernel_named(facts, "dynamic").max_threads == 1024


def test_variables_externs_and_the_wrapped_array_are_named(compiled: Compiled) -> None:
    facts = compiled.facts
    assert set(facts.externs) == {"malloc", "free", "vprintf", "__assertfail"}
    assert {
        DeviceSymbol("counter", "global", 4),
        DeviceSymbol("table", "global", 4000),
        DeviceSymbol("start", "global", 4),
        DeviceSymbol("weights", "constant", 1024),
        DeviceSymbol("scale", "constant", 4),
        DeviceSymbol("huge", "global", 1 << 33),
    } <= set(facts.symbols)
    assert facts.overflowing == ("huge",)
    assert facts.global_bytes > 1 << 33
