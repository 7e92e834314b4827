"""What a closer look adds to the reports: lines for the author of a fault, signals for a person, never a verdict."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from evaluation.core.catalogue.problem import Problem
from evaluation.core.check.cuda_errors import cause
from evaluation.core.measure.examination import (
    ByInstruction,
    ExaminationKind,
    Examined,
    Examiner,
    Hindrance,
    NotRun,
)
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import CheckSeen, Fault, FaultKind, ProbeSeen
from evaluation.core.probe.sanitizer_report import SanitizerReport
from evaluation.core.probe.sass_report import with_evidence
from evaluation.core.records import Fact, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage, Target, Verdict

_RECORDS: Final = "records"
_DIED_BEFORE = NotRun(Hindrance.NOT_REACHED, "a call of the kernel failed before")
_NO_EXAMINER = NotRun(Hindrance.MISSING, "this machine is not set up for it")

Look = tuple[ExaminationKind, Examined]
"""What was asked, and what came of it."""


def look(
    prepared: Prepared,
    fault: Fault | None,
    examiner: Examiner | None,
    asked: Sequence[ExaminationKind],
) -> tuple[Look, ...]:
    """Examine a kernel whose checked calls ended in ``fault``, or in none: for what is asked, and for a memory fault.

    A kernel that does not end in time is not run again, and one that faults has no counts to take.
    """
    kinds = dict.fromkeys(asked)
    if examiner is None:
        return tuple((kind, _NO_EXAMINER) for kind in kinds)
    if is_memory_fault(fault):
        kinds = dict.fromkeys((ExaminationKind.MEMCHECK, *kinds))
    return tuple(
        (kind, examiner.examine(prepared, kind) if _is_reached(fault, kind) else _DIED_BEFORE)
        for kind in kinds
    )


def is_memory_fault(fault: Fault | None) -> bool:
    """Whether memcheck can say where a fault comes from."""
    return (
        fault is not None
        and fault.kind is FaultKind.CUDA_ERROR
        and fault.code != 0
        and cause(fault.code).verdict is Verdict.MEMORY_FAULT
    )


def with_memcheck(seen: CheckSeen, found: Sequence[Look]) -> CheckSeen:
    """Put what memcheck says into a fault. Without it the fault is the same."""
    report = dict(found).get(ExaminationKind.MEMCHECK)
    if seen.fault is None or not isinstance(report, SanitizerReport):
        return seen
    return replace(seen, fault=replace(seen.fault, memcheck=report.lines))


def with_looks(report: StageReport, found: Sequence[Look]) -> StageReport:
    """Add what every tool said but Nsight, whose counts stand against the hardware's in the probe's report."""
    told = [(kind, one) for kind, one in found if not isinstance(one, ByInstruction)]
    signals = (_signal(kind, one, report.verdict) for kind, one in told)
    return replace(
        report,
        facts=(*report.facts, *(_fact(kind, one) for kind, one in told)),
        signals=(*report.signals, *(one for one in signals if one is not None)),
    )


def with_counts(
    report: StageReport, seen: ProbeSeen, found: Sequence[Look], problem: Problem, target: Target
) -> StageReport:
    """Add counts by instruction to the probe's report, where there are any."""
    for _, one in found:
        if isinstance(one, ByInstruction):
            return with_evidence(report, seen, one.found, problem, target)
    return report


def _is_reached(fault: Fault | None, kind: ExaminationKind) -> bool:
    if fault is None:
        return True
    return fault.kind is FaultKind.CUDA_ERROR and kind is not ExaminationKind.NSIGHT


def _fact(kind: ExaminationKind, one: SanitizerReport | NotRun) -> Fact:
    name = f"examined.{kind}"
    if isinstance(one, NotRun):
        return Fact(name, f"not run, {one.why}: {one.detail}")
    return Fact(name, one.records, _RECORDS)


def _signal(
    kind: ExaminationKind, one: SanitizerReport | NotRun, verdict: Verdict | None
) -> Signal | None:
    if isinstance(one, NotRun) or not one.records:
        return None
    if kind is ExaminationKind.RACECHECK:
        sentence = "racecheck found threads that use shared memory with nothing between them that keeps an order."
        return Signal("race_found", 1, Severity.HOLD, Stage.CHECK, sentence, one.lines)
    if kind is ExaminationKind.INITCHECK:
        sentence = "initcheck found reads of device memory that nobody had written."
        return Signal("uninitialised_read", 1, Severity.NOTE, Stage.CHECK, sentence, one.lines)
    if verdict is Verdict.MEMORY_FAULT:  # said already, and the lines are among the remarks
        return None
    sentence = "memcheck found accesses outside of buffers, and the checked calls ended without a memory fault."
    return Signal("access_outside", 1, Severity.HOLD, Stage.CHECK, sentence, one.lines)
