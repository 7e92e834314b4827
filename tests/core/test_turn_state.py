"""Boards and pages tell by one rule where judging a turn stands."""

import pytest

from evaluation.core.turn_state import settled_state, unjudged_state


@pytest.mark.parametrize(
    ("missing", "hold", "state"),
    [
        ("", "", None),
        ("source_missing", "", "source_missing"),
        ("no_code", "", "judged"),
        ("scrubbed", "", "judged"),
        ("", "open", "held"),
        ("", "struck", "struck"),
        ("source_missing", "struck", "source_missing"),
    ],
)
def test_what_is_missing_comes_before_a_hold_and_a_hold_before_runs(
    missing: str, hold: str, state: str | None
) -> None:
    assert settled_state(missing, hold) == state


def test_a_turn_is_abandoned_when_no_run_is_left_that_could_judge_it() -> None:
    assert unjudged_state(pending=False, given_up=True) == "abandoned"
    assert unjudged_state(pending=True, given_up=True) == "open"
    assert unjudged_state(pending=False, given_up=False) == "open"
