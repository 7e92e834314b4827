"""The known kernels of the package: golden kernels, each with a band for the product that it was measured on."""

from pathlib import Path

import pytest
from fake_adapters import FakeCompiler
from sample_run import BUILT, sample_tools

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.known_kernels import known_kernels, ready_kernels
from evaluation.core.compile.build import Failed, FailureKind
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.known_kernel import Band
from evaluation.core.pipeline import Tools
from evaluation.core.verdict import FamilyExecuted

GOLDEN = Path(__file__).parents[1] / "golden" / "kernels"


def test_there_are_two_and_each_is_its_golden_kernel_byte_by_byte() -> None:
    found = list(known_kernels())
    assert [known.name for known, _ in found] == ["gemm_mma_sync", "gemm_wgmma_tma"]
    for known, source in found:
        assert source == (GOLDEN / known.name / "kernel.cu").read_bytes()


def test_each_names_a_problem_of_its_target_and_products_that_exist() -> None:
    products = {one.product for one in packaged().devices()}
    for known, _ in known_kernels():
        assert known.target in packaged().problem(known.problem).targets
        assert {one.product for one in known.bands} <= products
        assert known.band("h200") is not None


def test_they_are_prepared_for_the_device_s_own_table() -> None:
    tools = sample_tools()
    ready = ready_kernels(packaged().device("h100-sxm"), tools)
    assert isinstance(tools.compiler, FakeCompiler)
    assert len(tools.compiler.asked) == len(ready) == 2
    assert [one.prepared.plan.device for one in ready] == ["h100-sxm", "h100-sxm"]
    assert [one.band for one in ready] == [None, None]


def test_a_device_of_another_target_has_none_of_them() -> None:
    tools = sample_tools()
    assert ready_kernels(packaged().device("b200"), tools) == ()


def test_one_that_does_not_come_through_is_our_failure() -> None:
    failed = Failed(FailureKind.ERROR, "device_compile", HeaderSet.REAL, "error", 1.0)
    with pytest.raises(ToolFailure, match="the known kernel gemm_mma_sync ended as build_failed"):
        ready_kernels(packaged().device("h200"), sample_tools(program=failed))
    assert BUILT.cubin  # the same tools with this program let them through


@pytest.mark.toolchain
def test_the_real_tools_prepare_both(tools: Tools) -> None:
    naive, fast = ready_kernels(packaged().device("h200"), tools)
    assert (naive.name, naive.prepared.family) == ("gemm_mma_sync", FamilyExecuted.ABSENT)
    assert (fast.name, fast.prepared.family) == ("gemm_wgmma_tma", FamilyExecuted.UNKNOWN)
    assert isinstance(fast.band, Band)
    assert fast.prepared.plan.cubin_sha256 != naive.prepared.plan.cubin_sha256
