import re

import pytest
from laid_turns import laid, turn

from leaderboard.statistics import Interval
from leaderboard.turns import Layout, TurnFacts, lay_out


def taken(*prompts: list[str], layout: Layout) -> list[list[str]]:
    """Each trajectory as a word: T taken, . never taken, ! not taken by our fault."""
    grid = lay_out(laid(*prompts), layout)
    return [
        [
            "".join("T" if one.taken else "!" if one.ended_by_us else "." for one in row)
            for row in some
        ]
        for some in grid
    ]


def test_turns_that_nobody_reports_were_never_taken() -> None:
    assert taken(["--", "---"], layout=Layout(1, 2, 3)) == [["TT.", "TTT"]]


def test_trajectories_and_prompts_that_nobody_reports_were_never_taken() -> None:
    assert taken(["--"], layout=Layout(2, 2, 2)) == [["TT", ".."], ["..", ".."]]


def test_our_fault_covers_every_turn_that_its_trajectory_did_not_take() -> None:
    assert taken(["-!", "-.", "-.!"], layout=Layout(1, 3, 4)) == [["T!!!", "T...", "T!!!"]]


def test_a_grid_does_not_depend_on_the_order_of_turns() -> None:
    facts = laid(["p-", "-p"], ["--", "pp"])
    layout = Layout(2, 2, 2)
    assert lay_out(facts[::-1], layout) == lay_out(facts, layout)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        pytest.param(
            [turn("-", "a", 0, 0)] * 2,
            "a turn of trajectory 0 of prompt 'a' stands twice",
            id="twice",
        ),
        pytest.param(
            [turn("-", "a", 0, 2)],
            "turn 2 of trajectory 0 of prompt 'a' is none of the 2 declared",
            id="late",
        ),
        pytest.param(
            [turn("-", "a", 0, -1)],
            "turn -1 of trajectory 0 of prompt 'a' is none of the 2 declared",
            id="negative",
        ),
        pytest.param(laid(["-"], ["-"]), "2 prompts have turns, 1 were declared", id="prompts"),
        pytest.param(
            laid(["-", "-", "-"]),
            "3 trajectories of prompt 'a' have turns, 2 were declared",
            id="trajectories",
        ),
    ],
)
def test_turns_outside_the_layout_are_refused_by_name(facts: list[TurnFacts], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        lay_out(facts, Layout(prompts=1, trajectories=2, turns=2))


@pytest.mark.parametrize("sizes", [(0, 4, 8), (3, 0, 8), (3, 4, -1)])
def test_a_layout_without_turns_is_none(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="at least one of each"):
        Layout(*sizes)


def test_a_layout_is_bounded_before_anything_is_made_for_it() -> None:
    assert Layout(100, 100, 10).turns == 10
    with pytest.raises(ValueError, match="at most 100000 turns"):
        Layout(10**9, 10**9, 8)


@pytest.mark.parametrize("ratio", [0.0, -1.0, float("nan"), float("inf")])
def test_a_ratio_is_a_positive_number(ratio: float) -> None:
    with pytest.raises(ValueError, match="positive number"):
        TurnFacts(prompt="a", trajectory=0, turn=0, correct=True, ratio=ratio)


def test_the_interval_of_a_ratio_holds_it() -> None:
    with pytest.raises(ValueError, match="does not hold"):
        TurnFacts(prompt="a", trajectory=0, turn=0, ratio=0.5, interval=Interval(0.6, 0.7))
