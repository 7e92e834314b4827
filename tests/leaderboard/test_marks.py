"""What a turn counts as is one letter."""

import pytest
from laid_turns import laid

from evaluation.core.run_words import TurnState
from evaluation.core.verdict import FamilyExecuted, MatrixPath
from leaderboard.marks import (
    BY_FAMILY,
    BY_PATH,
    CORRECT,
    FAMILY_UNKNOWN,
    LEAVING,
    LOST,
    PATH_UNKNOWN,
    how_many,
    marks,
)
from leaderboard.turns import TurnFacts

STATES = [one for one in TurnState if one is not TurnState.JUDGED]


def test_a_held_turn_looks_like_one_without_a_verdict() -> None:
    assert marks(laid(["-ohsam.!"])) == b"-oosam.!"


@pytest.mark.parametrize("state", STATES)
def test_nothing_that_is_not_judged_is_correct(state: TurnState) -> None:
    fact = TurnFacts(prompt="a", trajectory=0, turn=0, state=state, correct=True)
    assert how_many(marks([fact]), CORRECT) == 0


def test_a_turn_that_was_not_taken_is_not_correct_and_in_no_state() -> None:
    fact = TurnFacts(
        prompt="a", trajectory=0, turn=0, taken=False, state=TurnState.OPEN, correct=True
    )
    assert marks([fact]) == b"."


@pytest.mark.parametrize("family", FamilyExecuted)
@pytest.mark.parametrize("path", MatrixPath)
def test_a_correct_turn_says_its_family_and_its_path(
    family: FamilyExecuted, path: MatrixPath
) -> None:
    fact = TurnFacts(
        prompt="a", trajectory=0, turn=0, correct=True, family=family, matrix_path=path
    )
    (letter,) = marks([fact])
    assert letter in CORRECT
    assert (letter in BY_FAMILY) == (family is FamilyExecuted.YES)
    assert (letter in FAMILY_UNKNOWN) == (family is FamilyExecuted.UNKNOWN)
    assert (letter in BY_PATH) == (path is MatrixPath.YES)
    assert (letter in PATH_UNKNOWN) == (path is MatrixPath.UNKNOWN)


def test_every_way_to_be_correct_has_a_letter_of_its_own() -> None:
    assert len(set(CORRECT)) == len(FamilyExecuted) * len(MatrixPath)
    assert not set(CORRECT) & set(b"-oosam.!")


def test_what_our_fault_hides_and_what_has_no_source_leave() -> None:
    word = marks(laid(["pfcu-ohsam.!"]))
    assert (how_many(word, LOST), how_many(word, LEAVING)) == (2, 3)  # a !, and m
    assert how_many(word, CORRECT) == 4
