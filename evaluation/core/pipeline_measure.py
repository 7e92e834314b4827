"""The order of the stages that need a GPU, and nothing else: a measurer sees, and pure judgements follow.

The work of a stage is done only when its report is asked for. What comes before is in ``pipeline.py``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from evaluation.core import wire
from evaluation.core.check.check import judge_check
from evaluation.core.measure.examination import ExaminationKind, Examiner
from evaluation.core.measure.examination_report import (
    Look,
    look,
    with_counts,
    with_looks,
    with_memcheck,
)
from evaluation.core.measure.measurer import Measurer, Session
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.second_reading import counted, with_counter
from evaluation.core.measure.seen import MeasureSeen
from evaluation.core.ports import Artifacts
from evaluation.core.probe.finding import Clock, Static
from evaluation.core.probe.probe import judge_probe
from evaluation.core.records import ArtifactRef, Fact, StageReport
from evaluation.core.staged import Begin, staged
from evaluation.core.timing.expectation import DeviceExpectations
from evaluation.core.timing.ranked import ranked
from evaluation.core.timing.refusal import measure_again
from evaluation.core.timing.timing import judge_time
from evaluation.core.verdict import Stage, Verdict


@dataclass(frozen=True, slots=True)
class MeasureTools:
    """Everything outside that a measure run needs beside its measurer.

    ``expectations`` are the vendor's times on this product, None where nobody has measured them. Without an
    ``examiner`` nobody looks closer at a kernel.
    """

    artifacts: Artifacts
    clock: Callable[[], float]  # seconds, monotonic
    expectations: DeviceExpectations | None
    examiner: Examiner | None = None


def measure(
    prepared: Prepared,
    measurer: Measurer,
    tools: MeasureTools,
    begin: Begin,
    *,
    bulk_rows: int = 0,
    examine: Sequence[ExaminationKind] = (),
) -> Iterator[StageReport]:
    """Yield check and, for a kernel without a verdict there, probe and time; the report with the verdict is the last.

    Hardware counters are read in calls among the timed ones (rule I2), so the probe has no run of its own: its seconds
    are the time stage's, and a kernel of which a later call was wrong has no probe. Where the launcher can read none,
    the examiner reads them in calls beside those. ``bulk_rows`` are the scan's.
    What is to ``examine`` is looked at while the GPU waits for the pairs, and after a memory fault memcheck is.
    Raise ToolFailure for our own faults.
    """
    with measurer.open(prepared) as session:
        check, found = staged(
            Stage.CHECK, tools.clock, begin, lambda: _check(prepared, session, tools, examine)
        )
        if not check.ends_run:
            yield check
            time, probe = staged(
                Stage.TIME,
                tools.clock,
                begin,
                lambda: _measure(prepared, session, tools, bulk_rows, found),
            )
    # What ends a run is said when the GPU is known to be well after it: a sick one has no verdicts.
    if check.ends_run:
        yield check
        return
    if probe is not None:
        yield probe
    yield time


def _check(
    prepared: Prepared, session: Session, tools: MeasureTools, examine: Sequence[ExaminationKind]
) -> tuple[StageReport, tuple[Look, ...]]:
    seen = session.check()
    found = look(prepared, seen.fault, tools.examiner, examine)
    seen = with_memcheck(seen, found)
    judged = judge_check(seen, prepared.problem, prepared.plan)
    artifacts = (
        tools.artifacts.put("check_seen", wire.encode(seen)),
        *(tools.artifacts.put(f"error_map.{one.output}", one.content) for one in judged.images),
    )
    return with_looks(replace(judged.report, artifacts=artifacts), found), found


def _measure(
    prepared: Prepared,
    session: Session,
    tools: MeasureTools,
    bulk_rows: int,
    found: tuple[Look, ...],
) -> tuple[StageReport, StageReport | None]:
    """The report of time and, of an accepted kernel, the probe's.

    A measurement that may not stand is made once more, and then counts alone.
    """
    known = tools.expectations
    expectation = None if known is None else known.of(prepared.problem.name)
    seen = session.measure()
    first: tuple[ArtifactRef, ...] = ()
    again = measure_again(seen, expectation)
    if again:
        first = (tools.artifacts.put("first_measure_seen", wire.encode(seen)),)
        seen = session.measure()
    time = judge_time(seen, prepared.problem, prepared.plan, expectation)
    raw = tools.artifacts.put("measure_seen", wire.encode(seen))
    facts = tuple(Fact("measured_again", one) for one in again)
    time = replace(time, facts=time.facts + facts, artifacts=(*first, raw))
    if time.verdict is not Verdict.ACCEPTED:
        return time, None
    return time, _probe(prepared, seen, tools, bulk_rows, found)


def _probe(
    prepared: Prepared,
    seen: MeasureSeen,
    tools: MeasureTools,
    bulk_rows: int,
    looks: tuple[Look, ...],
) -> StageReport:
    """The probe's report, of the launcher's readings or of those that stand in for them."""
    clock = _clock(seen)
    found = counted(seen.probe, prepared, tools.examiner, clock.candidate_ns)
    kept = (tools.artifacts.put("nsight_seen", wire.encode(found.seen)),) if found.by_nsight else ()
    target = prepared.plan.target
    static = Static(prepared.family, bulk_rows)
    report = judge_probe(found.seen, prepared.problem, target, static, clock)
    report = with_counts(report, found.seen, looks, prepared.problem, target)
    return with_counter(report, found, kept)


def _clock(seen: MeasureSeen) -> Clock:
    found = ranked(seen)
    return Clock(
        candidate_ns=None if found is None else found.candidate_ns,
        target_flops_per_s=seen.roofs.matrix_flops_per_s,
    )
