"""The records of speed boards, the newest first."""

from dataclasses import dataclass
from datetime import datetime

from leaderboard.models import RecordEvent


@dataclass(frozen=True, slots=True)
class RecordRow:
    """``before`` is the ratio that it beat, None for the first of its board."""

    board: str
    device: str
    problem: str
    at: datetime
    ratio: float
    low: float
    high: float
    before: float | None
    run: str
    kernel: str
    entry_uid: str
    model_slug: str
    model_name: str


def record_rows(board: str = "", *, most: int = 50) -> tuple[RecordRow, ...]:
    """Read the newest records of one board, by its slug, or of all; one query."""
    found = RecordEvent.objects.select_related("board", "entry__model").order_by("-at", "-ratio")
    if board:
        found = found.filter(board__slug=board)
    return tuple(record_row(one) for one in found[:most])


def record_row(one: RecordEvent) -> RecordRow:
    model = one.entry.model
    return RecordRow(
        board=one.board.slug,
        device=one.board.device,
        problem=one.board.problem,
        at=one.at,
        ratio=one.ratio,
        low=one.ratio_low,
        high=one.ratio_high,
        before=one.before,
        run=one.run,
        kernel=one.kernel,
        entry_uid=str(one.entry.uid),
        model_slug=model.slug if model else "",
        model_name=model.name if model else "",
    )
