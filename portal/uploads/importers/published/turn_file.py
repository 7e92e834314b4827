"""The per-turn file: one row for each turn of each trajectory, in the order of turns."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluation.core.verdict import Target
from portal.uploads.importers.published.csv_rows import Row, rows
from portal.uploads.importers.published.published_records import RunKey
from portal.uploads.importers.published.published_words import Tag, tag_of
from portal.uploads.importers.published.run_columns import run_key

NAME: Final = "reasoning_tokens_vs_performance.csv"
COLUMNS: Final = (
    "model", "arch", "required_arch_tag", "workload", "workload_name", "definition", "exp_dir", "trajectory_id",
    "turn", "reasoning_tokens", "reasoning_token_source", "correctness", "speedup", "arch_tag",
    "correct_with_arch", "performance_score",
)  # fmt: skip
LIMIT_TURNS: Final = 64  # a trajectory
LIMIT_SPEEDUP: Final = 1000.0
LIMIT_TOKENS: Final = 10_000_000

_OUTCOMES: Final = {
    "Correct": True,
    "Compilation error": False,
    "Runtime error": False,
    "Numerical error": False,
    "Kernel Execution Timeout": False,
    "Extraction error": False,
    "Other error": False,
    "Profiling Service Timeout": False,
    "Sanitize Timeout": False,
}
_FLAGS: Final = {"0": False, "1": True}
_TAGS: Final = {tag.value: tag for tag in Tag}


@dataclass(frozen=True, slots=True)
class PaperTurn:
    """``names_target``: correct, and its PTX text names the target's instructions. ``speedup`` only if correct."""

    correct: bool
    names_target: bool
    speedup: float | None


Trajectory = tuple[PaperTurn, ...]


def trajectories(folder: Path) -> Mapping[RunKey, tuple[Trajectory, ...]]:
    """Read every run's trajectories. Raise InvalidInput for a turn that comes twice or is left out."""
    found: dict[RunKey, dict[str, list[PaperTurn]]] = {}
    for row in rows(folder, NAME, COLUMNS):
        own = found.setdefault(run_key(row), {}).setdefault(row.text("trajectory_id"), [])
        number = row.integer("turn", low=0, high=LIMIT_TURNS - 1)
        if number != len(own):
            rule = f"turn {number} where turn {len(own)} of this trajectory is next"
            raise row.broken("turn", rule)
        own.append(_turn(row))
    return {key: tuple(map(tuple, own.values())) for key, own in found.items()}


def _turn(row: Row) -> PaperTurn:
    target = row.one_of("arch", {target.value: target for target in Target})
    needed = tag_of(target)
    row.one_of("required_arch_tag", {needed.value: needed})
    tags = _tags(row, "arch_tag")
    correct = row.one_of("correctness", _OUTCOMES)
    names_target = correct and needed in tags
    if row.one_of("correct_with_arch", _FLAGS) is not names_target:
        raise row.broken("correct_with_arch", "contradicts correctness and arch_tag")
    speedup = row.number("speedup", high=LIMIT_SPEEDUP)
    if correct and not speedup:
        raise row.broken("speedup", "a correct turn needs one above 0")
    row.integer("reasoning_tokens", low=0, high=LIMIT_TOKENS)
    return PaperTurn(correct, names_target, speedup if correct else None)


def _tags(row: Row, column: str) -> frozenset[Tag]:
    """Read a list such as ``A, H``, empty where the text names no instruction that has a tag."""
    named = row.cells[column]
    parts = [part.strip() for part in named.split(",")] if named else []
    unknown = [part for part in parts if part not in _TAGS]
    if unknown:
        raise row.broken(column, f"must list some of {', '.join(_TAGS)}")
    return frozenset(_TAGS[part] for part in parts)
