"""Store what a stage reported, once."""

from dataclasses import replace
from datetime import datetime

from django.db import transaction

from evaluation.core import records
from evaluation.core.ports import Artifacts
from evaluation.core.wire import encode
from evaluation.models import Attempt, Signal, StageReport
from evaluation.services.artifacts import store_artifact
from evaluation.services.stored_text import stored


def store_report(
    store: Artifacts, attempt: Attempt, place: int, report: records.StageReport, *, at: datetime
) -> bool:
    """Store a report and its signals at this place of the attempt; False where one was there.

    Whether the attempt may still report is for the caller to decide.
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
                    stage=signal.stage,
                    rule=signal.kind,
                    version=signal.version,
                    severity=signal.severity,
                    said=stored(signal.sentence, 1000),
                )
                for number, signal in enumerate(report.signals)
            )
    return created
