"""Turns for tests, one letter each: a trajectory is a word, a prompt a list of words."""

from collections.abc import Sequence

from evaluation.core.run_words import TurnState
from evaluation.core.verdict import FamilyExecuted, MatrixPath
from leaderboard.turns import TurnFacts

# Whoever holds, strikes or leaves a turn open does so to a correct one here, so that a test sees what it costs.
_STATES = {
    "o": TurnState.OPEN,
    "h": TurnState.HELD,
    "s": TurnState.STRUCK,
    "a": TurnState.ABANDONED,
    "m": TurnState.SOURCE_MISSING,
}
_FAMILY = {"p": FamilyExecuted.YES, "f": FamilyExecuted.YES, "u": FamilyExecuted.UNKNOWN}
_PATH = {"p": MatrixPath.YES, "u": MatrixPath.UNKNOWN}


def turn(letter: str, prompt: str, trajectory: int, number: int) -> TurnFacts:
    """p: correct by the matrix path; f: correct, family only; c: correct, no family; u: correct, rest unknown;

    -: judged wrong; o, h, s, a, m: open, held, struck, abandoned, source missing; .: never taken; !: ended by us.
    """
    if letter in ".!":
        return TurnFacts(
            prompt=prompt,
            trajectory=trajectory,
            turn=number,
            taken=False,
            ended_by_us=letter == "!",
        )
    return TurnFacts(
        prompt=prompt,
        trajectory=trajectory,
        turn=number,
        state=_STATES.get(letter, TurnState.JUDGED),
        correct=letter != "-",
        family=_FAMILY.get(letter, FamilyExecuted.ABSENT),
        matrix_path=_PATH.get(letter, MatrixPath.NO),
    )


def laid(*prompts: Sequence[str]) -> list[TurnFacts]:
    """Prompts are called a, b, c and so on, trajectories and turns by their place from 0."""
    return [
        turn(letter, chr(ord("a") + place), trajectory, number)
        for place, words in enumerate(prompts)
        for trajectory, word in enumerate(words)
        for number, letter in enumerate(word)
    ]
