"""The examiner on a Hopper GPU: each tool around a lone replay of golden cases, in a jail where this host has one.

Where a tool cannot work in a jail the test says why and is skipped, as the report of a kernel would: a NotRun is an
answer. PTXBOARD_UNCONFINED=1 runs the same commands without a jail, and then a NotRun fails.
"""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bare_jail import BareJail

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.examiner import JailedExaminer, LoneKernel, open_examiner
from evaluation.adapters.gpu.memcheck import Sanitizer, find_sanitizer
from evaluation.adapters.gpu.nsight import Nsight, find_nsight
from evaluation.adapters.gpu.nvml import Nvml
from evaluation.adapters.slots import Slots
from evaluation.core.launching.port import Gpu
from evaluation.core.measure.examination import (
    ByInstruction,
    ExaminationKind,
    Examined,
    Hindrance,
    NotRun,
)
from evaluation.core.measure.prepared import Prepared
from evaluation.core.probe.metrics import metrics_for
from evaluation.core.probe.sanitizer_report import SanitizerReport
from evaluation.core.probe.sass_evidence import products_of
from evaluation.core.scan.sass import Disassembly, read_disassembly
from evaluation.core.verdict import Stage, Target, Verdict

from .packed import Pack

if TYPE_CHECKING:
    from .measuring import Bench

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(180)]

UNCONFINED_HERE = os.environ.get("PTXBOARD_UNCONFINED") == "1"
# The toolchain's; that of a host's older toolkit writes another schema.
NVDISASM = Path(os.environ.get("PTXBOARD_NVDISASM", "/usr/local/cuda/bin/nvdisasm"))
WGMMA = "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum"
GEMM_PRODUCTS = 8192 * 7168 * 5120
MEMCHECK, RACECHECK, INITCHECK, NSIGHT = ExaminationKind


class HostDisassembler:
    """nvdisasm of the host's own toolkit, for cubins that are ours."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def disassemble(self, cubin: bytes) -> Disassembly:
        path = self._folder / "kernel.cubin"
        path.write_bytes(cubin)
        said = subprocess.run(
            [NVDISASM, "--emit-json", path], capture_output=True, timeout=60, check=True
        )
        return read_disassembly(said.stdout)


@pytest.fixture
def examiner(gpu: int, pack: Pack, tmp_path: Path) -> JailedExaminer:
    driver.start()
    uuid = driver.device_facts(gpu).uuid
    watch = Nvml(uuid)
    which = Gpu(watch.minor, uuid)
    watch.close()
    code = HostDisassembler(tmp_path)
    made = open_examiner(which, pack.trusted(), Slots(tmp_path / "slots"), code)
    if not UNCONFINED_HERE:
        return made
    jail = BareJail(tmp_path)
    return JailedExaminer(
        Sanitizer(jail, find_sanitizer()),
        # An interpreter that has cuda-bindings without being shown where they are.
        Nsight(jail, find_nsight(), sys.executable),
        LoneKernel(which, made.lone.launchers, pack.trusted()),
        code,
    )


def answer(examiner: JailedExaminer, pack: Pack, case: str, kind: ExaminationKind) -> Examined:
    """What came of it. In a jail a tool that cannot work there is skipped with its reason."""
    found = examiner.examine(pack.prepared(case), kind)
    if isinstance(found, NotRun):
        said = f"{kind} on {case}: {found.why}: {found.detail}"
        if UNCONFINED_HERE and found.why is not Hindrance.MISSING:
            pytest.fail(said)
        pytest.skip(said)
    return found


def test_memcheck_names_the_line_that_reads_behind_the_input(
    examiner: JailedExaminer, pack: Pack
) -> None:
    found = answer(examiner, pack, "reads_16_bytes_behind_a", MEMCHECK)
    assert isinstance(found, SanitizerReport)
    assert found.records >= 1
    # The function that is inlined there, and the line of its load.
    assert "'look' at '/w/kernel.cu' line '27'" in found.lines[0]


@pytest.mark.parametrize("kind", [MEMCHECK, INITCHECK])
def test_an_honest_kernel_is_clean_and_so_is_what_the_judge_does_around_it(
    examiner: JailedExaminer, pack: Pack, kind: ExaminationKind
) -> None:
    assert answer(examiner, pack, "gemm_wgmma_tma", kind) == SanitizerReport(0, ())


def test_a_race_in_global_memory_is_none_that_racecheck_sees(
    examiner: JailedExaminer, pack: Pack
) -> None:
    """It watches shared memory alone, so this kernel is clean for it; comparing outputs is what catches it."""
    found = answer(examiner, pack, "race_for_one_element", RACECHECK)
    assert found == SanitizerReport(0, ())


def test_initcheck_finds_a_kernel_that_adds_to_memory_nobody_cleared(
    examiner: JailedExaminer, pack: Pack
) -> None:
    found = answer(examiner, pack, "zeroed_by_nobody", INITCHECK)
    assert isinstance(found, SanitizerReport)
    assert found.records >= 1


def test_nsight_counts_every_product_of_one_call(examiner: JailedExaminer, pack: Pack) -> None:
    if not NVDISASM.exists():
        pytest.skip(f"{NVDISASM} is not there")
    found = answer(examiner, pack, "gemm_wgmma_tma", NSIGHT)
    assert isinstance(found, ByInstruction)
    assert products_of(found.found) == GEMM_PRODUCTS


def readings(examiner: JailedExaminer, prepared: Prepared, case: str) -> tuple[dict[str, int], ...]:
    """What Nsight Compute read in each call; skips as ``answer`` does."""
    found = examiner.count(prepared)
    if isinstance(found, NotRun):
        said = f"counters of {case}: {found.why}: {found.detail}"
        if UNCONFINED_HERE and found.why is not Hindrance.MISSING:
            pytest.fail(said)
        # These two are the host's; anything else is a mistake of ours or of the comparison, jail or not.
        if found.why not in (Hindrance.MISSING, Hindrance.NO_PERMISSION, Hindrance.NO_JAIL):
            pytest.fail(said)
        pytest.skip(said)
    return tuple(dict(one.values) for one in found)


@pytest.mark.parametrize(
    ("case", "products"),
    [("gemm_wgmma_tma", GEMM_PRODUCTS), ("instruction_never_reached", 0), ("mha_bwd_wgmma", None)],
)
def test_nsight_reads_the_hardware_s_counters_in_three_calls(
    examiner: JailedExaminer, pack: Pack, case: str, products: int | None
) -> None:
    """The backward adds in no fixed order, so its calls are alike within the tolerance alone."""
    prepared = pack.prepared(case)
    found = readings(examiner, prepared, case)
    assert len(found) == 3
    for one in found:
        assert set(one) == set(metrics_for(Target.HOPPER, prepared.problem))
        assert one[WGMMA] > 0 if products is None else one[WGMMA] == 2 * products
        assert one["sm__cycles_active.max"] > 0


def test_where_launchers_have_no_counters_the_finding_is_nsight_s_and_says_so(
    examiner: JailedExaminer, pack: Pack, gpu: int, tmp_path: Path
) -> None:
    from .measuring import open_bench  # noqa: PLC0415 - needs what only a machine with a GPU has

    with open_bench(pack, tmp_path / "state", device=gpu, counters=False) as dark:
        looked = replace(dark, tools=replace(dark.tools, examiner=examiner))
        reports = {one.stage: one for one in looked.run("gemm_wgmma_tma")}
    said = {one.name: one.value for one in reports[Stage.PROBE].facts}
    assert reports[Stage.TIME].verdict is Verdict.ACCEPTED
    if "counted_by" not in said:
        reason = str(said["family_reason"])
        assert reason.startswith("the counters could not be read: no_library")
        pytest.skip(reason)
    assert (said["family"], said["matrix_path"]) == ("yes", "yes")
    assert said["executed_share"] == "1.0000"
    assert said["counted_by"] == "Nsight Compute, in calls beside the timed ones"
    assert str(said["reading_failed"]).startswith("no_library")
    assert reports[Stage.PROBE].headline.endswith(", by Nsight Compute")


def test_the_report_of_a_memory_fault_says_what_memcheck_saw(
    bench: "Bench", examiner: JailedExaminer
) -> None:
    looked = replace(bench, tools=replace(bench.tools, examiner=examiner))
    (check,) = looked.run("reads_16_bytes_behind_a")
    assert check.verdict is Verdict.MEMORY_FAULT
    (told,) = (one.value for one in check.facts if one.name == "examined.memcheck")
    if isinstance(told, str):
        pytest.skip(f"memcheck: {told}")
    assert told >= 1
    assert [one for one in check.remarks if one.rule == "C8" and "line '27'" in one.message]
