"""What other clocks than events said in a run: a reading's cost, rows of calls, the busy time (tables for gpu_table).

Read from the records ``measure_seen`` (or ``measure_seen.json``) in FOLDER/CASE.
"""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from evaluation.core import wire
from evaluation.core.measure.hardware_clock import reading_busy_ns
from evaluation.core.measure.seen import MeasureSeen, PairSeen, Side

MS, US = 1_000_000, 1_000
# Rows of shorter calls are other rows (more calls), and longer calls themselves differ by more than the rows could.
ROW_NS = (50 * US, 10 * MS)

Row = tuple[str, ...]
PASSES: Row = ("pass of a reading", "passes", "lowest, ms", "median, ms", "highest, ms")
ROWS: Row = ("rows", "lowest, us", "mean, us", "highest, us", "deviation, us")
BUSY: Row = ("kernel", "event, ns", "busy, ns", "share")


def records(folder: Path) -> dict[str, MeasureSeen]:
    """Give the last measurement of each case that has pairs, by the case's name."""
    found = {}
    for path in sorted(folder.glob("*/measure_seen*")):
        seen = wire.decode(MeasureSeen, path.read_bytes(), where=str(path))
        if seen.pairs:
            found[path.parent.name] = seen
    return found


def pass_rows(every: Iterable[MeasureSeen]) -> Iterator[Row]:
    """What each pass took beside its call by the referee's clock; the first switches on, the last reads and off."""
    passes: dict[int, list[float]] = {}
    last = 0
    for seen in every:
        for counted, group in groupby(seen.pairs, lambda one: one.counted):
            if counted:
                for place, pair in enumerate(group):
                    beside = pair.candidate.outside_ns - pair.candidate.event_ns
                    passes.setdefault(place, []).append(beside / MS)
                    last = max(last, place)
    for place, times in sorted(passes.items()):
        name = "first" if place == 0 else "last" if place == last else "between"
        yield (name, str(len(times)), *(f"{one:.0f}" for one in _lowest_middle_highest(times)))


def row_rows(every: Iterable[MeasureSeen]) -> Iterator[Row]:
    """How much longer than N calls by the events the longer row of a candidate was than the shorter one."""
    found = []
    for seen in every:
        call_ns = _event_ns(seen.pairs)
        if not ROW_NS[0] <= call_ns <= ROW_NS[1]:
            continue
        found += [
            (one.long_ns - one.short_ns - one.calls * call_ns) / US
            for one in seen.slopes
            if one.side is Side.CANDIDATE and one.held
        ]
    if len(found) > 1:
        shown = (min(found), statistics.mean(found), max(found), statistics.stdev(found))
        yield (str(len(found)), *(f"{one:.0f}" for one in shown))


def busy_rows(every: dict[str, MeasureSeen]) -> Iterator[Row]:
    for case, seen in every.items():
        times = [reading_busy_ns(one) for one in seen.probe.readings]
        counted = [one for one in times if one is not None]
        if counted:
            event, busy = _event_ns(seen.pairs), statistics.median(counted)
            yield (f"`{case}`", f"{event:,.0f}", f"{busy:,.0f}", f"{busy / event:.2f}")


def _event_ns(pairs: Sequence[PairSeen]) -> float:
    return statistics.median(one.candidate.event_ns for one in pairs if not one.counted)


def _lowest_middle_highest(values: Sequence[float]) -> tuple[float, float, float]:
    return min(values), statistics.median(values), max(values)
