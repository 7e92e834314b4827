"""Nsight Compute and compute-sanitizer on a Hopper GPU, without a jail, around kernels and programs of our own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from bare_jail import BareJail

from evaluation.adapters.gpu.memcheck import Sanitizer, SanitizerTool, find_sanitizer
from evaluation.adapters.gpu.nsight import Nsight, find_nsight
from evaluation.core.measure.examination import NotRun
from evaluation.core.ports import JailCommand, Limits
from evaluation.core.probe.sanitizer_report import SanitizerReport
from evaluation.core.probe.sass_counts import SassCounts

from .packed import Pack

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(180)]

REPOSITORY = Path(__file__).parents[2]
TOOLKIT = Path("/usr/local/cuda/bin")
LIMITS = Limits(60.0, 60, 1 << 34, 1 << 30, 1 << 30, 64, 1024, 4096, 4096)
GEMM_PRODUCTS = 300_647_710_720  # 8192 * 7168 * 5120
SECTION = re.compile(r"\.text\.([A-Za-z0-9_$.]+)")
HGMMA = re.compile(r"/\*([0-9a-f]{4,})\*/\s.*\bHGMMA\.64x(\d+)x16\.F32\.BF16 (?!RZ)")

# Three programs in one: clean, a write behind the end of an allocation, a race in shared memory.
FAULTS = """
#include <cstdio>
#include <cstring>
__global__ void fill(float* data, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = 1.0f;
}
__global__ void race(float* data) {
  __shared__ float shared[64];
  shared[threadIdx.x] = threadIdx.x;
  data[threadIdx.x] = shared[63 - threadIdx.x];
}
int main(int, char** words) {
  float* data = nullptr;
  cudaMalloc(&data, 64 * sizeof(float));
  if (!strcmp(words[1], "race")) race<<<1, 64>>>(data);
  else fill<<<1, 128>>>(data, !strcmp(words[1], "write") ? 65 : 64);
  cudaDeviceSynchronize();
  return 0;
}
"""


@pytest.fixture
def jail(tmp_path: Path) -> BareJail:
    return BareJail(tmp_path)


def hgmma_rows(cubin: Path) -> dict[tuple[str, int], int]:
    """Products of one execution by function and address, from the toolkit's listing of a kernel that is ours."""
    listed = subprocess.run(
        [TOOLKIT / "nvdisasm", "-c", cubin], capture_output=True, text=True, timeout=60, check=True
    )
    rows, function = {}, ""
    for line in listed.stdout.splitlines():
        if ".section" in line and (section := SECTION.search(line)):
            function = section[1]
        elif row := HGMMA.search(line):
            rows[function, int(row[1], 16)] = 64 * int(row[2]) * 16
    return rows


def test_nsight_counts_every_product_of_a_wgmma_gemm_by_address(
    gpu: int, pack: Pack, jail: BareJail
) -> None:
    folder = find_nsight()
    if folder is None or not (TOOLKIT / "nvdisasm").exists():
        pytest.skip("Nsight Compute or nvdisasm is not installed")
    argv = (sys.executable, "-m", "tests.gpu.replayed", str(pack.root), "gemm_wgmma_tma")
    command = JailCommand(
        (*argv, "--calls", "1"), LIMITS, environment=(("PYTHONPATH", str(REPOSITORY)),)
    )
    functions = tuple(one.name for one in pack.prepared("gemm_wgmma_tma").plan.functions)
    counts = Nsight(jail, folder, sys.executable).counts(command, functions)
    if isinstance(counts, NotRun):
        pytest.fail(f"{counts.why}: {counts.detail}")
    assert isinstance(counts, SassCounts)
    threads = counts.by_place()
    rows = hgmma_rows(pack.root / "gemm_wgmma_tma/cubin")
    assert rows
    made = sum(threads.get(place, 0) // 128 * products for place, products in rows.items())
    assert made == GEMM_PRODUCTS


@pytest.fixture(scope="session")
def faults(gpu: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("faults")
    (folder / "faults.cu").write_text(FAULTS)
    if not (TOOLKIT / "nvcc").exists():
        pytest.skip("nvcc is not installed")
    subprocess.run(
        [
            TOOLKIT / "nvcc",
            "-arch=sm_90",
            "-lineinfo",
            "-o",
            folder / "faults",
            folder / "faults.cu",
        ],
        timeout=120,
        check=True,
    )
    return folder / "faults"


def checked(jail: BareJail, faults: Path, word: str, check: SanitizerTool) -> SanitizerReport:
    folder = find_sanitizer()
    if folder is None:
        pytest.skip("compute-sanitizer is not installed")
    found = Sanitizer(jail, folder).check(JailCommand((str(faults), word), LIMITS), check)
    if isinstance(found, NotRun):
        pytest.fail(f"{found.why}: {found.detail}")
    return found


@pytest.mark.parametrize("check", list(SanitizerTool))
def test_a_clean_program_has_no_records(jail: BareJail, faults: Path, check: SanitizerTool) -> None:
    assert checked(jail, faults, "clean", check) == SanitizerReport(0, ())


def test_one_element_behind_the_end_is_found_with_its_line(jail: BareJail, faults: Path) -> None:
    found = checked(jail, faults, "write", SanitizerTool.MEMORY)
    assert found.records >= 1
    assert "fill" in found.lines[0]
    assert "line '6'" in found.lines[0]
    assert "thread 64,0,0" in found.lines[0]


def test_a_race_in_shared_memory_is_found(jail: BareJail, faults: Path) -> None:
    assert checked(jail, faults, "race", SanitizerTool.RACES).records >= 1


def test_a_golden_gemm_has_no_memory_fault(gpu: int, pack: Pack, jail: BareJail) -> None:
    folder = find_sanitizer()
    if folder is None:
        pytest.skip("compute-sanitizer is not installed")
    argv = (sys.executable, "-m", "tests.gpu.replayed", str(pack.root), "gemm_wgmma_tma")
    command = JailCommand(
        (*argv, "--calls", "1", "--exact"), LIMITS, environment=(("PYTHONPATH", str(REPOSITORY)),)
    )
    found = Sanitizer(jail, folder).check(command, SanitizerTool.MEMORY)
    assert found == SanitizerReport(0, ())
