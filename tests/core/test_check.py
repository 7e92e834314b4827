import struct
import zlib
from dataclasses import replace

import pytest
from measured import BACKWARD, CAUSAL_BACKWARD, CHECKED, DEVICE, ELEMENTS, GEMM, call, output
from planned import PLAN

from evaluation.core.catalogue.problem import Problem
from evaluation.core.check.check import judge_check
from evaluation.core.check.error_map import error_map
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import CallSeen, CheckSeen, Element, Fault, FaultKind, Purpose
from evaluation.core.plan.plan import AllocStep, FreeStep, LaunchStep
from evaluation.core.records import StageReport
from evaluation.core.verdict import Severity, Stage, Verdict

FIRST = Element((3, 17), 1.25, 3.5)
QUIET = replace(
    PLAN,
    setup=(),
    steady=tuple(
        replace(step, undetermined=()) if isinstance(step, LaunchStep) else step
        for step in PLAN.steady
        if not isinstance(step, AllocStep | FreeStep)
    ),
)


def checked(*calls: CallSeen) -> CheckSeen:
    return replace(CHECKED, calls=calls)


def judged(seen: CheckSeen) -> StageReport:
    return judge_check(seen, GEMM, PLAN).report


def facts(report: StageReport) -> dict[str, str | int]:
    return {one.name: one.value for one in report.facts}


def test_three_calls_within_tolerance_have_no_verdict_yet() -> None:
    found = judge_check(CHECKED, GEMM, PLAN)
    assert found.report.stage is Stage.CHECK
    assert found.report.verdict is None
    assert found.report.headline == "all outputs of 3 calls are within tolerance"
    assert found.report.remarks == ()
    assert found.report.signals == ()
    assert found.images == ()
    assert facts(found.report) == {
        "checked_calls": 3,
        "set_up": 1500,
        "set_up_memory": 4096,
        "elements.C": 176_160_768,
        "nonfinite.C": 0,
        "outside_vendor.C": 0,
        "outside_both.C": 0,
        "largest_error.C": "none",
        "driver": "580.159.04",
        "torch": "2.11.0+cu130",
        "cuda": "13.0",
        "cuda_driver": "13.0",
        "cublas": "13.1.0",
        "cudnn": "9.15.1",
        "confined": "yes",
    }


@pytest.mark.parametrize("calls", [CHECKED.calls, (call(0, output(outside=1)),)])
def test_outside_of_the_jail_every_kernel_is_held(calls: tuple[CallSeen, ...]) -> None:
    free = replace(CHECKED, device=replace(DEVICE, confined=False), calls=calls)
    report = judged(free)
    assert [(one.kind, one.severity) for one in report.signals] == [("unconfined", Severity.HOLD)]
    assert facts(report)["confined"] == "no"


def test_one_wrong_element_of_fifty_eight_million_is_wrong() -> None:
    bad = output(outside=1, fourfold=0, first=FIRST, worst=FIRST)
    report = judged(checked(call(0), call(1, bad)))
    assert report.verdict is Verdict.WRONG_RESULT
    assert report.headline == (
        "C is wrong in 1 of 58720256 elements (1.7e-06 %), first [3, 17]: expected 1.25, got 3.5"
    )
    assert report.remarks[0].rule == "C2"
    assert report.remarks[0].message == (
        "C in call 1: 1 of 58720256 elements outside (1.7e-06 %); first [3, 17]: expected 1.25, got 3.5"
    )
    assert "max(0.01, 0.01 |y|)" in report.remarks[0].instead
    assert facts(report)["largest_error.C"] == "2.25"


def test_an_element_that_misses_the_vendor_and_meets_the_oracle_passes_and_is_shown() -> None:
    report = judged(checked(call(0, output(outside=2, both=0)), call(1), call(2)))
    assert report.verdict is None
    assert facts(report)["outside_vendor.C"] == 2
    assert facts(report)["outside_both.C"] == 0


def borderline(count: int, *, fourfold: int = 0) -> CheckSeen:
    """One checked call of the causal backward, whose outputs have 4 * 48 * 4096 * 128 = 100,663,296 elements."""
    elements = 100_663_296
    outputs = (
        output(
            "dQ",
            elements=elements,
            outside=count + 5,
            both=count,
            fourfold=fourfold,
            first=FIRST,
            worst=FIRST,
        ),
        output("dK", elements=elements),
        output("dV", elements=elements),
    )
    return checked(call(0, *outputs))


def test_rare_borderline_elements_pass_where_the_problem_states_them() -> None:
    """One in ten million: ten of these hundred million."""
    report = judge_check(borderline(10), CAUSAL_BACKWARD, PLAN).report
    assert report.verdict is None
    assert report.headline == (
        "all outputs of 1 call are within tolerance but for 10 borderline elements"
    )
    assert facts(report)["outside_both.dQ"] == 10
    assert facts(report)["outside_vendor.dQ"] == 15


@pytest.mark.parametrize(
    ("seen", "problem"),
    [
        pytest.param(borderline(11), CAUSAL_BACKWARD, id="one more than is stated"),
        pytest.param(borderline(1, fourfold=1), CAUSAL_BACKWARD, id="beyond four times"),
        pytest.param(borderline(1), BACKWARD, id="where none is stated"),
    ],
)
def test_other_elements_outside_are_wrong(seen: CheckSeen, problem: Problem) -> None:
    report = judge_check(seen, problem, PLAN).report
    assert report.verdict is Verdict.WRONG_RESULT
    assert "dQ is wrong in" in report.headline


def test_an_element_that_is_not_finite_is_wrong_and_told_by_its_word() -> None:
    nan = Element((0, 0), -0.5, None, "nan")
    report = judged(checked(call(0, output(nonfinite=ELEMENTS // 4, first=nan, worst=nan))))
    assert report.verdict is Verdict.WRONG_RESULT
    assert report.headline == (
        "C is wrong in 14680064 of 58720256 elements (25 %), first [0, 0]: expected -0.5, got nan"
    )
    assert "14680064 not finite (25 %)" in report.remarks[0].message
    assert facts(report)["largest_error.C"] == "none"


def test_a_wrong_output_without_a_first_element_is_told_by_its_share() -> None:
    report = judged(checked(call(0, output(outside=ELEMENTS))))
    assert report.headline == "C is wrong in 58720256 of 58720256 elements (100 %)"


@pytest.mark.parametrize(
    ("inputs", "slack", "headline", "rule"),
    [
        (False, True, "call 0 wrote an input", "C4"),
        (True, False, "call 0 wrote beyond the end of a buffer", "C3"),
        (False, False, "call 0 wrote an input", "C4"),
    ],
)
def test_a_write_where_none_may_be_is_a_memory_fault_before_any_wrong_result(
    inputs: bool, slack: bool, headline: str, rule: str
) -> None:
    touched = call(0, output(outside=5), inputs_intact=inputs, slack_intact=slack)
    report = judged(checked(touched))
    assert (report.verdict, report.headline) == (Verdict.MEMORY_FAULT, headline)
    assert report.remarks[0].rule == rule


def test_all_wrong_outputs_are_remarked_and_drawn() -> None:
    elements = 48 * 4 * 4096 * 128  # batch, heads, sequence, head dimension: 100,663,296
    calls = call(
        0,
        output("dQ", elements=elements, outside=7, cells=(1, 2, (7, 0))),
        output("dK", elements=elements),
        output("dV", elements=elements, nonfinite=1, cells=(1, 1, (1,))),
    )
    found = judge_check(checked(calls), BACKWARD, QUIET)
    assert found.report.headline.startswith("dQ is wrong in 7 of 100663296 elements")
    assert [one.message.split(" ")[0] for one in found.report.remarks] == ["dQ", "dV"]
    assert [one.output for one in found.images] == ["dQ", "dV"]


def test_the_failing_report_names_what_the_plan_says_about_memory_and_bytes() -> None:
    found = judge_check(checked(call(0, output(outside=9))), GEMM, PLAN).report
    assert [one.rule for one in found.remarks] == ["C2", "C5", "L3"]
    assert "3 workspaces" in found.remarks[1].message
    assert "'s'" in found.remarks[2].message
    quiet = judge_check(checked(call(0, output(outside=9))), GEMM, QUIET).report
    assert [one.rule for one in quiet.remarks] == ["C2"]


def test_a_call_that_was_not_compared_in_full_is_our_failure_and_never_a_pass() -> None:
    with pytest.raises(ToolFailure, match="was compared as") as failure:
        judged(checked(call(0, output(elements=ELEMENTS - 1))))
    assert failure.value.action
    with pytest.raises(ToolFailure, match="2 checked calls came of 3"):
        judged(checked(call(0), call(1)))
    with pytest.raises(ToolFailure, match="0 checked calls came of 3"):
        judged(checked())


def test_calls_beyond_the_input_sets_follow_the_rule_of_later_calls() -> None:
    # 58 of 58,720,256 are just below one in a million, 59 just above.
    def more(outside: int) -> StageReport:
        warm = call(3, output(outside=outside), purpose=Purpose.WARM_UP)
        return judged(checked(*CHECKED.calls, warm))

    assert more(58).verdict is None
    assert more(59).verdict is Verdict.WRONG_RESULT
    with pytest.raises(ToolFailure, match="2 checked calls came of 3"):
        judged(checked(call(0), call(1), call(2, purpose=Purpose.WARM_UP)))


def test_a_fault_ends_the_run_with_its_verdict() -> None:
    fault = Fault(FaultKind.CUDA_ERROR, 0, 1, 3, 700, "CUDA_ERROR_ILLEGAL_ADDRESS", 0.1)
    report = judged(CheckSeen(DEVICE, 0, 0, (call(0),), fault))
    assert report.verdict is Verdict.MEMORY_FAULT
    assert report.remarks[0].rule == "C3"


def test_a_wrong_call_before_a_fault_is_judged_first() -> None:
    fault = Fault(FaultKind.TIMED_OUT, 0, 1, -1, 0, "", 10.0)
    seen = CheckSeen(DEVICE, 0, 0, (call(0, output(outside=1)),), fault)
    assert judged(seen).verdict is Verdict.WRONG_RESULT


def test_the_precision_grade_is_the_root_of_the_ratio_of_squares_over_all_calls() -> None:
    # (9 + 27) / (1 + 3) = 9, whose root is 3; the limit is 4.
    calls = (
        call(0, output(errors=(9.0, 1.0))),
        call(1, output(errors=(27.0, 3.0))),
        call(2),
    )
    report = judged(checked(*calls))
    assert facts(report)["precision_grade.C"] == "3.000"
    assert report.signals == ()


@pytest.mark.parametrize(("errors", "words"), [((17.0, 1.0), "4.123"), ((1e-9, 0.0), "unbounded")])
def test_an_error_far_above_the_vendors_is_held(errors: tuple[float, float], words: str) -> None:
    report = judged(checked(call(0, output(errors=errors)), call(1), call(2)))
    assert report.verdict is None
    assert facts(report)["precision_grade.C"] == words
    (signal,) = report.signals
    assert (signal.kind, signal.severity) == ("coarse_precision", Severity.HOLD)
    assert signal.evidence == (f"C: {words} times the vendor's own error, the limit is 4",)


def test_a_kernel_as_exact_as_the_oracle_has_grade_zero_beside_an_exact_vendor() -> None:
    report = judged(checked(call(0, output(errors=(0.0, 0.0))), call(1), call(2)))
    assert facts(report)["precision_grade.C"] == "0.000"
    assert report.signals == ()


def test_set_up_of_more_than_a_second_is_noted() -> None:
    assert judged(replace(CHECKED, set_up_ns=1_000_000_000)).signals == ()
    (signal,) = judged(replace(CHECKED, set_up_ns=1_000_000_001)).signals
    assert (signal.kind, signal.severity) == ("long_setup", Severity.NOTE)
    assert signal.evidence == ("1000000001 ns, 4096 bytes",)


def _chunks(png: bytes) -> dict[bytes, bytes]:
    """Read a PNG back by the standard: length, kind, content, CRC over kind and content."""
    assert png[:8] == bytes((137, 80, 78, 71, 13, 10, 26, 10))
    found, at = {}, 8
    while at < len(png):
        size = int.from_bytes(png[at : at + 4], "big")
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert int.from_bytes(png[at + 8 + size : at + 12 + size], "big") == zlib.crc32(
            kind + content
        )
        found[kind] = content
        at += 12 + size
    return found


def test_the_error_map_is_a_png_with_a_square_for_each_cell() -> None:
    # Two rows of three cells; 1, 3 and 255 have 1, 2 and 8 bits, so shades 1, 2 and 5 of 5.
    drawn = error_map(output(outside=259, cells=(2, 3, (0, 1, 3, 255, 0, 0))))
    assert drawn is not None
    chunks = _chunks(drawn.content)
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (24, 16, 8, 3, 0, 0, 0)
    assert chunks[b"PLTE"][:3] == b"\xff\xff\xff"
    assert len(chunks[b"PLTE"]) == 18
    lines = zlib.decompress(chunks[b"IDAT"])
    upper = b"\0" + b"\0" * 8 + b"\1" * 8 + b"\2" * 8
    lower = b"\0" + b"\5" * 8 + b"\0" * 16
    assert lines == upper * 8 + lower * 8


def test_a_map_without_a_wrong_element_is_white_and_no_map_is_none() -> None:
    drawn = error_map(output(cells=(1, 1, (0,))))
    assert drawn is not None
    assert set(zlib.decompress(_chunks(drawn.content)[b"IDAT"])) == {0}
    assert error_map(output()) is None


@pytest.mark.parametrize(
    "cells", [(1, 2, (1,)), (0, 1, (1,)), (1, 0, (1,)), (65, 1, (1,) * 65), (1, 65, (1,) * 65)]
)
def test_a_map_that_is_no_rectangle_is_our_failure(
    cells: tuple[int, int, tuple[int, ...]],
) -> None:
    with pytest.raises(ToolFailure, match="error map of C"):
        error_map(output(cells=cells))
