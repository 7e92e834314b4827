"""What charts of one run show as tables to save: its times, the clocks meanwhile, and what its code consists of."""

from collections.abc import Iterable

from evaluation.core.measure.seen import ClockSample, MeasureSeen
from evaluation.core.records import StageReport
from leaderboard.charts.bins import Bin
from leaderboard.charts.clocks import drawn_samples, reasons_in_words
from leaderboard.charts.opcodes import opcode_rows
from leaderboard.charts.timing import side_bins
from leaderboard.exports.table import Column, Table


def times_table(seen: MeasureSeen | None, *, page: str) -> Table[tuple[str, Bin]]:
    """The bins of calls of the kernel, and then of the vendor. An open bin has what lies beyond it, too."""
    columns: list[Column[tuple[str, Bin]]] = [
        Column("side", lambda one: one[0]),
        Column("from_ns", lambda one: one[1].low_ns),
        Column("below_ns", lambda one: one[1].high_ns),
        Column("open_below", lambda one: one[1].open_below),
        Column("open_above", lambda one: one[1].open_above),
        Column("calls", lambda one: one[1].count),
    ]
    return Table("times", {"page": page}, columns, side_bins(seen) if seen else ())


def clocks_table(seen: MeasureSeen | None, *, page: str) -> Table[ClockSample]:
    samples = drawn_samples(seen) if seen else ()
    start_ns = samples[0].at_ns if samples else 0
    columns: list[Column[ClockSample]] = [
        Column("since_first_ns", lambda one: one.at_ns - start_ns),
        Column("sm_mhz", lambda one: one.sm_mhz),
        Column("memory_mhz", lambda one: one.memory_mhz),
        Column("temperature_c", lambda one: one.temperature_c),
        Column("power_mw", lambda one: one.power_mw),
        Column("clock_event_reasons", lambda one: reasons_in_words(one.throttle)),
    ]
    return Table("clocks", {"page": page}, columns, samples)


def opcodes_table(reports: Iterable[StageReport], *, page: str) -> Table[tuple[str, int]]:
    rows, total = opcode_rows(reports)
    columns: list[Column[tuple[str, int]]] = [
        Column("opcode", lambda one: one[0]),
        Column("rows", lambda one: one[1]),
        Column("share", lambda one: one[1] / total),
    ]
    return Table("opcodes", {"page": page}, columns, rows)
