"""What each turn counts as, one letter a turn: all that a rate asks of a trajectory is how often letters stand in it.

The rules, in one place. A turn that was never taken is not correct, unless our fault ended its trajectory. A struck
turn stays in the denominator and is not correct. A held turn and one without a verdict stay in the denominator and in
no numerator, and are one letter. Abandoned turns, those without a source and those that our fault kept from being
taken leave the denominator. Nothing is carried forward from turn to turn.
"""

from collections.abc import Iterable
from itertools import product

from evaluation.core.run_words import TurnState
from evaluation.core.verdict import FamilyExecuted, MatrixPath
from leaderboard.turns import TurnFacts

WRONG = b"-"
OPEN = (
    b"o"  # a hold is told apart from a missing verdict nowhere: else it could be read off a board
)
STRUCK = b"s"
ABANDONED = b"a"
SOURCE_MISSING = b"m"
NEVER_TAKEN = b"."
ENDED_BY_US = b"!"

# A correct turn's letter says its family and its matrix path.
_BY_BOTH = {
    both: b"%c" % (ord("A") + place)
    for place, both in enumerate(product(FamilyExecuted, MatrixPath))
}


def _where(family: FamilyExecuted | None = None, path: MatrixPath | None = None) -> bytes:
    return b"".join(
        letter
        for (its_family, its_path), letter in _BY_BOTH.items()
        if family in (None, its_family) and path in (None, its_path)
    )


CORRECT = _where()
BY_FAMILY = _where(family=FamilyExecuted.YES)
BY_PATH = _where(path=MatrixPath.YES)
FAMILY_UNKNOWN = _where(family=FamilyExecuted.UNKNOWN)
PATH_UNKNOWN = _where(path=MatrixPath.UNKNOWN)

LOST = (
    ABANDONED + ENDED_BY_US
)  # we never came to a verdict, or ended the trajectory before the turn
LEAVING = LOST + SOURCE_MISSING  # in no denominator

_OF_STATE = {
    TurnState.OPEN: OPEN,
    TurnState.HELD: OPEN,
    TurnState.STRUCK: STRUCK,
    TurnState.ABANDONED: ABANDONED,
    TurnState.SOURCE_MISSING: SOURCE_MISSING,
}


def marks(turns: Iterable[TurnFacts]) -> bytes:
    return b"".join([_mark(one) for one in turns])


def _mark(one: TurnFacts) -> bytes:
    if not one.taken:
        return ENDED_BY_US if one.ended_by_us else NEVER_TAKEN
    if one.state is not TurnState.JUDGED:
        return _OF_STATE[one.state]
    return _BY_BOTH[one.family, one.matrix_path] if one.correct else WRONG


def how_many(marked: bytes, letters: bytes) -> int:
    """Say how many of the marks are among these letters."""
    return len(marked) - len(marked.translate(None, letters))
