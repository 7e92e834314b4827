from dataclasses import replace

import pytest
from measured import GEMM
from planned import MAPPED, PLAN

from evaluation.core.check.cuda_errors import cause
from evaluation.core.check.faults import judge_fault
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import Fault, FaultKind
from evaluation.core.verdict import Verdict


def fault(
    kind: FaultKind = FaultKind.CUDA_ERROR,
    *,
    code: int = 0,
    call: int = 2,
    step: int = -1,
    seconds: float = 0.5,
    memcheck: tuple[str, ...] = (),
) -> Fault:
    return Fault(kind, 0, call, step, code, "what the launcher says", seconds, memcheck)


@pytest.mark.parametrize(
    ("code", "name", "verdict"),
    [
        (1, "CUDA_ERROR_INVALID_VALUE", Verdict.RUNTIME_ERROR),
        (700, "CUDA_ERROR_ILLEGAL_ADDRESS", Verdict.MEMORY_FAULT),
        (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", Verdict.RUNTIME_ERROR),
        (702, "CUDA_ERROR_LAUNCH_TIMEOUT", Verdict.TIMEOUT),
        (710, "CUDA_ERROR_ASSERT", Verdict.RUNTIME_ERROR),
        (714, "CUDA_ERROR_HARDWARE_STACK_ERROR", Verdict.MEMORY_FAULT),
        (715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", Verdict.RUNTIME_ERROR),
        (716, "CUDA_ERROR_MISALIGNED_ADDRESS", Verdict.MEMORY_FAULT),
        (717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", Verdict.MEMORY_FAULT),
        (718, "CUDA_ERROR_INVALID_PC", Verdict.MEMORY_FAULT),
        (719, "CUDA_ERROR_LAUNCH_FAILED", Verdict.RUNTIME_ERROR),
        (720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", Verdict.RUNTIME_ERROR),
        (801, "CUDA_ERROR_NOT_SUPPORTED", Verdict.RUNTIME_ERROR),
        (912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", Verdict.RUNTIME_ERROR),
        (999, "CUresult 999", Verdict.RUNTIME_ERROR),
    ],
)
def test_an_error_code_is_named_by_our_own_table_and_has_a_verdict(
    code: int, name: str, verdict: Verdict
) -> None:
    found = judge_fault(fault(code=code), GEMM, PLAN)
    assert found.verdict is verdict
    assert f"({name})" in found.headline
    assert "what the launcher says" not in found.headline


@pytest.mark.parametrize("code", [2, 46, 100, 101, 209, 214, 220, 226])
def test_what_is_not_the_kernels_doing_is_our_failure(code: int) -> None:
    with pytest.raises(ToolFailure, match="CUDA_ERROR_") as failure:
        judge_fault(fault(code=code), GEMM, PLAN)
    assert "nvidia-smi" in failure.value.action


def test_names_agree_with_the_driver_bindings() -> None:
    driver = pytest.importorskip("cuda.bindings.driver")
    numbers = {int(one): one.name for one in driver.CUresult}
    known = [code for code in numbers if cause(code).name != f"CUresult {code}"]
    assert len(known) == 23
    assert {code: cause(code).name for code in known} == {code: numbers[code] for code in known}


@pytest.mark.parametrize(
    ("call", "step", "place"),
    [
        (2, 3, "call 2 (launch of 'mapped') failed"),
        (2, 0, "call 2 (step 0) failed"),
        (2, -1, "call 2 (2 launches) failed"),
        (2, 99, "call 2 (2 launches) failed"),
        (-1, 3, "the set-up (step 3) failed"),
        (-1, -1, "the set-up (0 launches) failed"),
    ],
)
def test_a_fault_says_where_it_was(call: int, step: int, place: str) -> None:
    found = judge_fault(fault(code=700, call=call, step=step), GEMM, PLAN)
    assert found.headline.startswith(place)


def test_a_plan_of_one_launch_names_it_without_a_step() -> None:
    found = judge_fault(fault(code=716), GEMM, replace(PLAN, steady=(MAPPED,)))
    assert found.headline.startswith("call 2 (launch of 'mapped') failed: an access that is not")
    assert found.remarks[0].rule == "C3"
    assert "256 bytes" in found.remarks[0].instead


def test_lines_of_memcheck_become_remarks_quoted_and_bounded() -> None:
    lines = ("Invalid write\x1b[31m of size 16", *("x" * 300,) * 9)
    found = judge_fault(fault(code=700, memcheck=lines), GEMM, PLAN)
    told = [one for one in found.remarks if one.rule == "C8"]
    assert len(told) == 8
    assert told[0].message == "memcheck: Invalid write\\x1b[31m of size 16"
    assert len(told[1].message) < 230


@pytest.mark.parametrize(
    ("kind", "headline"),
    [
        (FaultKind.TIMED_OUT, "call 2 (2 launches) did not end within 12.5 s"),
        (FaultKind.TOO_SLOW, "a call takes 12.5 s, and the limit is 10 s"),
    ],
)
def test_time_used_up_is_a_timeout(kind: FaultKind, headline: str) -> None:
    found = judge_fault(fault(kind, seconds=12.5), GEMM, PLAN)
    assert (found.verdict, found.headline) == (Verdict.TIMEOUT, headline)
    assert found.remarks[0].instead


def test_a_set_up_that_does_not_end_is_a_timeout() -> None:
    found = judge_fault(fault(FaultKind.SET_UP_TIMED_OUT, call=-1, seconds=10.0), GEMM, PLAN)
    assert found.verdict is Verdict.TIMEOUT
    assert found.headline == "the set-up (0 launches) did not end within 10.0 s"


def test_a_launcher_that_died_of_the_kernel_is_a_runtime_error() -> None:
    found = judge_fault(fault(code=0), GEMM, PLAN)
    assert found.verdict is Verdict.RUNTIME_ERROR
    assert found.headline == "call 2 (2 launches) ended the process that made it"
