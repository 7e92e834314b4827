"""Differences of texts, line by line and bounded."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.exports.line_diff import (
    MOST_LINES,
    DiffLine,
    Side,
    TooDifferent,
    hunks,
    line_diff,
)

LINES = st.lists(st.sampled_from("abc"), max_size=30)


def written(old: str, new: str) -> str:
    signs = {Side.BOTH: " ", Side.OLD: "-", Side.NEW: "+"}
    return " ".join(signs[one.side] + one.text for one in line_diff(old.split(), new.split()))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", ""),
        ("a b", "a b", " a  b"),
        ("", "a", "+a"),
        ("a", "", "-a"),
        ("a b c", "a x c", " a -b +x  c"),
        ("a b c", "b c d", "-a  b  c +d"),
        ("a a a", "a a", " a  a -a"),
        ("x a", "y a", "-x +y  a"),
    ],
    ids=str,
)
def test_the_fewest_edits_are_shown_in_order(old: str, new: str, expected: str) -> None:
    assert written(old, new) == expected


def test_the_example_of_the_paper_takes_five_edits() -> None:
    lines = line_diff("ABCABBA", "CBABAC")
    assert sum(one.side is not Side.BOTH for one in lines) == 5


@given(LINES, LINES)
def test_both_texts_can_be_read_off_with_their_numbers(old: list[str], new: list[str]) -> None:
    lines = line_diff(old, new)
    assert [one.text for one in lines if one.side is not Side.NEW] == old
    assert [one.text for one in lines if one.side is not Side.OLD] == new
    assert [one.old for one in lines if one.old] == list(range(1, len(old) + 1))
    assert [one.new for one in lines if one.new] == list(range(1, len(new) + 1))
    edits = sum(one.side is not Side.BOTH for one in lines)
    assert edits == len(old) + len(new) - 2 * longest_common(old, new)


def longest_common(old: list[str], new: list[str]) -> int:
    """By the plain table."""
    row = [0] * (len(new) + 1)
    for one in old:
        above = row[:]
        for at, other in enumerate(new):
            row[at + 1] = above[at] + 1 if one == other else max(above[at + 1], row[at])
    return row[-1]


def test_what_is_too_long_or_too_different_is_refused_in_words() -> None:
    with pytest.raises(TooDifferent, match="more than 10,000 lines"):
        line_diff(["x"] * (MOST_LINES + 1), [])
    with pytest.raises(TooDifferent, match="differ in more than 600 lines"):
        line_diff([f"a{at}" for at in range(400)], [f"b{at}" for at in range(400)])


def test_texts_that_are_made_to_take_long_are_given_up_soon() -> None:
    old = [f"{at * 7919 % 100}" for at in range(9000)]
    new = [f"{at * 104729 % 99}" for at in range(9000)]
    start = time.process_time()
    with pytest.raises(TooDifferent):
        line_diff(old, new)
    assert time.process_time() - start < 20  # of this process; it takes about a second


def test_a_long_text_with_one_change_shows_it_with_three_lines_around() -> None:
    old = [str(at) for at in range(9000)]
    (hunk,) = hunks(line_diff(old, [*old[:5000], "x", *old[5000:]]))
    assert [one.text for one in hunk] == ["4997", "4998", "4999", "x", "5000", "5001", "5002"]
    assert hunk[3] == DiffLine(Side.NEW, None, 5001, "x")


def test_pieces_that_touch_are_one_and_others_stay_apart() -> None:
    old = [str(at) for at in range(30)]
    new = [line for at, line in enumerate(old) if at not in {5, 12, 25}]
    found = hunks(line_diff(old, new))
    assert [[one.text for one in hunk] for hunk in found] == [
        [str(at) for at in range(2, 16)],
        [str(at) for at in range(22, 29)],
    ]
    assert hunks(line_diff(old, old)) == ()
