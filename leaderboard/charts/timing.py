"""How the times of one run are distributed: the pairs that rank, the kernel and the vendor each in bins of its own."""

from collections.abc import Sequence

from evaluation.core.measure.seen import MeasureSeen
from evaluation.core.timing.ranked import ranked
from leaderboard.charts.bins import Bin, bins_of
from leaderboard.charts.chart import Axis, Chart, Column, Look, Point, Series, TableCell, table
from leaderboard.templatetags.figures import duration, product

_COLUMNS = (Column("From"), Column("To, not included"), Column("Calls", is_figure=True))
_UNITS = (("ms", 10**6), ("µs", 10**3), ("ns", 1))


def timing_charts(seen: MeasureSeen, *, name: str) -> tuple[Chart, ...]:
    """Draw the kernel's times and the vendor's, of the same pairs; nothing where no pair ranks."""
    found = ranked(seen)
    if found is None:
        return ()
    candidate = [one.candidate.event_ns for one in found.pairs]
    vendor = [one.vendor.event_ns for one in found.pairs]
    processes = "process" if found.launchers == 1 else "processes"
    where = f"{found.launchers} {processes} on {product(seen.device.product)}"
    return (
        _chart(f"{name}-kernel", "kernel", candidate, found.candidate_ns, where=where),
        _chart(f"{name}-vendor", "vendor’s library", vendor, found.vendor_ns, where=where),
    )


def side_bins(seen: MeasureSeen) -> tuple[tuple[str, Bin], ...]:
    """The bins of both charts, each with whose calls it counts, ``kernel`` or ``vendor``."""
    found = ranked(seen)
    if found is None:
        return ()
    times = {
        "kernel": [one.candidate.event_ns for one in found.pairs],
        "vendor": [one.vendor.event_ns for one in found.pairs],
    }
    return tuple((side, one) for side, theirs in times.items() for one in bins_of(theirs))


def _chart(name: str, side: str, times: Sequence[int], median_ns: int, *, where: str) -> Chart:
    unit, size = next((one for one in _UNITS if median_ns >= 10 * one[1]), _UNITS[-1])
    bins = bins_of(times)
    return Chart(
        name=name,
        title=f"Times of the {side}",
        said=(
            f"How often a call of the {side} took how long, by GPU events with a cold cache: {len(times)} calls in "
            f"{where}, median {duration(median_ns)}, from {duration(min(times))} to {duration(max(times))}."
        ),
        x=Axis(title=f"time of a call, {unit}"),
        y=Axis(title="calls", low=0),
        series=(Series(f"the {side}", Look.BARS, tuple(_bar(one, size) for one in bins)),),
        table=table(f"Calls of the {side} by their time", _COLUMNS, [_row(one) for one in bins]),
    )


def _bar(one: Bin, size: int) -> Point:
    return Point(
        x=(one.low_ns + one.high_ns) / 2 / size,
        y=one.count,
        width=(one.high_ns - one.low_ns) / size,
        said=f"{_low(one)} to {_high(one)}\n{one.count} {'call' if one.count == 1 else 'calls'}",
    )


def _row(one: Bin) -> tuple[TableCell, ...]:
    return (TableCell(_low(one)), TableCell(_high(one)), TableCell(f"{one.count:,}"))


def _low(one: Bin) -> str:
    return f"{_exact(one.low_ns)}{' or less' if one.open_below else ''}"


def _high(one: Bin) -> str:
    return f"{_exact(one.high_ns)}{' or more' if one.open_above else ''}"


def _exact(time_ns: int) -> str:
    """The edge of a bin with every digit that it has."""
    for unit, size in _UNITS:
        if time_ns >= size:
            return f"{time_ns / size:,.6f}".rstrip("0").rstrip(".") + f"\N{NO-BREAK SPACE}{unit}"
    return "0\N{NO-BREAK SPACE}ns"
