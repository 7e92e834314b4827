"""A chart as JSON for Plotly. Colours are names of CSS properties: the script reads them, so that they suit the theme.

Plotly reads a little HTML in texts, so everything that somebody else wrote is escaped here.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, TypeAlias

from leaderboard.charts.chart import Axis, Chart, Line, Look, Point, Scale, Series

Json: TypeAlias = dict[str, Any]

COLOURS = tuple(f"--chart-{number}" for number in range(1, 9))
_SIGNS = (
    *("circle", "square", "diamond", "triangle-up"),
    *("cross", "x", "triangle-down", "star"),
)
_DASHES = ("solid", "dash", "dot", "dashdot")
MOST_COUNTS = 6
_TEXT, _GRID, _QUIET = "--chart-text", "--chart-grid", "--chart-quiet"


def figure(chart: Chart) -> Json:
    """Give data and layout."""
    return {
        "data": [_trace(one, place) for place, one in enumerate(chart.series)],
        "layout": {
            "paper_bgcolor": "--chart-paper",
            "plot_bgcolor": "--chart-paper",
            "font": {"color": _TEXT, "size": 13},
            "hoverlabel": {
                "bgcolor": "--chart-paper",
                "bordercolor": _QUIET,
                "font": {"color": _TEXT},
                "align": "left",
            },
            "margin": {"l": 56, "r": 16, "t": 16, "b": 48},
            "showlegend": len(chart.series) > 1,
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
            "hovermode": "closest",
            "dragmode": False,
            "bargap": 0.15,
            "xaxis": _axis(chart.x, [one.x for each in chart.series for one in each.points]),
            "yaxis": _axis(chart.y, [one.y for each in chart.series for one in each.points]),
            "shapes": [_shape(one) for one in chart.lines],
            "annotations": [_label(one) for one in chart.lines if one.label],
        },
    }


def _trace(series: Series, place: int) -> Json:
    points = series.points
    style = place if series.style is None else series.style
    colour = COLOURS[style % len(COLOURS)]
    trace: Json = {
        "name": escape(series.name, quote=False),
        "x": [one.x for one in points],
        "y": [one.y for one in points],
        "hoverinfo": "text",
        "hovertext": [escape(one.said, quote=False).replace("\n", "<br>") for one in points],
        "marker": {"color": colour},
    }
    addresses = [one.address for one in points]
    if len(set(addresses)) == 1:
        trace["meta"] = {"address": addresses[0]}
    else:
        trace["customdata"] = addresses
    if series.look is Look.BARS:
        trace["type"] = "bar"
        # Words are long: their bars lie, and bars of numbers stand.
        if points and isinstance(points[0].y, str):
            trace["orientation"] = "h"
        if points and points[0].width is not None:
            trace["width"] = [one.width for one in points]
        return trace
    trace |= {"type": "scatter", "mode": "markers" if series.look is Look.DOTS else "lines+markers"}
    sign = _SIGNS[style % len(_SIGNS)]
    trace["marker"] |= {"symbol": f"{sign}-open" if series.hollow else sign, "size": 9}
    if series.look is not Look.DOTS:
        trace["line"] = {"color": colour, "width": 2, "dash": _DASHES[style % len(_DASHES)]}
    if series.look is Look.STEPS:
        trace["line"]["shape"] = "hv"
        trace["marker"]["size"] = 5
    if any(one.low is not None for one in points):
        trace["error_y"] = _intervals(points, colour)
    return trace


def _intervals(points: Sequence[Point], colour: str) -> Json:
    return {
        "type": "data",
        "symmetric": False,
        "array": [_apart(one.high, one.y) for one in points],
        "arrayminus": [_apart(one.y, one.low) for one in points],
        "color": colour,
        "thickness": 1.2,
        "width": 4,
    }


def _apart(high: float | str | None, low: float | str | None) -> float:
    """How far apart two ends are; nothing where there is no interval."""
    if not isinstance(high, int | float) or not isinstance(low, int | float):
        return 0
    return high - low


def _axis(axis: Axis, values: Sequence[float | str]) -> Json:
    found: Json = {
        "title": {"text": escape(axis.title, quote=False), "standoff": 8},
        "type": axis.scale.value,
        "gridcolor": _GRID,
        "linecolor": _QUIET,
        "zerolinecolor": _QUIET,
        "tickcolor": _QUIET,
        "fixedrange": True,
        "automargin": True,
        "zeroline": False,
        "separatethousands": True,
    }
    if axis.is_share:
        found["tickformat"] = ".0%"
    elif _are_few_counts(axis, values):
        found["dtick"] = 1
    if axis.low is not None and axis.high is not None:
        found["range"] = [axis.low, axis.high]
    elif axis.low is not None:
        found["rangemode"] = "tozero"
    if axis.scale is Scale.WORDS:
        found["autorange"] = "reversed"  # the first one on top, as in the table
    return found


def _are_few_counts(axis: Axis, values: Sequence[float | str]) -> bool:
    """Whether Plotly, left alone, might mark halves of what is counted: half a turn, half a call."""
    if axis.scale is not Scale.LINEAR:
        return False
    counts = [float(one) for one in values if isinstance(one, int | float)]
    return bool(counts) and max(counts) <= MOST_COUNTS and all(map(float.is_integer, counts))


def _shape(line: Line) -> Json:
    return {
        "type": "line",
        "layer": "below",
        "x0": line.start[0],
        "y0": line.start[1],
        "x1": line.end[0],
        "y1": line.end[1],
        "line": {"color": _QUIET, "width": 1.5, "dash": "dash"},
    }


def _label(line: Line) -> Json:
    return {
        "x": line.end[0],
        "y": line.end[1],
        "text": escape(line.label, quote=False),
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "top",
        "xshift": 4,
        "font": {"color": _TEXT, "size": 12},
    }
