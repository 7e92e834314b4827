"""Names in charts: cut where a word ends in legends, whole in tables and beside points."""

from dataclasses import replace

import pytest
from chart_rows import cell, row

from leaderboard.charts.fast import fast_chart
from leaderboard.charts.gaps import gap_chart
from leaderboard.charts.naming import LINE_CHARACTERS, NAME_CHARACTERS, cut_at_word, in_lines
from leaderboard.selectors.chart_gaps import GapPoint
from leaderboard.standing import BoardKind, ShownRate

LONG = "Quartz of the seventh generation, thinking for a very long time, second preview"
CUT = "Quartz of the seventh generation…"


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        ("Quartz", "Quartz"),
        ("  Quartz \n 4 ", "Quartz 4"),
        ("x" * 20, "x" * 20),
        ("x" * 21, "x" * 19 + "…"),
        ("quartz-4.5-thinking-xhigh", "quartz-4.5-thinking…"),
        ("quartz 4.5 thinking-xhigh", "quartz 4.5 thinking…"),
        ("Quartz, the whole of it", "Quartz, the whole…"),
        ("Quartz (preview) again so", "Quartz (preview…"),
        ("an xxxxxxxxxxxxxxxxxxxxxxxx", "an xxxxxxxxxxxxxxxx…"),
        ("石英的第七代模型" * 3, "石英的第七代模型石英的第七代模型石英的…"),
    ],
)
def test_a_name_is_cut_where_a_word_ends_unless_half_of_it_would_be_lost(
    name: str, cut: str
) -> None:
    assert cut_at_word(name, 20) == cut
    assert len(cut) <= 20


def test_characters_that_hide_are_spelled_out_in_what_is_left() -> None:
    assert cut_at_word("ab\u202ecd efghij klm", 13) == "ab⟨U+202E⟩cd efghij…"


def test_what_is_said_beside_a_point_is_broken_into_lines_between_words() -> None:
    said = in_lines(f"{LONG}\n\nsecond")
    assert max(len(one) for one in said.split("\n")) <= LINE_CHARACTERS
    assert said.split("\n")[-2:] == ["", "second"]
    assert " ".join(said.split()) == f"{LONG} second"
    assert in_lines("x" * 130).split("\n") == ["x" * 60, "x" * 60, "x" * 10]


def test_the_gap_chart_has_whole_names_in_its_table_and_beside_its_dots() -> None:
    found = gap_chart(
        [point(model_name=LONG, harness="a harness of many words 1.2")], {}, turn_limit=8
    )
    assert found is not None
    author = f"{LONG}, a harness of many words 1.2 111111"
    assert found.table.rows[0][0].text == author
    said = found.series[0].points[0].said
    assert " ".join(said.split()).startswith(f"{author} gemm")


def test_a_legend_has_cut_names_where_the_table_has_whole_ones() -> None:
    one = replace(row(), model_name=LONG, ratios=(0.5,), value=0.5)
    found = fast_chart([one], p=1.0, turn_limit=8)
    assert found is not None
    assert found.series[0].name == CUT
    assert len(CUT) <= NAME_CHARACTERS
    assert found.table.rows[0][0].text == LONG
    assert " ".join(found.series[0].points[0].said.split()).startswith(f"{LONG} from p = 0")


def point(**columns: str) -> GapPoint:
    placed = cell(BoardKind.CORRECTNESS, **columns)
    rate = ShownRate("correct", "turn", 2, 4, 4, 0, 0.5, None, None, "")
    return GapPoint(placed.board, placed.row, rate, rate, 0)
