"""Which instructions the launched functions of a kernel consist of, as the scan counted them in the machine code."""

from collections.abc import Iterable

from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage
from leaderboard.charts.chart import (
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
from leaderboard.templatetags.figures import share

_COLUMNS = (Column("Opcode"), Column("Rows", is_figure=True), Column("Share", is_figure=True))
_FACT, _TOTAL = "opcode.", "launched_instructions"
OTHERS = "all others"


def opcode_chart(reports: Iterable[StageReport], *, name: str) -> Chart | None:
    """Draw the opcodes that the report of the scan names, and the rest as one; None where it names none."""
    bars, total = opcode_rows(reports)
    if not bars:
        return None
    return Chart(
        name=name,
        title="Opcode mix",
        said=(
            f"The most frequent opcodes among the {total:,} instructions of the launched functions. It counts rows of "
            "machine code, not how often they run; which of them ran is what the probe counted."
        ),
        x=Axis(title="rows of machine code", low=0),
        y=Axis(title="", scale=Scale.WORDS),
        series=(
            Series("rows", Look.BARS, tuple(_bar(opcode, rows, total) for opcode, rows in bars)),
        ),
        table=table(
            "Rows of machine code by opcode, most frequent first",
            _COLUMNS,
            [
                (TableCell(opcode), TableCell(f"{rows:,}"), TableCell(share(rows / total)))
                for opcode, rows in bars
            ],
        ),
    )


def opcode_rows(reports: Iterable[StageReport]) -> tuple[tuple[tuple[str, int], ...], int]:
    """Rows of machine code by opcode, the rest under OTHERS, and how many there are; nothing without a count."""
    counts, total = _counts(reports)
    if not counts or total <= 0:
        return (), 0
    bars = [(opcode, rows) for opcode, rows in counts if rows > 0]
    rest = total - sum(rows for _, rows in bars)
    return (*bars, *([(OTHERS, rest)] if rest > 0 else [])), total


def _bar(opcode: str, rows: int, total: int) -> Point:
    said = f"{opcode}: {rows:,} of {total:,} rows, {share(rows / total)}"
    return Point(x=rows, y=opcode, said=said)


def _counts(reports: Iterable[StageReport]) -> tuple[list[tuple[str, int]], int]:
    facts = [
        fact
        for report in reports
        if report.stage is Stage.SCAN
        for fact in report.facts
        if isinstance(fact.value, int)
    ]
    counts = [
        (fact.name.removeprefix(_FACT), int(fact.value))
        for fact in facts
        if fact.name.startswith(_FACT)
    ]
    total = next((int(fact.value) for fact in facts if fact.name == _TOTAL), 0)
    return counts, total
