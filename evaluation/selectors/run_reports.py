"""The stage reports of runs, decoded: of each half the attempt that was done, or the last one that reported."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from evaluation.core import records
from evaluation.core.run_words import AttemptState, Half
from evaluation.core.wire import decode
from evaluation.models import Run, StageReport


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One report without its log, which lies in the store under ``log``; both empty where there is none.

    ``report`` has its signals only for the owner and staff.
    """

    report: records.StageReport
    half: Half
    attempt: int
    reported_at: datetime
    log: str
    log_bytes: int


def report_rows(runs: Sequence[Run], *, insider: bool) -> dict[int, tuple[ReportRow, ...]]:
    """Reports by the run's key, in the order of the stages; one query."""
    found = StageReport.objects.filter(attempt__run__in=[run.pk for run in runs])
    halves: dict[tuple[int, Half], dict[tuple[bool, int], list[StageReport]]] = {}
    for row in found.select_related("attempt", "log").order_by("place"):
        attempt = row.attempt
        tries = halves.setdefault((attempt.run_id, Half(attempt.half)), {})
        rank = (attempt.state == AttemptState.DONE, attempt.number)
        tries.setdefault(rank, []).append(row)
    return {run.pk: _of_run(run.pk, halves, insider=insider) for run in runs}


def _of_run(
    run: int,
    halves: Mapping[tuple[int, Half], Mapping[tuple[bool, int], list[StageReport]]],
    *,
    insider: bool,
) -> tuple[ReportRow, ...]:
    """The reports of the best try of each half, those of the prepare half first."""
    tries = [halves[run, half] for half in Half if (run, half) in halves]
    best = (one[max(one)] for one in tries)
    return tuple(_row(row, insider=insider) for rows in best for row in rows)


def _row(row: StageReport, *, insider: bool) -> ReportRow:
    report = decode(records.StageReport, row.body.encode(), where=f"stage report {row.pk}")
    return ReportRow(
        report=report if insider else replace(report, signals=()),
        half=Half(row.attempt.half),
        attempt=row.attempt.number,
        reported_at=row.reported_at,
        log=row.log.sha256 if row.log else "",
        log_bytes=row.log.size if row.log else 0,
    )
