"""The records of one problem, oldest first, for a chart over time."""

from leaderboard.models import RecordEvent
from leaderboard.selectors.record_rows import RecordRow, record_row

MOST_RECORDS = 500


def problem_records(problem: str) -> tuple[RecordRow, ...]:
    """Read records of all speed boards of a problem's newest version, the newest MOST_RECORDS; one query."""
    found = RecordEvent.objects.filter(board__problem=problem).select_related(
        "board", "entry__model"
    )
    newest = list(found.order_by("-board__problem_version", "-at", "-ratio")[:MOST_RECORDS])
    version = newest[0].board.problem_version if newest else 0
    return tuple(
        record_row(one) for one in reversed(newest) if one.board.problem_version == version
    )
