"""What a worker reports of its half: stored once, and put together when all is there, in whatever order it came."""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from django.db import transaction
from django.db.models import F

from evaluation.core import records
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.half_reports import check_place, whole_half
from evaluation.core.measure.parts import Parts, parts_of
from evaluation.core.ports import Artifacts
from evaluation.core.records import ArtifactRef, Outcome
from evaluation.core.run_words import AttemptState, Half
from evaluation.core.verdict import RunState, Verdict
from evaluation.core.wire import decode, encode
from evaluation.models import Attempt, Run, StageReport
from evaluation.services.artifacts import artifact_rows
from evaluation.services.attempts import DURING, has
from evaluation.services.findings_columns import findings_columns
from evaluation.services.reports import check_signals, store_report
from evaluation.services.returns import fail

LARGEST_PART_BYTES = 256 * 1024 * 1024
_MOST_BULK_ROWS = 2**31 - 1


class Told(StrEnum):
    """What came of a message about a half. The last four ended the attempt."""

    STALE = (
        "stale"  # of another worker than the one that has the attempt, or of an attempt that ended
    )
    AGAIN = "again"  # the same was said before
    CONFLICT = "conflict"  # something else was said before, and counts
    STORED = "stored"
    READY = "ready"
    FINISHED = "finished"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        return self in {Told.READY, Told.FINISHED, Told.FAILED}


@dataclass(frozen=True, slots=True)
class Ending:
    """What a worker says when its half is done; ``seconds`` by its own clock."""

    verdict: Verdict | None
    artifacts: tuple[ArtifactRef, ...]
    seconds: float


@transaction.atomic
def report_stage(
    store: Artifacts,
    attempt: Attempt,
    worker: str,
    place: int,
    report: records.StageReport,
    *,
    at: datetime,
) -> Told:
    """Store what a stage said, and end the half if its worker has said before that this was all."""
    if not has(attempt, worker, at=at):
        return Told.STALE
    there = StageReport.objects.filter(attempt=attempt, place=place).select_related("log").first()
    if there is not None:
        return Told.AGAIN if _same(there, report) else Told.CONFLICT
    try:
        check_place(Half(attempt.half), place, report.stage)
        check_signals(report)
    except InvalidInput as misfit:
        return _failed(attempt, worker, misfit, at=at)
    store_report(store, attempt, place, report, at=at)
    return _complete(store, attempt, worker, at=at)


@transaction.atomic
def report_end(
    store: Artifacts, attempt: Attempt, worker: str, ending: Ending, *, at: datetime
) -> Told:
    """Note that the half is done, and end it as soon as every report of it is there."""
    if not has(attempt, worker, at=at):
        return Told.STALE
    said = encode(ending).decode("ascii")
    if Attempt.objects.filter(pk=attempt.pk, ending="").update(ending=said) != 1:
        before = Attempt.objects.values_list("ending", flat=True).get(pk=attempt.pk)
        return Told.AGAIN if before == said else Told.CONFLICT
    return _complete(store, attempt, worker, at=at)


def reports_of(attempt: Attempt) -> dict[int, records.StageReport]:
    """The reports of an attempt by their place, without their logs."""
    rows = StageReport.objects.filter(attempt=attempt).values_list("place", "body")
    return {
        place: decode(records.StageReport, body.encode(), where="stage report")
        for place, body in rows
    }


def _complete(store: Artifacts, attempt: Attempt, worker: str, *, at: datetime) -> Told:
    # The guarded update that came before holds the row: of two that come at once, the later one sees both.
    said = Attempt.objects.values_list("ending", flat=True).get(pk=attempt.pk)
    if not said:
        return Told.STORED
    ending = decode(Ending, said.encode(), where="ending")
    half = Half(attempt.half)
    try:
        outcome = whole_half(half, reports_of(attempt), ending.verdict, ending.artifacts)
        if outcome is None:
            return Told.STORED
        if ending.verdict is None:
            columns = _handed_over(store, _parts(outcome), at=at)
        else:
            columns = dict(findings_columns(Outcome(_before(attempt) + outcome.reports)))
    except (InvalidInput, ToolFailure) as misfit:
        return _failed(attempt, worker, misfit, at=at)
    done = Attempt.objects.filter(pk=attempt.pk, state=AttemptState.STARTED)
    assert done.update(state=AttemptState.DONE, ended_at=at) == 1
    run = Run.objects.filter(pk=attempt.run_id, state=DURING[half])
    if half is Half.MEASURE:
        columns["gpu_seconds"] = F("gpu_seconds") + _held_seconds(attempt, ending, at=at)
    if ending.verdict is None:
        assert run.update(state=RunState.READY, **columns) == 1
        return Told.READY
    columns |= {"finished_at": at, "boards_due_at": at, "waits_for": ""}
    assert run.update(state=RunState.FINISHED, **columns) == 1
    return Told.FINISHED


def _before(attempt: Attempt) -> tuple[records.StageReport, ...]:
    """The reports of the half before this one."""
    if attempt.half == Half.PREPARE:
        return ()
    prepared = Attempt.objects.filter(
        run=attempt.run_id, half=Half.PREPARE, state=AttemptState.DONE
    )
    last = prepared.order_by("-number").first()
    if last is None:
        raise InvalidInput(where="run", key="attempts", rule="have no prepare half that was done")
    found = reports_of(last)
    return tuple(found[place] for place in sorted(found))


def _parts(outcome: Outcome) -> Parts:
    try:
        parts = parts_of(outcome)
    except ValueError as misfit:
        raise InvalidInput(where="prepare half", key="facts", rule=str(misfit)[:200]) from None
    if parts.bulk_rows > _MOST_BULK_ROWS:
        raise InvalidInput(where="prepare half", key="facts", rule="count too many bulk rows")
    return parts


def _handed_over(store: Artifacts, parts: Parts, *, at: datetime) -> dict[str, object]:
    """The columns of what the measure half gets. Raise InvalidInput or ToolFailure where the store has it not."""
    refs = (parts.plan, parts.cubin, parts.facts)
    for ref in refs:
        if not 0 <= ref.size <= LARGEST_PART_BYTES:
            rule = f"has {ref.size} bytes; at most {LARGEST_PART_BYTES} are handed over"
            raise InvalidInput(where="prepare half", key=ref.name, rule=rule)
        if len(store.get(ref.sha256, limit_bytes=ref.size)) != ref.size:
            raise InvalidInput(where="prepare half", key=ref.name, rule="has another size")
    rows = artifact_rows(refs, at=at)
    return {
        "plan": rows[parts.plan.sha256],
        "cubin": rows[parts.cubin.sha256],
        "facts": rows[parts.facts.sha256],
        "scan_family": parts.family,
        "bulk_rows": parts.bulk_rows,
    }


def _held_seconds(attempt: Attempt, ending: Ending, *, at: datetime) -> float:
    """How long the half took: what the worker says, and no longer than we have waited for it."""
    started = Attempt.objects.values_list("started_at", flat=True).get(pk=attempt.pk) or at
    return min(max(ending.seconds, 0.0), max((at - started).total_seconds(), 0.0))


def _failed(
    attempt: Attempt, worker: str, misfit: InvalidInput | ToolFailure, *, at: datetime
) -> Told:
    fail(attempt, worker, f"what was reported does not fit: {misfit}", at=at)
    return Told.FAILED


def _same(there: StageReport, report: records.StageReport) -> bool:
    log = hashlib.sha256(report.log.encode()).hexdigest() if report.log else ""
    kept = there.log.sha256 if there.log else ""
    return kept == log and there.body == encode(replace(report, log="")).decode("ascii")
