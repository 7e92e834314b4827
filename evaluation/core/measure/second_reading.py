"""Where no launcher could read the hardware's counters: Nsight Compute's reading, and what the report says of it.

Its calls are not the timed ones and no secret, so who owns the kernel could work otherwise in them. The report says
whose counts they are; time, clocks and outputs stand as they were measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from evaluation.core.launching.port import is_the_hosts
from evaluation.core.measure.examination import Examiner, Hindrance, NotRun
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import ProbeSeen, Reading
from evaluation.core.records import ArtifactRef, Fact, StageReport
from evaluation.core.verdict import FamilyExecuted

COUNTED_BY_FACT: Final = "counted_by"
LONGEST_NS: Final = 60 * 10**9 // 40
"""Of a call: the tool may take forty times as long, and has a minute (rule I11)."""

_TOOL: Final = "Nsight Compute"
_LOG: Final = f"by {_TOOL}, in calls of a process of their own:"
_TOO_SLOW = NotRun(Hindrance.TOO_SLOW, "a call takes too long for it")


@dataclass(frozen=True, slots=True)
class Counted:
    """``by_nsight``: the readings are not the launcher's, which had none and ``launcher`` says why."""

    seen: ProbeSeen
    by_nsight: bool = False
    launcher: str = ""


def counted(
    seen: ProbeSeen, prepared: Prepared, examiner: Examiner | None, candidate_ns: int | None
) -> Counted:
    """Take the launcher's readings, or where it could not have one, those that ``examiner`` has.

    A kernel for which no reading fitted in, or without the family in its code, has no second one; nor has one whose
    readings failed once it ran, for it could have made them fail.
    """
    if (
        seen.readings
        or not is_the_hosts(seen.unavailable)
        or prepared.family is FamilyExecuted.ABSENT
        or examiner is None
    ):
        return Counted(seen)
    found = _asked(prepared, examiner, candidate_ns)
    if isinstance(found, NotRun):
        why = f"{seen.unavailable}; {_TOOL}: {found.why}, {found.detail}"
        return Counted(ProbeSeen((), why))
    return Counted(ProbeSeen(tuple(found)), by_nsight=True, launcher=seen.unavailable)


def with_counter(
    report: StageReport, found: Counted, artifacts: Sequence[ArtifactRef] = ()
) -> StageReport:
    """Say in the probe's report whose counts they are, where they are not the launcher's."""
    if not found.by_nsight:
        return report
    facts = (
        Fact(COUNTED_BY_FACT, f"{_TOOL}, in calls beside the timed ones"),
        Fact("reading_failed", found.launcher),
    )
    return replace(
        report,
        headline=f"{report.headline}, by {_TOOL}",
        facts=(*report.facts, *facts),
        log=f"{_LOG}\n{report.log}",
        artifacts=(*report.artifacts, *artifacts),
    )


def _asked(
    prepared: Prepared, examiner: Examiner, candidate_ns: int | None
) -> tuple[Reading, ...] | NotRun:
    if candidate_ns is not None and candidate_ns > LONGEST_NS:
        return _TOO_SLOW
    return examiner.count(prepared)
