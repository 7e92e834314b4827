from dataclasses import replace

import pytest
from laid_turns import laid

from evaluation.core.run_words import TurnState
from leaderboard.cells import Beside, Best, Cell, count
from leaderboard.rates import Rate
from leaderboard.statistics import Interval, Tally
from leaderboard.turns import Layout, TurnFacts


def cell(*prompts: list[str], turn_limit: int | None = None, layout: Layout | None = None) -> Cell:
    layout = layout or Layout(len(prompts), len(prompts[0]), len(prompts[0][0]))
    return count(laid(*prompts), layout, turn_limit or layout.turns)


def numbers(rate: Rate) -> tuple[int, int, int, int]:
    """Hits, denominator, open, left out."""
    return rate.hits, rate.counted, rate.open, rate.left


def test_turn_rates_are_shares_of_all_declared_turns() -> None:
    found = cell(["pfc-", "--u-"], ["----", "p---"])
    assert numbers(found.correct) == (5, 16, 0, 0)  # p f c, u, p
    assert numbers(found.family_correct) == (3, 16, 0, 0)  # p f, p
    assert numbers(found.path_correct) == (2, 16, 0, 0)  # p, p
    assert found.correct.share == 0.3125  # 5 / 16


def test_trajectory_rates_ask_for_any_turn() -> None:
    found = cell(["pfc-", "--u-"], ["----", "f---"])
    assert numbers(found.solved) == (3, 4, 0, 0)
    assert numbers(found.family_solved) == (2, 4, 0, 0)
    assert numbers(found.path_solved) == (1, 4, 0, 0)


def test_only_the_first_turns_count() -> None:
    found = cell(["--pp", "-p--"], turn_limit=2)
    assert numbers(found.correct) == (1, 4, 0, 0)
    assert numbers(found.solved) == (1, 2, 0, 0)


def test_nothing_is_carried_forward_to_a_later_failed_turn() -> None:
    assert numbers(cell(["p---"]).correct) == (1, 4, 0, 0)


def test_turns_never_taken_are_not_correct() -> None:
    found = cell(["p...", "-..."])
    assert numbers(found.correct) == (1, 8, 0, 0)
    assert numbers(found.solved) == (1, 2, 0, 0)
    assert found.beside.never_taken == 6


def test_turns_that_our_fault_prevented_leave_the_denominator() -> None:
    found = cell(["p!!!", "-!!!", "----"])
    assert numbers(found.correct) == (1, 6, 0, 6)  # 12 declared, 3 and 3 not taken
    assert found.beside.ended_by_us == 6
    # The second could have been solved later, had we not ended it; the first was.
    assert numbers(found.solved) == (1, 2, 0, 1)


def test_our_fault_after_the_first_turns_does_not_matter_to_them() -> None:
    assert numbers(cell(["--!!", "----"], turn_limit=2).solved) == (0, 2, 0, 0)


def test_missing_trajectories_and_prompts_are_not_correct() -> None:
    found = cell(["pp"], layout=Layout(prompts=2, trajectories=2, turns=2))
    assert numbers(found.correct) == (2, 8, 0, 0)
    assert numbers(found.solved) == (1, 4, 0, 0)
    assert found.beside.never_taken == 6


def test_struck_turns_stay_in_the_denominator_and_are_not_correct() -> None:
    found = cell(["ps--"])
    assert numbers(found.correct) == (1, 4, 0, 0)
    assert numbers(cell(["ss--"]).solved) == (0, 1, 0, 0)
    assert found.beside.struck == 1


def test_abandoned_turns_and_those_without_a_source_leave_and_are_counted_beside() -> None:
    found = cell(["pam-", "amma"])
    assert numbers(found.correct) == (1, 2, 0, 6)
    assert (found.beside.abandoned, found.beside.source_missing) == (3, 3)


def test_an_unsolved_trajectory_with_an_abandoned_turn_is_neither_solved_nor_not() -> None:
    assert numbers(cell(["--a-", "p-a-", "----"]).solved) == (1, 2, 0, 1)


def test_leaving_out_some_sources_does_not_take_a_trajectory_out() -> None:
    assert numbers(cell(["-mmm", "pmmm"]).solved) == (1, 2, 0, 0)


def test_what_left_without_a_source_is_told_apart_from_what_we_lost() -> None:
    found = cell(["pam-", "mmmm", "aaaa"])
    assert (found.correct.left, found.correct.sourceless) == (10, 5)
    assert (found.solved.left, found.solved.sourceless) == (2, 1)
    assert cell(["pppm"], turn_limit=3).correct.sourceless == 0


def test_a_trajectory_without_any_source_leaves() -> None:
    assert numbers(cell(["mmmm", "----"]).solved) == (0, 1, 0, 1)


def test_held_and_open_turns_are_in_no_numerator_and_one_number() -> None:
    found = cell(["poh-", "----"])
    assert numbers(found.correct) == (1, 8, 2, 0)
    assert (found.correct.judged, found.correct.provisional) == (6, True)


def test_a_hold_looks_exactly_like_a_turn_without_a_verdict() -> None:
    assert cell(["ph--", "-h--"], ["hhhh", "s.am"]) == cell(["po--", "-o--"], ["oooo", "s.am"])


def test_an_open_turn_leaves_a_solved_trajectory_solved_and_opens_another() -> None:
    found = cell(["-po-", "--o-", "----"])
    assert numbers(found.solved) == (1, 3, 1, 0)
    assert numbers(cell(["-po-"]).solved) == (1, 1, 0, 0)


def test_a_trajectory_solved_without_the_family_is_open_for_the_family() -> None:
    found = cell(["c-h-"])
    assert numbers(found.solved) == (1, 1, 0, 0)
    assert numbers(found.family_solved) == (0, 1, 1, 0)


def test_an_open_turn_of_an_unsolved_trajectory_comes_before_an_abandoned_one() -> None:
    assert numbers(cell(["-oa-"]).solved) == (0, 1, 1, 0)


def test_nothing_left_to_count_is_no_rate() -> None:
    found = cell(["aa", "mm"])
    assert found.correct.share is None
    assert found.solved.share is None
    assert found.best is None
    assert found.median_ratio is None


def test_tallies_keep_prompts_and_trajectories_apart() -> None:
    found = cell(["p-a", "ppp"], ["---", "!!!"])
    assert found.correct.tallies == (
        (Tally(1, 2), Tally(3, 3)),
        (Tally(0, 3), Tally(0, 0)),
    )


def test_what_is_beside_the_rates_is_counted_once_each() -> None:
    assert cell(["aamsh", "u..-f", "c!!!!"]).beside == Beside(
        abandoned=2,
        source_missing=1,
        ended_by_us=4,
        never_taken=2,
        struck=1,
        family_unknown=1,
        path_unknown=1,
        ratio_unknown=3,  # u, f and c are correct and nobody timed them
    )


def timed(letters: str, ratios: list[float | None]) -> list[TurnFacts]:
    return [
        replace(
            one,
            ratio=ratio,
            interval=None if ratio is None else Interval(ratio - 0.01, ratio + 0.01),
        )
        for one, ratio in zip(laid([letters]), ratios, strict=True)
    ]


def test_fast_p_is_strict_and_over_all_declared_turns() -> None:
    facts = timed("ppp-", [0.5, 0.8, 0.8001, None])
    found = count(facts, Layout(1, 1, 4), 4, fast=(0.8, 0.4, 1.0))
    assert [(one.p, one.rate.hits, one.rate.counted) for one in found.fast] == [
        (0.8, 1, 4),
        (0.4, 3, 4),
        (1.0, 0, 4),
    ]


def test_only_correct_turns_are_fast_or_best() -> None:
    facts = timed("p-hso", [0.5, 9.0, 9.0, 9.0, 9.0])
    found = count(facts, Layout(1, 1, 5), 5, fast=(0.4,))
    assert (found.fast[0].rate.hits, found.fast[0].rate.open) == (1, 2)
    assert found.best == Best(0.5, Interval(0.49, 0.51), "a", 0, 0)


def test_the_best_ratio_is_of_the_first_turns_and_the_first_of_equals() -> None:
    facts = timed("pppp", [0.3, 0.6, 0.6, 0.9])
    found = count(facts, Layout(1, 1, 4), 3)
    assert found.best is not None
    assert (found.best.ratio, found.best.turn) == (0.6, 1)


def test_the_median_ratio_is_of_correct_turns_that_have_one() -> None:
    facts = timed("pp-pp", [0.2, 0.4, 0.1, None, 0.8])
    found = count(facts, Layout(1, 1, 5), 5)
    assert (found.median_ratio, found.ratios) == (0.4, (0.2, 0.4, 0.8))
    assert found.beside.ratio_unknown == 1


def test_a_correct_word_on_a_turn_that_is_not_judged_counts_nothing() -> None:
    facts = [replace(one, state=TurnState.OPEN) for one in laid(["pppp"])]
    assert numbers(count(facts, Layout(1, 1, 4), 4).correct) == (0, 4, 4, 0)


@pytest.mark.parametrize("turn_limit", [0, 5])
def test_a_turn_limit_outside_the_layout_is_refused(turn_limit: int) -> None:
    with pytest.raises(ValueError, match=f"turn limit {turn_limit} is not among the 4"):
        count(laid(["----"]), Layout(1, 1, 4), turn_limit)
