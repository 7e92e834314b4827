"""Charts of rows of boards and of turns, their points counted by hand."""

from datetime import UTC, datetime, timedelta
from typing import Any

import chart_rows as rows
import pytest

from leaderboard.charts.chart import (
    MOST_SERIES,
    MOST_TABLE_ROWS,
    Column,
    Look,
    TableCell,
    table,
)
from leaderboard.charts.curves import curves
from leaderboard.charts.device_map import RATIO_BANDS, SHARE_BANDS, band, device_maps
from leaderboard.charts.fast import fast_chart, steps
from leaderboard.charts.gaps import gap_chart
from leaderboard.charts.records import record_chart
from leaderboard.charts.turns import is_same_device, turn_charts
from leaderboard.ranking import Provenance
from leaderboard.selectors import RecordRow
from leaderboard.selectors.chart_gaps import GapPoint
from leaderboard.standing import BoardKind, ShownRate

TITLES = {"gemm": "GEMM", "mha": "Attention"}
AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_fast_p_falls_at_each_ratio_since_equal_is_not_faster() -> None:
    assert steps(rows.row(ratios=(0.5, 0.5, 0.25))) == ((0.0, 3), (0.25, 2), (0.5, 0))


def test_fast_p_is_a_share_of_all_turns_that_count_and_the_page_s_p_is_a_line() -> None:
    found = fast_chart([rows.row(ratios=(0.5, 0.25), counted=8)], p=0.9, turn_limit=8)
    assert found is not None
    (series,) = found.series
    assert series.look is Look.STEPS
    assert [(one.x, one.y) for one in series.points] == [
        *((0.0, 0.25), (0.25, 0.125), (0.5, 0.0)),
        (1.8, 0.0),
    ]
    assert [(one.start, one.end) for one in found.lines] == [((0.9, 0.0), (0.9, 1.0))]
    assert [one.text for one in found.table.rows[1]] == [
        *("Quartz", "0.25", "12.5\N{NO-BREAK SPACE}%"),
        "1 of 8",
    ]


def test_fast_p_draws_the_first_rows_that_have_ratios_and_says_so() -> None:
    several = [rows.row(ratios=(0.5,), model_name=f"M{one}") for one in range(MOST_SERIES + 2)]
    found = fast_chart([rows.row(), *several], p=1, turn_limit=8)
    assert found is not None
    assert [one.name for one in found.series] == [f"M{one}" for one in range(MOST_SERIES)]
    assert "The first 8 of 10 rows are drawn." in found.said
    assert (
        fast_chart([rows.row(), rows.row(ratios=(0.5,), publication="P")], p=1, turn_limit=8)
        is None
    )


def test_two_entries_of_one_model_are_told_apart() -> None:
    other = "33333333-3333-3333-3333-333333333333"
    both = [rows.row(ratios=(0.5,)), rows.row(ratios=(0.25,), entry_uid=other, harness="mini")]
    found = fast_chart(both, p=1, turn_limit=8)
    assert found is not None
    assert [one.name for one in found.series] == ["Quartz, entry 111111", "Quartz, mini 333333"]


def falling(ratios: int, **columns: Any) -> Any:
    """A row with so many ratios, each another one, of as many turns."""
    return rows.row(
        ratios=tuple(1 - one / 4096 for one in range(ratios)), counted=ratios, **columns
    )


def test_fast_p_of_many_steps_is_thinned_evenly_with_its_table_and_says_so() -> None:
    long = [falling(960, model_name=f"M{one}") for one in range(MOST_SERIES - 1)]
    found = fast_chart([*long, rows.row(ratios=(0.5, 0.25))], p=1, turn_limit=8)
    assert found is not None
    first, *_, short = found.series
    # 500 steps for 8 curves are 62 each: the ends, and where 960 / 60 turns have gone.
    assert [round(float(one.y) * 960) for one in first.points] == [*range(960, 0, -16), 0, 0]
    assert [one.x for one in first.points[:3]] == [0.0, 3152 / 4096, 3168 / 4096]
    assert [one.x for one in first.points[-2:]] == [1.0, 2.0]
    assert [one.x for one in short.points] == [0.0, 0.25, 0.5, 2.0]
    assert "Of a curve with more than 62 steps not all are drawn" in found.said
    assert "less than 1 in 60 of the curve’s ratios" in found.said
    assert found.table.caption.startswith("Every step that is drawn: ")
    assert [one[1].text for one in found.table.rows[:3]] == ["0", "0.7695", "0.7734"]
    assert (len(found.table.rows), found.table.cut) == (7 * 61 + 3, False)


def test_a_step_at_which_many_turns_go_is_drawn_where_it_is() -> None:
    ratios = tuple(1 - one / 4096 for one in range(600)) + (0.5,) * 400
    found = fast_chart([rows.row(ratios=ratios, counted=1000)], p=1, turn_limit=8)
    assert found is not None
    points = found.series[0].points
    assert [(one.x, one.y) for one in points[:2]] == [(0.0, 1.0), (0.5, 0.6)]
    assert len(points) <= MOST_TABLE_ROWS + 1
    assert "not all are drawn" in found.said


@pytest.mark.parametrize(("ratios", "is_whole"), [(61, True), (62, False)])
def test_fast_p_has_every_step_up_to_as_many_as_its_table_has_rows(
    ratios: int, is_whole: bool
) -> None:
    several = [falling(ratios, model_name=f"M{one}") for one in range(MOST_SERIES)]
    found = fast_chart(several, p=1, turn_limit=8)
    assert found is not None
    assert found.table.caption.startswith("Every step: ") is is_whole
    assert ("not all are drawn" in found.said) is not is_whole
    assert len(found.table.rows) <= MOST_TABLE_ROWS
    assert not found.table.cut


def test_a_long_table_is_cut_and_says_of_how_many_rows() -> None:
    long = table("Numbers", (Column("Number"),), [(TableCell("1"),)] * (MOST_TABLE_ROWS + 101))
    assert (len(long.rows), long.total, long.cut) == (500, 601, True)


def at(turn_limit: int, value: float | None, **columns: Any) -> Any:
    kind = columns.pop("kind", BoardKind.CORRECTNESS)
    interval = {"low": None, "high": None} if value is None else {"low": value / 2, "high": 1.0}
    return rows.cell(kind, turn_limit=turn_limit, value=value, **interval | columns)


def test_a_curve_has_every_turn_limit_in_its_order_and_each_finding_a_chart_of_its_own() -> None:
    cells = [
        *(at(8, 0.25), at(1, 0.75), at(4, 0.5)),
        at(4, 0.125, kind=BoardKind.INSTRUCTION),
        at(1, 0.25, kind=BoardKind.INSTRUCTION),
    ]
    correct, instruction = curves(cells, TITLES)
    assert correct.name == "over-turns-correctness"
    assert [(one.x, one.y, one.low, one.high) for one in correct.series[0].points] == [
        *((1, 0.75, 0.375, 1.0), (4, 0.5, 0.25, 1.0)),
        (8, 0.25, 0.125, 1.0),
    ]
    assert [(one.x, one.y) for one in instruction.series[0].points] == [(1, 0.25), (4, 0.125)]


def test_a_curve_leaves_out_older_judges_values_of_others_and_entries_of_one_turn_limit() -> None:
    newer = [at(1, 0.5, judge="10"), at(4, 0.5, judge="10")]
    older = [at(1, 0.25, judge="9"), at(4, 0.25, judge="9")]
    told = [
        at(1, 1.0, provenance=Provenance.REPORTED, judge=""),
        at(4, 1.0, provenance=Provenance.PAPER, judge=""),
    ]
    (correct,) = curves([*older, *newer, *told], TITLES)
    assert [[one.y for one in some.points] for some in correct.series] == [[0.5, 0.5]]
    assert curves([at(4, 0.5)], TITLES) == ()


def test_a_curve_s_suite_comes_first_and_problems_follow_in_the_catalogue_s_order() -> None:
    places = ({"problem": "mha"}, {"problem": "gemm"}, {"problem": "", "suite": "paper"})
    cells = [
        at(limit, 0.5, slug=str(number), **place)
        for number, place in enumerate(places)
        for limit in (1, 8)
    ]
    (found,) = curves(cells, TITLES)
    assert [one.name for one in found.series] == ["suite paper", "gemm", "mha"]


def rate(hits: int, counted: int, evidence: str = "") -> ShownRate:
    value = hits / counted
    return ShownRate("correct", "turn", hits, counted, counted, 0, value, None, None, "", evidence)


def gap_point(correct: int, family: int, **columns: Any) -> GapPoint:
    one = rows.cell(BoardKind.INSTRUCTION, **columns)
    return GapPoint(one.board, one.row, rate(correct, 20), rate(family, 20))


def test_the_gap_chart_sets_correct_against_family_correct_with_a_sign_a_problem() -> None:
    points = [
        gap_point(15, 5, problem="mha"),
        gap_point(10, 10, problem="gemm"),
        gap_point(4, 0, problem="gemm", target="blackwell"),
    ]
    found = gap_chart(points, TITLES, turn_limit=8)
    assert found is not None
    assert [
        (one.name, one.style, one.hollow, [(p.x, p.y) for p in one.points]) for one in found.series
    ] == [
        ("gemm, Hopper", 0, False, [(0.5, 0.5)]),
        ("gemm, Blackwell", 0, True, [(0.2, 0.0)]),
        ("mha, Hopper", 1, False, [(0.75, 0.25)]),
    ]
    assert [one.text for one in found.table.rows[2]] == [
        "Quartz, entry 111111",
        "Attention",
        "H200",
        "75.0\N{NO-BREAK SPACE}%, 15 of 20",
        "25.0\N{NO-BREAK SPACE}%, 5 of 20",
        "50.0",
    ]
    assert "No dot can stand above" in found.said


def test_problems_beyond_the_signs_share_the_last_one() -> None:
    points = [gap_point(1, 1, problem=f"p{one}") for one in range(MOST_SERIES + 2)]
    found = gap_chart(points, {}, turn_limit=8)
    assert found is not None
    assert [one.name for one in found.series][-2:] == ["p6", "further problems"]
    assert [len(one.points) for one in found.series] == [1] * 7 + [3]
    assert gap_chart([], {}, turn_limit=8) is None


def test_of_publications_the_gap_chart_does_not_say_that_no_dot_stands_above_the_line() -> None:
    columns = {"provenance": Provenance.PAPER, "publication": "P", "entry_uid": ""}
    found = gap_chart([gap_point(1, 1, **columns)], TITLES, turn_limit=8)
    assert found is not None
    assert "No dot can stand above" not in found.said


def record(device: str, hours: int, ratio: float, judge: str = "1") -> RecordRow:
    return RecordRow(
        board=f"speed-{device}-gemm-v1-cuda-judge-{judge}",
        device=device,
        problem="gemm",
        at=AT + timedelta(hours=hours),
        ratio=ratio,
        low=ratio - 0.125,
        high=ratio + 0.125,
        before=None,
        run="run",
        kernel="ab" * 32,
        entry_uid=rows.ENTRY,
        model_slug="quartz",
        model_name="Quartz",
    )


def test_records_are_a_step_a_device_and_a_board_of_another_judge_is_named_by_it() -> None:
    found = record_chart([record("h200", 0, 0.5), record("b200", 1, 0.25), record("h200", 2, 0.75)])
    assert found is not None
    assert [(one.name, [(p.x, p.y) for p in one.points]) for one in found.series] == [
        ("B200", [("2026-11-30 13:00:00", 0.25)]),
        ("H200", [("2026-11-30 12:00:00", 0.5), ("2026-11-30 14:00:00", 0.75)]),
    ]
    found = record_chart([record("h200", 0, 0.5), record("h200", 1, 0.25, judge="2")])
    assert found is not None
    assert [one.name for one in found.series] == ["H200 (1)", "H200 (2)"]
    assert record_chart([]) is None


@pytest.mark.parametrize(
    ("said", "measured", "same"),
    [
        ("H200", "h200", True),
        ("NVIDIA H200", "h200", True),
        ("NVIDIA  H100 SXM", "h100-sxm", True),
        ("H100", "h100-sxm", False),
        ("H100", "h200", False),
        ("", "h200", False),
    ],
)
def test_devices_are_equal_where_an_upload_names_the_very_product(
    said: str, measured: str, same: bool
) -> None:
    assert is_same_device(said, measured) is same


def test_reported_stands_against_verified_on_equal_devices_alone() -> None:
    (found,) = turn_charts(
        rows.all_timed(
            rows.timed(0, ratio=0.5, reported_ratio=0.75, reported_device="H200"),
            rows.timed(1, ratio=0.5, reported_ratio=9.0, reported_device="NVIDIA H100"),
            rows.timed(2, ratio=0.5, reported_device="H200"),
        )
    )
    assert found.name == "reported"
    assert [(one.x, one.y) for one in found.series[0].points] == [(0.75, 0.5)]
    assert found.table.rows[0][0].text == "gemm, prompt 1, number 3, turn 1"
    assert found.table.rows[0][0].address == f"/trajectories/{rows.TRAJECTORY}/#turn-1"


def test_tokens_stand_against_the_verified_ratio_a_series_a_device() -> None:
    (found,) = turn_charts(
        rows.all_timed(
            rows.timed(0, ratio=0.5, completion_tokens=9000, reasoning_tokens=7000),
            rows.timed(1, ratio=0.25, completion_tokens=100, device="b200"),
            rows.timed(2, ratio=0.25),
        )
    )
    assert [(one.name, [(p.x, p.y) for p in one.points]) for one in found.series] == [
        ("B200", [(100.0, 0.25)]),
        ("H200", [(9000.0, 0.5)]),
    ]
    assert [one.text for one in found.table.rows[0]][2:4] == ["9,000", "7,000"]


def test_a_chart_says_of_how_many_timed_turns_some_are_drawn() -> None:
    drawn = [rows.timed(one, ratio=0.5, completion_tokens=100) for one in range(2)]
    (some,) = turn_charts(rows.all_timed(*drawn, total=1234))
    assert "Of 1,234 timed turns 2 are drawn: at each problem and target up to 16" in some.said
    (every,) = turn_charts(rows.all_timed(*drawn))
    assert "are drawn" not in every.said


@pytest.mark.parametrize(
    ("value", "share", "ratio"),
    [
        *((None, 0, 0), (0.0, 0, 0), (0.01, 1, 1), (0.25, 2, 1), (0.5, 3, 2), (0.75, 4, 2)),
        *((0.9, 4, 3), (1.0, 4, 4), (1.5, 4, 4)),
    ],
)
def test_a_value_on_an_edge_is_in_the_band_above_it(
    value: float | None, share: int, ratio: int
) -> None:
    assert (band(value, SHARE_BANDS), band(value, RATIO_BANDS)) == (share, ratio)


def test_a_map_has_a_cell_a_problem_and_device_with_the_best_of_several_entries() -> None:
    other: dict[str, Any] = {
        "subject": "another",
        "entry_uid": "33333333-3333-3333-3333-333333333333",
    }
    found = device_maps(
        [
            rows.cell(value=0.5, turn_limit=8),
            rows.cell(value=0.25, turn_limit=4),
            rows.cell(value=0.75, **other),
            rows.cell(value=1.25, turn_limit=64),
            rows.cell(value=1.0, problem="mha", device="b200", turn_limit=4, open=3),
        ],
        TITLES,
    )
    (speed,) = found
    assert (speed.kind, speed.devices) == (BoardKind.SPEED, ("B200", "H200"))
    assert [
        (one.problem, [(cell.text, cell.band, cell.of) for cell in one.cells]) for one in speed.rows
    ] == [
        ("GEMM", [("–", None, ""), ("0.7500×", 2, "best of 2")]),
        ("Attention", [("1.000×", 4, "T = 4, 3 open"), ("–", None, "")]),
    ]


def test_maps_keep_findings_and_provenances_apart_and_leave_suites_out() -> None:
    told = {
        "provenance": Provenance.REPORTED,
        "judge": "",
        "devices": (),
        "reported_device": "h100",
    }
    found = device_maps(
        [
            rows.cell(BoardKind.CORRECTNESS, value=0.5),
            rows.cell(BoardKind.INSTRUCTION, value=0.25),
            rows.cell(BoardKind.CORRECTNESS, value=0.75, open=2, **told),
            rows.cell(BoardKind.CORRECTNESS, value=0.5, problem="", suite="paper"),
        ],
        TITLES,
    )
    assert [(one.kind, one.provenance, one.devices, one.rows[0].cells[0].of) for one in found] == [
        (BoardKind.CORRECTNESS, Provenance.VERIFIED, ("H200",), ""),
        (BoardKind.INSTRUCTION, Provenance.VERIFIED, ("H200",), ""),
        (BoardKind.CORRECTNESS, Provenance.REPORTED, ("H100",), "2 without a result"),
    ]
