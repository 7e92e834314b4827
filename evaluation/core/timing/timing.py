"""The time stage: later calls still right, then one ratio with its interval, or the reason why there is none."""

from dataclasses import dataclass, replace

from evaluation.core.catalogue.problem import Problem
from evaluation.core.check.failed import Failed
from evaluation.core.check.faults import judge_fault
from evaluation.core.check.later_calls import judge_later_calls
from evaluation.core.check.precision import grade_facts, grades, over_limit
from evaluation.core.check.reasons import reasons
from evaluation.core.measure.seen import MeasureSeen
from evaluation.core.plan.plan import Plan
from evaluation.core.records import Fact, StageReport
from evaluation.core.signal import Signal
from evaluation.core.timing.bounds import (
    bound_signals,
    call_bound,
    hardware_ns,
    hardware_signals,
)
from evaluation.core.timing.device_state import device_facts, memory_signals
from evaluation.core.timing.expectation import Expectation, spread_of
from evaluation.core.timing.limits import canary_signals, floor_of, floor_signals
from evaluation.core.timing.ranked import Ranked, ranked
from evaluation.core.timing.refusal import no_pairs_reason, no_speed_reason
from evaluation.core.timing.rows import row_signals
from evaluation.core.timing.speed import NO_SPEED, speed_facts, speed_headline
from evaluation.core.timing.statistics import ratio_of
from evaluation.core.timing.time_facts import time_facts
from evaluation.core.timing.units import NS
from evaluation.core.timing.vendor import vendor_signals
from evaluation.core.verdict import Severity, Stage, Verdict


def judge_time(
    seen: MeasureSeen, problem: Problem, plan: Plan, expectation: Expectation | None
) -> StageReport:
    """Judge all that came after the check. ``expectation`` is the device's for this problem, None where unknown.

    Always ends the run: accepted, or what a later call did wrong. A kernel without a speed is accepted all the same.
    Raise ToolFailure for what is not the kernel's doing.
    """
    later = judge_later_calls(seen.calls, problem)
    failed = later.failed
    if failed is None and seen.fault is not None:
        failed = judge_fault(seen.fault, problem, plan)
    if failed is not None:
        return _refused(failed, plan, later.facts)
    graded = grades(seen.calls)
    found = ranked(seen)
    report = StageReport(
        stage=Stage.TIME,
        headline="",
        verdict=Verdict.ACCEPTED,
        signals=_precision_signals(over_limit(graded, problem)) + memory_signals(seen.clocks),
        facts=(*later.facts, *grade_facts(graded), *time_facts(seen, found)),
    )
    measured = _measured(seen, problem, plan, found, expectation)
    return replace(
        report,
        headline=measured.headline,
        signals=report.signals + measured.signals,
        facts=measured.facts + report.facts + device_facts(seen.clocks),
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    headline: str
    facts: tuple[Fact, ...]
    signals: tuple[Signal, ...] = ()


def _refused(failed: Failed, plan: Plan, facts: tuple[Fact, ...]) -> StageReport:
    return StageReport(
        stage=Stage.TIME,
        headline=failed.headline,
        verdict=failed.verdict,
        remarks=failed.remarks + reasons(plan),
        facts=facts,
    )


def _precision_signals(coarse: tuple[str, ...]) -> tuple[Signal, ...]:
    if not coarse:
        return ()
    sentence = (
        "Timed outputs are within tolerance, with a far larger error than the vendor library's."
    )
    return (Signal("coarse_precision", 1, Severity.HOLD, Stage.TIME, sentence, coarse),)


def _measured(
    seen: MeasureSeen,
    problem: Problem,
    plan: Plan,
    found: Ranked | None,
    expectation: Expectation | None,
) -> _Measured:
    reason = no_pairs_reason(seen, found)
    if found is None:
        return _without(reason, ())
    bound = call_bound(seen, found)
    # These tell of the kernel's own clock; the others only of a speed, so that without one they have nothing to hold.
    clocks = (
        *bound_signals(found, bound),
        *row_signals(seen, found, plan, bound),
        *hardware_signals(found, hardware_ns(seen.probe)),
    )
    facts = (Fact("least_time_outside", bound.least_ns, NS),) if bound else ()
    if reason:
        return _without(reason, clocks, facts)
    ratio = ratio_of(found.pairs, spread_of(expectation))
    reason = no_speed_reason(ratio, bound)
    if reason:
        return _without(reason, clocks, facts)
    floor = floor_of(problem, seen.roofs)
    return _Measured(
        headline=speed_headline(ratio, found),
        facts=(
            *speed_facts(ratio),
            Fact("assumed_spread", f"{float(spread_of(expectation)):.6f}"),
            Fact("floor", floor, NS),
            *facts,
        ),
        signals=(
            *clocks,
            *vendor_signals(seen, found, expectation),
            *floor_signals(found, floor),
            *canary_signals(seen.canaries),
        ),
    )


def _without(reason: str, signals: tuple[Signal, ...], facts: tuple[Fact, ...] = ()) -> _Measured:
    return _Measured(f"correct; speed: none, {reason}", (Fact(NO_SPEED, reason), *facts), signals)
