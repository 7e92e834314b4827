import pytest
from measured import GEMM, call, output

from evaluation.core.check.later_calls import judge_later_calls
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import CallSeen, Element, OutputSeen, Purpose
from evaluation.core.verdict import Verdict

SMALL = 1 << 20  # one in a million of it is 1.05 elements


def later(number: int, *outputs: OutputSeen, intact: bool = True) -> CallSeen:
    return call(number, *outputs, purpose=Purpose.PAIR, inputs_intact=intact)


def test_calls_with_borderline_elements_are_right_and_both_counts_are_shown() -> None:
    calls = [later(0, output(outside=40)), later(1, output(outside=18)), later(2)]
    found = judge_later_calls(calls, GEMM)
    assert found.failed is None
    assert {one.name: one.value for one in found.facts} == {
        "compared_calls": 3,
        "compared_elements": 3 * 58_720_256,
        "elements_outside": 58,
        "elements_outside_fourfold": 0,
    }


@pytest.mark.parametrize(
    ("bad", "is_wrong"),
    [
        (output(outside=58), False),  # 58.7 are one in a million
        (output(outside=59), True),
        (output(outside=59, both=58), False),  # the oracle says that the vendor is off
        (output(outside=1, fourfold=1), True),
        (output(nonfinite=1), True),
    ],
)
def test_one_in_a_million_may_be_outside_and_none_far_outside(
    bad: OutputSeen, is_wrong: bool
) -> None:
    found = judge_later_calls([later(0), later(1, bad)], GEMM)
    assert (found.failed is not None) is is_wrong


def test_the_first_call_that_breaks_the_rule_is_named() -> None:
    first = Element((0, 5), 2.0, -2.0)
    bad = output(outside=11, fourfold=11, first=first)
    found = judge_later_calls([later(0), later(7, bad), later(8, intact=False)], GEMM)
    assert found.failed is not None
    assert found.failed.verdict is Verdict.WRONG_RESULT
    assert found.failed.headline == (
        "wrong in a timed call: C is wrong in 11 of 58720256 elements (1.87e-05 %), "
        "first [0, 5]: expected 2, got -2"
    )
    assert found.failed.remarks[0].message.startswith("C in call 7: 11 of 58720256")
    assert found.facts[0].value == 3


def test_an_input_written_in_a_timed_call_is_a_memory_fault() -> None:
    found = judge_later_calls([later(4, intact=False)], GEMM)
    assert found.failed is not None
    assert found.failed.verdict is Verdict.MEMORY_FAULT


def test_a_call_that_lacks_an_output_is_our_failure() -> None:
    with pytest.raises(ToolFailure, match="call 0 was compared as"):
        judge_later_calls([later(0, output("D"))], GEMM)
