"""The record of a problem over time, a line a device. The events follow from the times of runs."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.urls import reverse

from leaderboard.charts.chart import (
    MOST_SERIES,
    Axis,
    Chart,
    Column,
    Look,
    Point,
    Scale,
    Series,
    TableCell,
    table,
)
from leaderboard.charts.naming import in_lines, whole_name
from leaderboard.selectors import RecordRow
from leaderboard.templatetags.figures import product, ratio

_COLUMNS = (
    Column("Device"),
    Column("When (UTC)"),
    Column("Who"),
    Column("Ratio", is_figure=True),
    Column("Interval", is_figure=True),
    Column("Before", is_figure=True),
)


def record_chart(records: Sequence[RecordRow]) -> Chart | None:
    """Draw the records, given oldest first; None without one."""
    boards: defaultdict[str, list[RecordRow]] = defaultdict(list)
    for one in records:
        boards[one.board].append(one)
    if not boards:
        return None
    lines = [(_name(some[0], boards), some) for _, some in sorted(boards.items())]
    return Chart(
        name="records",
        title="Record over time",
        said=(
            "The best verified ratio of its time on each device: the vendor’s time over the kernel’s, so that 1 is as "
            "fast. A kernel that was struck since never held a record, and one that is looked at again holds none."
        ),
        x=_days(min(one.at for one in records), max(one.at for one in records)),
        y=Axis(title="ratio to the vendor", low=0),
        series=tuple(
            Series(name, Look.STEPS, tuple(_point(name, one) for one in some))
            for name, some in lines[:MOST_SERIES]
        ),
        table=table(
            "Every record, by device and oldest first",
            _COLUMNS,
            [_row(name, one) for name, some in lines for one in some],
        ),
    )


def _name(one: RecordRow, boards: dict[str, list[RecordRow]]) -> str:
    """The device; with its board where there are several of it, as after another judge series."""
    same = [slug for slug, some in boards.items() if some[0].device == one.device]
    name = product(one.device)
    return name if len(same) == 1 else f"{name} ({one.board.rpartition('-judge-')[2]})"


def _days(first: datetime, last: datetime) -> Axis:
    """A day more on both sides: around a single record, a chart would count in thousandths of a second."""
    day = timedelta(days=1)
    return Axis(
        title="time, UTC", scale=Scale.DATE, low=_written(first - day), high=_written(last + day)
    )


def _written(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S")


def _point(name: str, one: RecordRow) -> Point:
    return Point(
        x=_written(one.at),
        y=one.ratio,
        low=one.low,
        high=one.high,
        said=in_lines(
            f"{name}: {ratio(one.ratio)} ({_interval(one)})\n"
            f"{whole_name(one.model_name)}, {one.at:%Y-%m-%d %H:%M}"
        ),
        address=reverse("kernel", args=[one.kernel]),
    )


def _interval(one: RecordRow) -> str:
    return f"{ratio(one.low)} to {ratio(one.high)}"


def _row(name: str, one: RecordRow) -> tuple[TableCell, ...]:
    return (
        TableCell(name),
        TableCell(f"{one.at:%Y-%m-%d %H:%M}"),
        TableCell(whole_name(one.model_name), reverse("entry", args=[one.entry_uid])),
        TableCell(ratio(one.ratio), reverse("kernel", args=[one.kernel])),
        TableCell(_interval(one)),
        TableCell(ratio(one.before)),
    )
