"""Lets the boards look again at kernels whose run is over, or that are held or no longer are."""

from datetime import datetime

from evaluation.services import due_on_boards, looked_at
from leaderboard.projection import refresh_due, refresh_kernels

MOST_RUNS = (
    200  # a call; a bulk upload is looked at piece by piece, and no piece is lost with its worker
)


def refresh_standings(*, at: datetime) -> int:
    """Look at all that is due, and at embargoes that ended; give the number of runs. Call it outside transactions."""
    looked = 0
    while due := due_on_boards(MOST_RUNS):
        refresh_kernels({one.kernel_id for one in due}, at=at)
        looked_at(due)
        looked += len(due)
        if len(due) < MOST_RUNS:
            break
    refresh_due(at=at)
    return looked
