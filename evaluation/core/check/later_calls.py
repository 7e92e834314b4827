"""The rule for all calls after the checked ones: pairs, slopes and counted calls, each compared in full (rule C2).

Over hundreds of calls of millions of elements an honest kernel has a borderline element now and then. So none may be
beyond four times the tolerance or not finite, and at most one in a million outside it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.core.catalogue.problem import Problem
from evaluation.core.check.failed import Failed
from evaluation.core.check.outputs import expect_outputs, headline, touched, wrong
from evaluation.core.measure.seen import CallSeen, OutputSeen
from evaluation.core.records import Fact
from evaluation.core.verdict import Verdict

ELEMENTS_FOR_ONE = 1_000_000


@dataclass(frozen=True, slots=True)
class LaterCalls:
    """``facts`` count what was seen over all calls; ``failed`` is the first call that breaks the rule."""

    facts: tuple[Fact, ...]
    failed: Failed | None


def judge_later_calls(calls: Iterable[CallSeen], problem: Problem) -> LaterCalls:
    """Judge calls in their order. Raise ToolFailure if one was not compared in full."""
    count = elements = outside = fourfold = 0
    failed: Failed | None = None
    for call in calls:
        expect_outputs(call, problem)
        count += 1
        elements += sum(one.elements for one in call.outputs)
        outside += sum(one.outside_both for one in call.outputs)
        fourfold += sum(one.outside_fourfold for one in call.outputs)
        failed = failed or _failed(call, problem)
    facts = (
        Fact("compared_calls", count),
        Fact("compared_elements", elements),
        Fact("elements_outside", outside),
        Fact("elements_outside_fourfold", fourfold),
    )
    return LaterCalls(facts, failed)


def _failed(call: CallSeen, problem: Problem) -> Failed | None:
    reach = touched(call)
    if reach:
        return reach
    bad = [one for one in call.outputs if breaks_the_rule(one)]
    if not bad:
        return None
    worst = bad[0]
    return Failed(
        Verdict.WRONG_RESULT,
        f"wrong in a timed call: {headline(worst, worst.outside_both)}",
        tuple(wrong(one, call=call, count=one.outside_both, problem=problem) for one in bad),
    )


def is_right(call: CallSeen) -> bool:
    """Say whether a later call keeps the rule in all its outputs and wrote nowhere else."""
    return touched(call) is None and not any(breaks_the_rule(one) for one in call.outputs)


def breaks_the_rule(output: OutputSeen) -> bool:
    """Say whether one output of a later call is wrong: the rule at the head of this module."""
    few = output.outside_both * ELEMENTS_FOR_ONE <= output.elements
    return output.nonfinite > 0 or output.outside_fourfold > 0 or not few
