"""The closed words of how a run is carried out and of what keeps its kernel off the boards."""

from enum import StrEnum

from evaluation.core.verdict import RunState


class Half(StrEnum):
    """The part of a run that one kind of machine does."""

    PREPARE = "prepare"
    MEASURE = "measure"


class AttemptState(StrEnum):
    """SENT and STARTED are live; the others are how an attempt ended.

    LAPSED: nothing was heard for too long. HANDED_BACK: not judged, and nobody is to blame. FAILED: our failure.
    DROPPED: its run no longer wanted it.
    """

    SENT = "sent"
    STARTED = "started"
    DONE = "done"
    LAPSED = "lapsed"
    HANDED_BACK = "handed_back"
    FAILED = "failed"
    DROPPED = "dropped"


class TurnState(StrEnum):
    """Where judging a turn stands. OPEN has no verdict yet; others than its owner see a held turn as open too.

    SOURCE_MISSING had a kernel that nobody can run.
    """

    JUDGED = "judged"
    OPEN = "open"
    HELD = "held"
    STRUCK = "struck"
    ABANDONED = "abandoned"
    SOURCE_MISSING = "source_missing"


class HoldState(StrEnum):
    """OPEN waits for a person, who clears or strikes; a strike that is lifted is cleared."""

    OPEN = "open"
    CLEARED = "cleared"
    STRUCK = "struck"


class HoldSource(StrEnum):
    SIGNAL = "signal"
    STAFF = "staff"


LIVE_ATTEMPTS = (AttemptState.SENT, AttemptState.STARTED)
ENDED_RUNS = (RunState.FINISHED, RunState.ABANDONED, RunState.CANCELLED)
PENDING_RUNS = tuple(state for state in RunState if state not in ENDED_RUNS)
ACTING_HOLDS = (HoldState.OPEN, HoldState.STRUCK)
