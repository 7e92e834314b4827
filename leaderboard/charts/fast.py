"""Fast_p as a step curve over every p: the share of turns that are correct and strictly faster than that."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from evaluation.core.quoting import counted
from leaderboard.charts.chart import (
    MOST_SERIES,
    MOST_TABLE_ROWS,
    Axis,
    Chart,
    Column,
    Line,
    Look,
    Point,
    Series,
    TableCell,
    table,
)
from leaderboard.charts.naming import evidence_of, in_lines, which_entry, who, whole_name
from leaderboard.selectors import BoardRow
from leaderboard.templatetags.figures import ratio, share

Steps: TypeAlias = tuple[tuple[float, int], ...]  # from each p on, how many turns are faster

_COLUMNS = (
    Column("Who"),
    Column("From p", is_figure=True),
    Column("Fast_p", is_figure=True),
    Column("Turns", is_figure=True),
)


def fast_chart(rows: Sequence[BoardRow], *, p: float, turn_limit: int) -> Chart | None:
    """Draw the first rows of a speed board that keep ratios; None where none does. ``p`` is the one of the page."""
    found = _with_ratios(rows, p)
    if not found:
        return None
    drawn = found[:MOST_SERIES]
    names = _names(drawn)
    most = max(2.0 * p, 1.05 * max(one.ratios[0] for one in drawn), 1.0)
    rest = (
        f" The first {len(drawn)} of {len(found)} rows are drawn."
        if len(found) > len(drawn)
        else ""
    )
    most_steps = MOST_TABLE_ROWS // len(drawn)
    curves = [curve for _, curve in fast_curves(rows, p=p)]
    is_whole = all(len(steps(one)) <= most_steps for one in drawn)
    if not is_whole:
        rest += (
            f" Of a curve with more than {most_steps} steps not all are drawn: each that is drawn is exact, and less "
            f"than 1 in {most_steps - 2} of the curve’s ratios is passed over before the next."
        )
    plain = f"{p:g}"
    return Chart(
        name="fast",
        title="Fast_p over every p",
        said=(
            f"Fast_p@{turn_limit}: the share of the first {counted(turn_limit, 'turn')} that are correct and strictly "
            f"faster than p times the vendor’s library. A curve falls at each ratio that was reached. The dashed line "
            f"is the p of this page, {plain}; the filter above changes it.{rest}"
        ),
        x=Axis(title="p (1 is the vendor’s speed)", low=0, high=most),
        y=Axis(title=f"Fast_p@{turn_limit}", low=-0.02, high=1.02, is_share=True),
        series=tuple(
            Series(name, Look.STEPS, tuple(_points(whole, one, curve, most)))
            for (name, whole), one, curve in zip(names, drawn, curves, strict=True)
        ),
        lines=(Line((p, 0.0), (p, 1.0), f"p = {plain}"),),
        table=table(
            f"Every step{'' if is_whole else ' that is drawn'}: from this p on, as many turns are strictly faster",
            _COLUMNS,
            [
                cells
                for (_, whole), one, curve in zip(names, drawn, curves, strict=True)
                for cells in _rows(whole, one, curve)
            ],
        ),
    )


def fast_curves(rows: Sequence[BoardRow], *, p: float) -> tuple[tuple[BoardRow, Steps], ...]:
    """The rows that are drawn, each with the steps of its curve that are."""
    drawn = _with_ratios(rows, p)[:MOST_SERIES]
    return tuple((one, _drawn(steps(one), MOST_TABLE_ROWS // len(drawn))) for one in drawn)


def _with_ratios(rows: Sequence[BoardRow], p: float) -> list[BoardRow]:
    return [one for one in rows if one.ratios and one.fast(p) is not None]


def steps(row: BoardRow) -> Steps:
    """From each p on, how many turns are strictly faster; the first p is 0, the last the best ratio."""
    left = len(row.ratios)
    found = [(0.0, left)]
    for p, reached in sorted(Counter(row.ratios).items()):
        left -= reached
        found.append((p, left))
    return tuple(found)


def _drawn(found: Steps, most: int) -> Steps:
    """Of more than ``most`` steps as many at most: the ends, and each where enough turns have gone since the last."""
    if len(found) <= most:
        return found
    kept = [found[0]]
    enough = found[0][1] / (most - 2)
    for one in found[1:-1]:
        if kept[-1][1] - one[1] >= enough:
            kept.append(one)
    return (*kept, found[-1])


def _names(rows: Sequence[BoardRow]) -> list[tuple[str, str]]:
    """The models, cut for the legend and whole; where one stands here twice, with what tells its entries apart."""
    plain = [who(one) for one in rows]
    rest = [
        "" if plain.count(name) == 1 else f", {which_entry(one)}"
        for name, one in zip(plain, rows, strict=True)
    ]
    return [
        (f"{name}{more}", f"{whole_name(one.model_name)}{more}")
        for name, more, one in zip(plain, rest, rows, strict=True)
    ]


def _points(name: str, row: BoardRow, found: Steps, most: float) -> Iterator[Point]:
    address = evidence_of(row)
    for p, faster in found:
        part = faster / row.counted
        said = (
            f"{name}\nfrom p = {p:.4g}: {share(part)}, {faster} of {counted(row.counted, 'turn')}"
        )
        yield Point(x=p, y=part, said=in_lines(said), address=address)
    said = f"{name}\nnothing is faster than {ratio(found[-1][0])}"
    yield Point(x=most, y=0.0, said=in_lines(said), address=address)


def _rows(name: str, row: BoardRow, found: Steps) -> Iterator[tuple[TableCell, ...]]:
    head = TableCell(name, evidence_of(row))
    for p, faster in found:
        yield (
            head,
            TableCell(f"{p:.4g}"),
            TableCell(share(faster / row.counted)),
            TableCell(f"{faster:,} of {row.counted:,}"),
        )
