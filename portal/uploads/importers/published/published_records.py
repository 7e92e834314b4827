"""What the published files say, in our words. Paper values are shown as such and are never ranked."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from evaluation.core.entry_words import PaperMetric
from evaluation.core.verdict import Target


class Evidence(StrEnum):
    """How the publication knows that a kernel used the target's instructions."""

    NONE = ""  # the metric does not say so
    DYNAMIC_SASS = "dynamic_sass"  # the hardware executed them
    PTX_TEXT = "ptx_text"  # the source names them


@dataclass(frozen=True, slots=True, order=True)
class RunKey:
    """One run of the publication; the same model may have several for one workload."""

    model: str  # as the publication calls it
    target: Target
    definition: str
    workload: str  # a uuid
    experiment: str  # last part of the path that the publication gives


@dataclass(frozen=True, slots=True)
class PaperValue:
    """A share has numerator and denominator, a best speed-up a value: None if no turn was correct."""

    metric: PaperMetric
    turn_limit: int  # the first so many turns of each trajectory count
    numerator: int | None
    denominator: int | None
    value: float | None
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class PaperRun:
    """``problem`` is ours, "" if we have none for this workload. ``main`` runs are shown, others only kept."""

    key: RunKey
    model: str  # which of our models wrote the kernels
    device: str
    problem: str
    main: bool
    trajectories: int
    turns: int
    values: tuple[PaperValue, ...]


@dataclass(frozen=True, slots=True)
class PaperModel:
    """``dated`` is the end of its knowledge where that is known, else its release: no date of ours."""

    name: str
    aliases: tuple[str, ...]
    dated: date | None


@dataclass(frozen=True, slots=True)
class Milestone:
    """A day that the publication marks in its charts, None if no calendar has it."""

    name: str
    day: date | None


@dataclass(frozen=True, slots=True)
class Difference:
    """One published value that its own per-turn file does not give."""

    key: RunKey
    metric: PaperMetric
    turn_limit: int
    published: float | None
    counted: float | None


@dataclass(frozen=True, slots=True)
class Publication:
    """``problems`` are sentences about what could not be understood and is left unknown."""

    name: str
    source: str
    models: tuple[PaperModel, ...]
    runs: tuple[PaperRun, ...]
    milestones: tuple[Milestone, ...]
    differences: tuple[Difference, ...]
    problems: tuple[str, ...]
