"""How far one kernel has come, from its upload to the boards, as the rows say it."""

from dataclasses import dataclass
from enum import IntEnum

from product_rows import Rows


class Step(IntEnum):
    """In the order in which a kernel comes by, if nothing is lost."""

    NOTHING = 0
    RECEIVED = 1
    READING = 2
    UNDERSTOOD = 3
    CONFIRMED = 4
    IMPORTING = 5
    IMPORTED = 6
    PREPARE_SENT = 7
    PREPARE_STARTED = 8
    PREPARE_REPORTED = 9  # a stage of it
    READY = 10
    MEASURE_SENT = 11
    MEASURE_STARTED = 12
    MEASURE_REPORTED = 13
    FINISHED = 14
    ON_BOARDS = 15


_SUBMISSION = {
    "received": Step.RECEIVED,
    "reading": Step.READING,
    "understood": Step.UNDERSTOOD,
    "confirmed": Step.CONFIRMED,
    "importing": Step.IMPORTING,
    "imported": Step.IMPORTED,
}
_ATTEMPT = {
    ("prepare", "sent"): Step.PREPARE_SENT,
    ("prepare", "started"): Step.PREPARE_STARTED,
    ("measure", "sent"): Step.MEASURE_SENT,
    ("measure", "started"): Step.MEASURE_STARTED,
}


@dataclass(frozen=True, slots=True)
class Kernel:
    """One that was handed in alone: the uid of its submission, and its hash."""

    submission: str
    sha256: str


def step_of(rows: Rows, kernel: Kernel) -> Step:
    return _of_run(rows, kernel.sha256) or _of_submission(rows, kernel.submission)


def _of_submission(rows: Rows, uid: str) -> Step:
    # One database keeps a uuid with dashes, the other without.
    found = rows.all(
        "SELECT state FROM uploads_submission WHERE replace(CAST(uid AS text), '-', '') = ?",
        uid.replace("-", ""),
    )
    return _SUBMISSION[found[0][0]] if found else Step.NOTHING


def _of_run(rows: Rows, sha256: str) -> Step | None:
    found = rows.all(
        "SELECT r.state, r.boards_due_at IS NULL, a.half, a.state,"
        " (SELECT count(*) FROM evaluation_stagereport s WHERE s.attempt_id = a.id)"
        " FROM evaluation_run r JOIN evaluation_kernel k ON k.id = r.kernel_id"
        " LEFT JOIN evaluation_attempt a ON a.run_id = r.id"
        " WHERE k.sha256 = ? ORDER BY a.id DESC LIMIT 1",
        sha256,
    )
    if not found:
        return None
    state, shown, half, attempt, reports = found[0]
    if state == "finished":
        return Step.ON_BOARDS if shown else Step.FINISHED
    if state == "ready":
        return Step.READY
    if reports and attempt == "started":
        return Step.MEASURE_REPORTED if half == "measure" else Step.PREPARE_REPORTED
    return _ATTEMPT.get((half, attempt))
