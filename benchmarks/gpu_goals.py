"""What verdicts took against what they may take (tables for gpu_table).

Read from FOLDER: lists of verdicts as gpu_record.py writes them, and the runs that ``gpu_speed.py --json`` wrote.
"""

import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpu_speed import FAST, GOALS, Run

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.problem import Kind

# A file a run, in the order in which tables show them.
VERDICTS = ("verdicts.json", "backward_verdicts.json")
SPEED = "speed.json"

Row = tuple[str, ...]
SECONDS: Row = ("kernel", "verdicts", "check and time, s", "at most", "whole, s", "at most", "met")
PROBLEMS: Row = ("problem", "kernels", *SECONDS[1:4], "of it the probe, s", *SECONDS[4:])


@dataclass(frozen=True, slots=True)
class Judged:
    """One verdict of a list. ``first`` of its problem in its run: buffers, vendor and oracle were made."""

    case: str
    problem: str
    first: bool
    judged: float  # seconds of check and time
    whole: float
    speed: tuple[float, float, float] | None  # ratio, and the ends of its interval
    held: bool


def verdicts(folder: Path) -> list[Judged]:
    """Every verdict of every run in its order; none where nobody wrote them down."""
    paths = [folder / name for name in VERDICTS]
    return [one for path in paths if path.is_file() for one in _of_one_run(path)]


def _of_one_run(path: Path) -> Iterator[Judged]:
    warmed: set[str] = set()
    for one in json.loads(path.read_text(encoding="utf-8")):
        speed = None
        if one["ratio"] is not None:
            speed = (float(one["ratio"]), float(one["ratio_low"]), float(one["ratio_high"]))
        yield Judged(
            case=one["case"],
            problem=one["problem"],
            first=one["problem"] not in warmed,
            judged=one["check"] + one["time"],
            whole=one["seconds"],
            speed=speed,
            held=bool(one["holds"]),
        )
        warmed.add(one["problem"])


def seconds_rows(kernels: Sequence[tuple[str, str]], every: Sequence[Judged]) -> Iterator[Row]:
    """Medians over warm verdicts of each (problem, case); where a kernel has none, its first, which says so.

    Goals are for fast kernels.
    """
    for problem, case in kernels:
        mine = [one for one in every if one.case == case]
        warm = [one for one in mine if not one.first]
        shown = warm or mine
        if not shown:
            continue
        judged = statistics.median(one.judged for one in shown)
        whole = statistics.median(one.whole for one in shown)
        ratios = [one.speed[0] for one in shown if one.speed is not None]
        runs = f"{len(warm)} warm" if warm else f"{len(mine)} cold"
        if ratios and statistics.median(ratios) >= FAST:
            against = _against(packaged().problem(problem).kind, judged, whole)
        else:
            slow = f"below {FAST} of the vendor's speed"
            against = (f"{judged:.2f}", "none", f"{whole:.2f}", "none", slow)
        yield (f"`{case}`", runs, *against)


def problem_rows(folder: Path) -> Iterator[Row]:
    """Medians over all warm verdicts on fast kernels of a problem, which goals are for; none without the file."""
    path = folder / SPEED
    if not path.is_file():
        return
    runs = [Run(**one) for one in json.loads(path.read_text(encoding="utf-8"))]
    for problem in dict.fromkeys(one.problem for one in runs):
        mine = [one for one in runs if one.problem == problem and one.is_fast and not one.first]
        if mine:
            judged = statistics.median(one.check + one.time for one in mine)
            whole = statistics.median(one.whole for one in mine)
            probe = statistics.median(one.probe for one in mine)
            kernels = ", ".join(f"`{case}`" for case in dict.fromkeys(one.case for one in mine))
            took, most, *rest = _against(packaged().problem(problem).kind, judged, whole)
            counted = f"{probe:.2f}"
            yield (f"`{problem}`", kernels, f"{len(mine)} warm", took, most, counted, *rest)


def _against(kind: Kind, judged: float, whole: float) -> Row:
    most = GOALS[kind]
    met = "yes" if judged <= most[0] and whole <= most[1] else "no"
    return (f"{judged:.2f}", f"{most[0]:.1f}", f"{whole:.2f}", f"{most[1]:.1f}", met)
