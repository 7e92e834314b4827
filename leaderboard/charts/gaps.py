"""Functional correctness against target-instruction correctness: one dot a model, problem and device."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from evaluation.core.quoting import counted
from evaluation.core.verdict import Target
from leaderboard.charts.chart import (
    MOST_SERIES,
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
from leaderboard.charts.naming import devices_of, in_lines, which_entry, whole_name
from leaderboard.ranking import Provenance
from leaderboard.selectors.chart_gaps import GapPoint
from leaderboard.selectors.list_order import ListOrder, SortValue, sorted_rows
from leaderboard.standing import ShownRate
from leaderboard.templatetags.addresses import EvidenceAddresses, board_address
from leaderboard.templatetags.figures import MOST_CHARACTERS, said, share

COLUMNS: Mapping[str, Column] = {
    # By the word by which the table is ordered.
    "who": Column("Who"),
    "problem": Column("Problem"),
    "device": Column("Device"),
    "correct": Column("Correct", is_figure=True),
    "family": Column("Family-correct", is_figure=True),
    "gap": Column("Gap", is_figure=True),
}


def in_table_order(
    points: Sequence[GapPoint], titles: Mapping[str, str], order: ListOrder | None = None
) -> tuple[GapPoint, ...]:
    """As the table of the chart has them: by problem as in the catalogue, which ``titles`` are in, or in ``order``."""
    places = {name: number for number, name in enumerate(titles)}
    by_problem = sorted(points, key=lambda one: places.get(one.board.problem, len(places)))
    read: Mapping[str, Callable[[GapPoint], SortValue]] = {
        "who": lambda one: one.row.model_name.casefold(),
        "problem": lambda one: titles.get(one.board.problem, one.board.problem).casefold(),
        "device": lambda one: devices_of(one.row),
        "correct": lambda one: one.correct.value,
        "family": lambda one: one.family.value,
        "gap": _gap,
    }
    return sorted_rows(by_problem, order, read)


def gap_chart(
    points: Sequence[GapPoint],
    titles: Mapping[str, str],
    *,
    turn_limit: int,
    order: ListOrder | None = None,
) -> Chart | None:
    """Draw points of one provenance, a series a problem and target; None without a point. ``order`` is of the table."""
    if not points:
        return None
    to = EvidenceAddresses.looked_up()
    provenance = points[0].row.provenance
    heads = {one.board.slug: one.board for one in points}
    boards = {slug: board_address(one, provenance, turn_limit) for slug, one in heads.items()}
    verified = provenance is Provenance.VERIFIED
    above = "No dot can stand above the dashed line; how" if verified else "How"
    return Chart(
        name="gap",
        title=f"Correct against target instruction, first {counted(turn_limit, 'turn')}",
        said=(
            "Each dot is one model at one problem on one device; of several entries it is the one with the largest "
            "family-correct share. To the right: more turns were correct. Upwards: more turns were "
            f"correct and also executed an instruction family of the target. {above} far below the dashed line one "
            "stands is the share of turns that were correct without the hardware that the problem asks for."
        ),
        x=Axis(title=f"correct@{turn_limit}", low=-0.02, high=1.02, is_share=True),
        y=Axis(title=f"family-correct@{turn_limit}", low=-0.02, high=1.02, is_share=True),
        series=tuple(_series(in_table_order(points, titles), titles, to)),
        lines=(Line((0.0, 0.0), (1.0, 1.0), ""),),
        table=table(
            "Both shares of every dot; the gap is in percentage points",
            tuple(COLUMNS.values()),
            [
                _row(one, titles, to, boards[one.board.slug])
                for one in in_table_order(points, titles, order)
            ],
        ),
    )


def _series(
    points: Sequence[GapPoint], titles: Mapping[str, str], to: EvidenceAddresses
) -> Iterator[Series]:
    """A sign a problem, hollow for all targets but the first; what is too much shares the last sign."""
    styles: dict[str, int] = {}
    groups: defaultdict[tuple[int, str], list[GapPoint]] = defaultdict(list)
    for one in points:
        style = styles.setdefault(one.board.problem, min(len(styles), MOST_SERIES - 1))
        groups[style, one.board.target].append(one)
    targets = [one.value for one in Target if any(key[1] == one for key in groups)]
    for (style, target), some in sorted(
        groups.items(), key=lambda item: (item[0][0], targets.index(item[0][1]))
    ):
        shared = len({one.board.problem for one in some}) > 1
        name = "further problems" if shared else some[0].board.problem
        yield Series(
            name if len(targets) == 1 else f"{name}, {target.title()}",
            Look.DOTS,
            tuple(_point(one, titles, to) for one in some),
            style=style,
            hollow=target != targets[0],
        )


def _point(one: GapPoint, titles: Mapping[str, str], to: EvidenceAddresses) -> Point:
    problem = titles.get(one.board.problem, one.board.problem)
    return Point(
        x=_drawn(one.correct),
        y=_drawn(one.family),
        said=in_lines(
            f"{_author(one)}\n{problem}, {devices_of(one.row)}\n"
            f"correct {_counts(one.correct)}\nfamily-correct {_counts(one.family)}"
        ),
        address=to.of(one.row),
    )


def _drawn(rate: ShownRate) -> float:
    """With as many figures as a picture can show."""
    return round(rate.value or 0.0, 4)


def _author(one: GapPoint) -> str:
    if not one.row.entry_uid:
        return whole_name(one.row.model_name)
    best = f" (best of {one.others + 1})" if one.others else ""
    return f"{whole_name(one.row.model_name)}, {which_entry(one.row, MOST_CHARACTERS)}{best}"


def _counts(rate: ShownRate) -> str:
    how = f" {said(rate.evidence, 'evidence')}" if rate.evidence else ""
    return f"{share(rate.value)}, {rate.hits} of {rate.counted}{how}"


def _row(
    one: GapPoint, titles: Mapping[str, str], to: EvidenceAddresses, board: str
) -> tuple[TableCell, ...]:
    return (
        TableCell(_author(one), to.of(one.row)),
        TableCell(titles.get(one.board.problem, one.board.problem), board),
        TableCell(devices_of(one.row)),
        TableCell(_counts(one.correct)),
        TableCell(_counts(one.family)),
        TableCell(f"{100 * _gap(one):.1f}"),
    )


def _gap(one: GapPoint) -> float:
    return (one.correct.value or 0.0) - (one.family.value or 0.0)
