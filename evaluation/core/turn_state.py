"""Where judging a turn stands: one rule, for boards and for pages of evidence."""

from evaluation.core.entry_words import Missing
from evaluation.core.run_words import HoldState, TurnState


def settled_state(missing: str, hold: str) -> TurnState | None:
    """What decides about a turn whatever its runs say; None where they decide.

    ``missing`` is a word of Missing or empty, ``hold`` one of an acting HoldState or empty.
    """
    if missing == Missing.SOURCE_MISSING:
        return TurnState.SOURCE_MISSING
    if missing:  # the author's doing; it counts as not correct
        return TurnState.JUDGED
    if hold:
        return TurnState.STRUCK if hold == HoldState.STRUCK else TurnState.HELD
    return None


def unjudged_state(*, pending: bool, given_up: bool) -> TurnState:
    """Of a turn whose runs gave no verdict that counts; a run that has not ended may still give one."""
    return TurnState.ABANDONED if given_up and not pending else TurnState.OPEN
