"""The closed words of how far a submission is."""

from enum import StrEnum

READ_TASK = "portal.read_submission"
IMPORT_TASK = "portal.import_submission"
SWEEP_TASK = "portal.sweep_submissions"


class SubmissionState(StrEnum):
    """UPLOADING lacks bytes; RECEIVED waits to be read, UNDERSTOOD for its owner, CONFIRMED to be imported."""

    UPLOADING = "uploading"
    RECEIVED = "received"
    READING = "reading"
    UNDERSTOOD = "understood"
    CONFIRMED = "confirmed"
    IMPORTING = "importing"
    IMPORTED = "imported"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


ENDED = (SubmissionState.IMPORTED, SubmissionState.REFUSED, SubmissionState.WITHDRAWN)
UNFINISHED = (
    SubmissionState.UPLOADING,
    SubmissionState.RECEIVED,
    SubmissionState.READING,
    SubmissionState.UNDERSTOOD,
)
"""States in which an upload takes room in the spool for which its owner has done nothing yet."""

HELD_ONCE = tuple(
    state
    for state in SubmissionState
    if state not in {SubmissionState.UPLOADING, SubmissionState.REFUSED, SubmissionState.WITHDRAWN}
)
"""States in which one owner has the same bytes at most once."""
