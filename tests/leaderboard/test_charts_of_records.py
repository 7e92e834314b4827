"""Records over time: what their axis spans."""

from datetime import UTC, datetime

from leaderboard.charts.records import record_chart
from leaderboard.selectors import RecordRow


def record(at: datetime) -> RecordRow:
    return RecordRow(
        board="speed-h200-gemm-v1-cuda-judge-1",
        device="h200",
        problem="gemm",
        at=at,
        ratio=0.5,
        low=0.375,
        high=0.625,
        before=None,
        run="run",
        kernel="ab" * 32,
        entry_uid="6d1b1a52-3b57-4c19-8f0c-5f3ad6a2f0c1",
        model_slug="quartz",
        model_name="Quartz",
    )


def test_records_stand_between_the_day_before_the_first_and_the_day_after_the_last() -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    found = record_chart([record(noon), record(noon.replace(hour=14))])
    assert found is not None
    assert (found.x.low, found.x.high) == ("2026-11-29 12:00:00", "2026-12-01 14:00:00")
