"""Store what a stage reported, once, and hold the kernel where a signal asks for it."""

from dataclasses import replace
from datetime import datetime

from django.db import transaction

from evaluation.core import records, signal
from evaluation.core.errors import InvalidInput
from evaluation.core.ports import Artifacts
from evaluation.core.run_words import HoldSource
from evaluation.core.verdict import Severity, Target
from evaluation.core.wire import encode
from evaluation.models import Attempt, Run, Signal, StageReport
from evaluation.services.artifacts import store_artifact
from evaluation.services.holds import place_hold
from evaluation.services.stored_text import stored

MOST_SIGNALS = 1000  # of one report
_LARGEST_INTEGER = 2**31 - 1


def check_signals(report: records.StageReport) -> None:
    """Raise InvalidInput where there are more than anybody would look at."""
    if len(report.signals) > MOST_SIGNALS:
        rule = f"are {len(report.signals)}; at most {MOST_SIGNALS} are taken"
        raise InvalidInput(where="stage report", key="signals", rule=rule)


def store_report(
    store: Artifacts, attempt: Attempt, place: int, report: records.StageReport, *, at: datetime
) -> bool:
    """Store a report and its signals at this place of the attempt; False where one was there.

    A signal of severity hold holds kernel x problem x target in the same transaction. Whether the attempt may still
    report is for the caller to decide.
    """
    log = store_artifact(store, report.log.encode(), "log", at=at) if report.log else None
    with transaction.atomic():
        row, created = StageReport.objects.get_or_create(
            attempt=attempt,
            place=place,
            defaults={
                "stage": report.stage,
                "verdict": report.verdict or "",
                "headline": stored(report.headline, 500),
                "reported_at": at,
                "body": encode(replace(report, log="")).decode("ascii"),
                "log": log,
            },
        )
        if created:
            Signal.objects.bulk_create(
                Signal(
                    run_id=attempt.run_id,
                    report=row,
                    place=number,
                    stage=one.stage,
                    rule=one.kind,
                    version=min(one.version, _LARGEST_INTEGER),
                    severity=one.severity,
                    said=stored(one.sentence, 1000),
                )
                for number, one in enumerate(report.signals)
            )
            _hold(attempt.run, report.signals, at=at)
    return created


def _hold(run: Run, found: tuple[signal.Signal, ...], *, at: datetime) -> None:
    for one in found:
        if one.severity is Severity.HOLD:
            place_hold(
                run.kernel,
                run.problem,
                Target(run.target),
                why=one.sentence.strip() or one.kind,
                source=HoldSource.SIGNAL,
                by=one.kind,
                at=at,
            )
