"""The three files of results: a value for each run and each number of first turns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from evaluation.core.verdict import Target
from portal.uploads.importers.published.csv_rows import Row, rows
from portal.uploads.importers.published.published_records import RunKey
from portal.uploads.importers.published.published_words import tag_of
from portal.uploads.importers.published.run_columns import run_key
from portal.uploads.importers.published.turn_file import LIMIT_SPEEDUP, LIMIT_TURNS

CORRECTNESS: Final = "correctness_rate_by_release_date.csv"
SPEEDUP: Final = "best_speedup_by_release_date.csv"
INSTRUCTION: Final = "arch_instruction_correctness_by_release_date.csv"
LIMIT_TRAJECTORIES: Final = 10_000  # a run
LIMIT_TURNS_OF_RUN: Final = LIMIT_TRAJECTORIES * LIMIT_TURNS

_RUN = ("model", "arch", "workload", "workload_name", "definition", "exp_dir", "date")
_CORRECTNESS_COLUMNS = (*_RUN, "turn_limit", "n_trajectories", "correct", "correctness_rate")
_SPEEDUP_COLUMNS = (*_RUN, "turn_limit", "n_trajectories", "best_speedup")
_INSTRUCTION_COLUMNS = (
    *_RUN, "required_arch_sass_tag", "turn_limit", "n_trajectories", "correct_with_arch",
    "correct_with_arch_rate", "n_correct_turns", "n_unknown_correct_turns", "tag_evidence",
)  # fmt: skip
_RATE_DIGITS = 5e-7  # rates are printed with six digits after the point, or more

Found = TypeVar("Found")
Place = tuple[RunKey, int]  # a run and its first so many turns


@dataclass(frozen=True, slots=True)
class Share:
    """So many of all trajectories."""

    solved: int
    trajectories: int


@dataclass(frozen=True, slots=True)
class Best:
    """The best speed-up of a correct turn, None where no turn was correct."""

    speedup: float | None
    trajectories: int


@dataclass(frozen=True, slots=True)
class TargetShare:
    """``unknown_turns``: correct ones of which the publication could not tell what they executed."""

    share: Share
    correct_turns: int
    unknown_turns: int


def correctness(folder: Path) -> Mapping[Place, Share]:
    return _by_place(folder, CORRECTNESS, _CORRECTNESS_COLUMNS, _correctness)


def speedups(folder: Path) -> Mapping[Place, Best]:
    return _by_place(folder, SPEEDUP, _SPEEDUP_COLUMNS, _best)


def instructions(folder: Path) -> Mapping[Place, TargetShare]:
    return _by_place(folder, INSTRUCTION, _INSTRUCTION_COLUMNS, _target_share)


def _by_place(
    folder: Path, name: str, columns: tuple[str, ...], read: Callable[[Row], Found]
) -> Mapping[Place, Found]:
    found: dict[Place, Found] = {}
    for row in rows(folder, name, columns):
        row.day("date")
        place = (run_key(row), row.integer("turn_limit", low=1, high=LIMIT_TURNS))
        if place in found:
            raise row.broken("turn_limit", "an earlier row has this run and turn limit")
        found[place] = read(row)
    return found


def _correctness(row: Row) -> Share:
    return _share(row, "correct", "correctness_rate")


def _best(row: Row) -> Best:
    # The file writes 0 where no turn was correct; a correct kernel's speed-up is above 0.
    speedup = row.number("best_speedup", high=LIMIT_SPEEDUP) or None
    return Best(speedup, _trajectories(row))


def _target_share(row: Row) -> TargetShare:
    needed = tag_of(row.one_of("arch", {target.value: target for target in Target})).value
    row.one_of("required_arch_sass_tag", {needed: needed})
    row.one_of("tag_evidence", {"dynamic_sass": True})
    return TargetShare(
        _share(row, "correct_with_arch", "correct_with_arch_rate"),
        row.integer("n_correct_turns", low=0, high=LIMIT_TURNS_OF_RUN),
        row.integer("n_unknown_correct_turns", low=0, high=LIMIT_TURNS_OF_RUN),
    )


def _share(row: Row, count: str, rate: str) -> Share:
    of = _trajectories(row)
    solved = row.integer(count, low=0, high=of)
    stated = row.number(rate, high=1.0)
    if stated is None or abs(stated - solved / of) > _RATE_DIGITS:
        raise row.broken(rate, f"is not {solved}/{of}")
    return Share(solved, of)


def _trajectories(row: Row) -> int:
    return row.integer("n_trajectories", low=1, high=LIMIT_TRAJECTORIES)
