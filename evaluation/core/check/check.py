"""The check stage: the problem's own input sets under the paper's strict rule (rules C2 to C6)."""

from dataclasses import dataclass

from evaluation.core.catalogue.problem import Problem
from evaluation.core.check.checked_calls import is_wrong
from evaluation.core.check.error_map import ErrorMap, error_map
from evaluation.core.check.failed import Failed
from evaluation.core.check.faults import judge_fault
from evaluation.core.check.later_calls import judge_later_calls
from evaluation.core.check.outputs import expect_outputs, headline, touched, wrong
from evaluation.core.check.precision import Grade, grade_facts, grades, over_limit
from evaluation.core.check.reasons import reasons
from evaluation.core.check.served_by import confinement_signals, version_facts
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import CallSeen, CheckSeen, OutputSeen, Purpose
from evaluation.core.plan.plan import Plan
from evaluation.core.quoting import counted
from evaluation.core.records import Fact, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage, Verdict

LONG_SETUP_NS = 1_000_000_000  # rule L11
_NS, _BYTES = "ns", "bytes"


@dataclass(frozen=True, slots=True)
class CheckJudgement:
    """The report without artifacts, and the pictures that are to become some: one for each output that is wrong."""

    report: StageReport
    images: tuple[ErrorMap, ...] = ()


def judge_check(seen: CheckSeen, problem: Problem, plan: Plan) -> CheckJudgement:
    """Judge the checked calls. Without a verdict the kernel goes on to probe and time.

    Raise ToolFailure where the referee saw too little to say anything: a call that was not made never passes.
    """
    for call in seen.calls:
        failed = _call_failed(call, problem)
        if failed:
            images = tuple(one for one in map(error_map, call.outputs) if one is not None)
            return CheckJudgement(_report(seen, problem, plan, failed), images)
    if seen.fault is not None:
        failed = judge_fault(seen.fault, problem, plan)
        return CheckJudgement(_report(seen, problem, plan, failed))
    strict = sum(call.purpose is Purpose.CHECK for call in seen.calls)
    if strict < problem.input_sets:
        what = f"{counted(strict, 'checked call')} came of {problem.input_sets}, and no fault"
        raise ToolFailure(what, action="report this as a bug of ptxboard")
    return CheckJudgement(_report(seen, problem, plan, None))


def _call_failed(call: CallSeen, problem: Problem) -> Failed | None:
    """Judge a call strictly on the problem's own input sets; any other, made to learn its time, as a later one."""
    if call.purpose is not Purpose.CHECK:
        return judge_later_calls((call,), problem).failed
    expect_outputs(call, problem)
    return _failed(call, problem)


def _failed(call: CallSeen, problem: Problem) -> Failed | None:
    reach = touched(call)
    if reach:
        return reach
    bad = [one for one in call.outputs if is_wrong(one, problem.tolerance)]
    if not bad:
        return None
    first = bad[0]
    return Failed(
        Verdict.WRONG_RESULT,
        headline(first, first.outside_both),
        tuple(wrong(one, call=call, count=one.outside_both, problem=problem) for one in bad),
    )


def _report(seen: CheckSeen, problem: Problem, plan: Plan, failed: Failed | None) -> StageReport:
    graded = grades(seen.calls)
    report = StageReport(
        stage=Stage.CHECK,
        headline=_right(seen.calls),
        signals=_signals(seen, problem, graded),
        facts=_facts(seen, graded),
    )
    if failed is None:
        return report
    return StageReport(
        stage=Stage.CHECK,
        headline=failed.headline,
        verdict=failed.verdict,
        remarks=failed.remarks + reasons(plan),
        signals=report.signals,
        facts=report.facts,
    )


def _right(calls: tuple[CallSeen, ...]) -> str:
    words = f"all outputs of {counted(len(calls), 'call')} are within tolerance"
    borderline = sum(one.outside_both for call in calls for one in call.outputs)
    if not borderline:
        return words
    return f"{words} but for {counted(borderline, 'borderline element')}"


def _signals(seen: CheckSeen, problem: Problem, graded: tuple[Grade, ...]) -> tuple[Signal, ...]:
    found = []
    coarse = over_limit(graded, problem)
    if coarse:
        sentence = (
            "The outputs are within tolerance, with a far larger error than the vendor library's."
        )
        found.append(Signal("coarse_precision", 1, Severity.HOLD, Stage.CHECK, sentence, coarse))
    if seen.set_up_ns > LONG_SETUP_NS:
        sentence = "Set-up takes more than a second of the GPU, which no ranked time contains."
        evidence = (f"{seen.set_up_ns} ns, {seen.set_up_bytes} bytes",)
        found.append(Signal("long_setup", 1, Severity.NOTE, Stage.CHECK, sentence, evidence))
    return (*found, *confinement_signals(seen.device))


def _facts(seen: CheckSeen, graded: tuple[Grade, ...]) -> tuple[Fact, ...]:
    last = seen.calls[-1].outputs if seen.calls else ()
    return (
        Fact("checked_calls", len(seen.calls)),
        Fact("set_up", seen.set_up_ns, _NS),
        Fact("set_up_memory", seen.set_up_bytes, _BYTES),
        *(fact for output in last for fact in _output_facts(output, seen.calls)),
        *grade_facts(graded),
        *version_facts(seen.device),
    )


def _output_facts(output: OutputSeen, calls: tuple[CallSeen, ...]) -> tuple[Fact, ...]:
    """Count over all calls; the largest difference is that of the call where it is largest."""
    same = [one for call in calls for one in call.outputs if one.name == output.name]
    differences = [
        abs(one.worst.got - one.worst.expected)
        for one in same
        if one.worst is not None and one.worst.got is not None
    ]
    largest = f"{max(differences):.4g}" if differences else "none"
    return (
        Fact(f"elements.{output.name}", sum(one.elements for one in same)),
        Fact(f"nonfinite.{output.name}", sum(one.nonfinite for one in same)),
        Fact(f"outside_vendor.{output.name}", sum(one.outside for one in same)),
        Fact(f"outside_both.{output.name}", sum(one.outside_both for one in same)),
        Fact(f"largest_error.{output.name}", largest),
    )
