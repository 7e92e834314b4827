"""The list of one's own submissions as a table to save."""

from collections.abc import Collection, Sequence

from leaderboard.exports.addresses import address_column
from leaderboard.exports.table import Column, Table, columns_of
from portal.uploads.status import SubmissionLine


def submissions_table(
    lines: Sequence[SubmissionLine], *, origin: str, page: str, shown: Collection[str]
) -> Table[SubmissionLine]:
    """``shown`` are the columns of the page."""
    parts: dict[str, tuple[Column[SubmissionLine], ...]] = {
        "file": (
            Column("submission", lambda one: one.uid),
            address_column(origin, "submission_url", "submission", lambda one: one.uid),
            Column("file_name", lambda one: one.file_name),
        ),
        "state": (Column("state", lambda one: one.state.value),),
        "trajectories": (
            Column("trajectories", lambda one: one.total or None),
            Column("imported", lambda one: one.done if one.total else None),
        ),
        "size": (Column("size_bytes", lambda one: one.size_bytes),),
        "created": (Column("created_at", lambda one: one.created_at.isoformat()),),
    }
    return Table("submissions", {"page": page}, columns_of(parts, shown), lines)
