"""What the script is given to draw."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plotly import graph_objects

from leaderboard.charts.chart import (
    Axis,
    Chart,
    Column,
    Line,
    Look,
    Point,
    Scale,
    Series,
    TableCell,
    table,
)
from leaderboard.charts.figure import COLOURS, figure
from leaderboard.charts.table_rows import table_rows

STYLES = Path(__file__).parents[2] / "static" / "ptxboard-charts.css"
CHART = Chart(
    name="one",
    title="One",
    said="It says something.",
    x=Axis(title="T", low=0),
    y=Axis(title="share", low=0, high=1, is_share=True),
    series=(
        Series(
            "a", Look.LINE, (Point(x=1, y=0.5, low=0.25, high=0.625, said="a\nb", address="/a/"),)
        ),
    ),
    table=table("Numbers", (Column("T"),), [(TableCell("1"),)]),
)


def first_trace(chart: Chart) -> dict[str, Any]:
    found: dict[str, Any] = figure(chart)["data"][0]
    return found


def with_series(*series: Series) -> Chart:
    return replace(CHART, series=series)


def test_an_interval_is_drawn_by_how_far_its_ends_are_from_the_point() -> None:
    intervals = first_trace(CHART)["error_y"]
    assert (intervals["array"], intervals["arrayminus"]) == ([0.125], [0.25])
    assert intervals["symmetric"] is False


def test_a_point_without_an_interval_beside_one_with_it_has_none_drawn() -> None:
    points = (Point(x=1, y=0.5, said="", low=0.25, high=0.75), Point(x=2, y=0.5, said=""))
    intervals = first_trace(with_series(Series("a", Look.LINE, points)))["error_y"]
    assert (intervals["array"], intervals["arrayminus"]) == ([0.25, 0], [0.25, 0])


def test_what_others_wrote_is_escaped_since_plotly_reads_html() -> None:
    hostile = '<a href="javascript:alert(1)">x</a>'
    escaped = '&lt;a href="javascript:alert(1)"&gt;x&lt;/a&gt;'
    trace = first_trace(with_series(Series(hostile, Look.DOTS, (Point(x=1, y=1, said=hostile),))))
    assert (trace["name"], trace["hovertext"]) == (escaped, [escaped])
    labelled = replace(CHART, lines=(Line((0, 0), (1, 1), hostile),), x=Axis(title=hostile))
    layout = figure(labelled)["layout"]
    assert layout["annotations"][0]["text"] == escaped
    assert layout["xaxis"]["title"]["text"] == escaped


def test_a_point_leads_to_its_evidence_and_is_told_in_lines() -> None:
    points = (Point(x=1, y=1, said="a\nb", address="/a/"), Point(x=2, y=1, said="", address="/b/"))
    trace = first_trace(with_series(Series("a", Look.DOTS, points)))
    assert (trace["customdata"], trace["hovertext"]) == (["/a/", "/b/"], ["a<br>b", ""])


def test_an_address_that_all_points_share_is_written_once() -> None:
    trace = first_trace(CHART)
    assert (trace["meta"], "customdata" in trace) == ({"address": "/a/"}, False)


def test_steps_keep_a_value_until_the_next_point() -> None:
    trace = first_trace(with_series(Series("a", Look.STEPS, (Point(x=0, y=1, said=""),))))
    assert trace["line"]["shape"] == "hv"


def test_bars_of_words_lie_and_bars_of_numbers_stand_as_wide_as_their_bins() -> None:
    lying = first_trace(with_series(Series("a", Look.BARS, (Point(x=3, y="HGMMA", said=""),))))
    standing = first_trace(
        with_series(Series("a", Look.BARS, (Point(x=3, y=2, said="", width=5),)))
    )
    assert (lying["type"], lying["orientation"]) == ("bar", "h")
    assert (standing["width"], "orientation" in standing) == ([5], False)
    words = replace(CHART, y=Axis(title="", scale=Scale.WORDS))
    assert figure(words)["layout"]["yaxis"]["autorange"] == "reversed"


def test_series_differ_by_sign_and_dash_and_not_by_colour_alone() -> None:
    point = Point(x=0, y=1, said="")
    found = figure(with_series(*(Series(str(one), Look.LINE, (point,)) for one in range(8))))
    assert len({one["marker"]["color"] for one in found["data"]}) == 8
    assert len({one["marker"]["symbol"] for one in found["data"]}) == 8
    assert len({one["line"]["dash"] for one in found["data"]}) == 4


def test_a_hollow_series_shares_colour_and_sign_with_a_full_one() -> None:
    point = Point(x=0, y=1, said="")
    full = Series("a", Look.DOTS, (point,), style=3)
    hollow = Series("b", Look.DOTS, (point,), style=3, hollow=True)
    one, other = figure(with_series(full, hollow))["data"]
    assert one["marker"]["color"] == other["marker"]["color"] == "--chart-4"
    assert (one["marker"]["symbol"], other["marker"]["symbol"]) == (
        "triangle-up",
        "triangle-up-open",
    )


def axes_of(*points: Point, x: Axis | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The horizontal and the vertical axis of a chart whose vertical axis is of counts."""
    drawn = with_series(Series("a", Look.LINE, points))
    layout = figure(replace(drawn, x=x or CHART.x, y=Axis(title="calls", low=0)))["layout"]
    return layout["xaxis"], layout["yaxis"]


def test_an_axis_of_a_few_counts_has_no_marks_at_halves() -> None:
    x, y = axes_of(Point(x=1, y=12, said=""), Point(x=2.0, y=3, said=""))
    assert (x["dtick"], "dtick" in y) == (1, False)
    x, y = axes_of(Point(x=1.5, y=6, said=""), Point(x=2, y=0, said=""))
    assert ("dtick" in x, y["dtick"]) == (False, 1)


def test_shares_logarithms_and_words_are_no_counts() -> None:
    point = Point(x=1, y=1, said="")
    for axis in (Axis(title="", is_share=True), Axis(title="", scale=Scale.LOG)):
        assert "dtick" not in axes_of(point, x=axis)[0]
    assert "dtick" not in axes_of(Point(x="HGMMA", y=1, said=""))[0]


def test_numbers_along_an_axis_have_their_thousands_apart_as_those_of_tables() -> None:
    assert all(one["separatethousands"] for one in axes_of(Point(x=2280, y=1, said="")))


def test_a_figure_is_json_without_a_template_and_names_its_colours() -> None:
    found = figure(CHART)
    assert "template" not in found["layout"]
    text = json.dumps(found, allow_nan=False)
    assert "#" not in text


@pytest.mark.parametrize("hollow", [False, True])
@pytest.mark.parametrize("look", Look)
def test_a_figure_has_only_what_plotly_knows(look: Look, hollow: bool) -> None:
    points = (Point(x=1, y=2, said="a", low=1, high=3, width=0.5),)
    line = Line((0, 0), (1, 1), "a")
    for scale in Scale:
        axis = Axis(title="a", scale=scale, low=0, high=1, is_share=True)
        series = Series("a", look, points, hollow=hollow)
        found = figure(replace(CHART, series=(series,), x=axis, y=axis, lines=(line,)))
        text = re.sub(r'"--chart-[a-z0-9]+"', '"#123456"', json.dumps(found))
        graph_objects.Figure(**json.loads(text))  # it raises for an unknown name or value


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_is_defined_in_both_schemes(scheme: str) -> None:
    light, _, dark = STYLES.read_text().partition("@media (prefers-color-scheme: dark)")
    defined = set(re.findall(r"(--chart-[a-z0-9]+):", light if scheme == "light" else dark))
    named = set(
        re.findall(
            r'"(--chart-[a-z0-9]+)"',
            json.dumps(figure(replace(CHART, lines=(Line((0, 0), (1, 1), "a"),)))),
        )
    )
    assert named | set(COLOURS) <= defined


def test_cells_of_a_table_are_escaped_and_lead_to_their_evidence() -> None:
    columns = (Column("Who"), Column("Ratio", is_figure=True), Column("Where"))
    cells = (TableCell("<b>", "/a/?b&c"), TableCell("1"), TableCell("x"))
    assert table_rows(table("Numbers", columns, [cells])) == (
        '<tr><th scope="row"><a href="/a/?b&amp;c">&lt;b&gt;</a></th>'
        '<td class="figure">1</td><td>x</td></tr>'
    )
