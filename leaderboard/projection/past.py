"""What is known of an entry at one problem, as values; and what of the catalogue decides where it stands.

What there is of every turn is a named tuple: a rebuild makes millions, and a frozen dataclass takes four times as long
to make.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from evaluation.adapters.catalogue import Catalogue
from evaluation.core.verdict import FamilyExecuted, MatrixPath
from leaderboard.turns import Layout


class RunFact(NamedTuple):
    """One run of a turn's kernel that the entry's owner may rest on, newest first by ``ended_at`` and ``key``.

    ``counts`` says that it is finished and applied, ``abandoned`` that we gave it up; neither, and without an end, it
    is pending. The findings say something only where it counts. ``measured`` says that its GPU ran the kernel: one that
    no compiler takes has a device too, for which it was built.
    """

    key: int
    uid: str
    judge: str
    device: str
    device_wanted: str
    counts: bool
    abandoned: bool
    correct: bool
    family: FamilyExecuted
    matrix_path: MatrixPath
    ratio: float | None
    low: float | None
    high: float | None
    candidate_ns: int | None
    vendor_ns: int | None
    ended_at: datetime | None
    measured: bool


class ReportedFact(NamedTuple):
    """What the upload itself says; ``speedup`` is positive or absent."""

    correct: bool | None
    speedup: float | None


class TurnPast(NamedTuple):
    """``missing`` is a word of Missing or empty; ``hold`` a word of an acting HoldState or empty."""

    number: int
    kernel: str
    missing: str
    hold: str
    runs: tuple[RunFact, ...]
    reported: ReportedFact | None


@dataclass(frozen=True, slots=True)
class TrajectoryPast:
    uid: str
    prompt: int
    number: int
    ended_by_us: bool
    turns: tuple[TurnPast, ...]


@dataclass(frozen=True, slots=True)
class EntryPast:
    """An entry that everybody may see. ``accepted`` says that a listed model stands behind it."""

    pk: int
    uid: str
    owner: str
    model_id: int | None
    accepted: bool
    language: str
    layout: Layout
    single_kernel: bool
    shown_since: datetime


@dataclass(frozen=True, slots=True)
class Subject:
    """All trajectories of an entry at one problem version for one target from one reported device."""

    entry: EntryPast
    problem: str
    problem_version: int
    target: str
    reported_device: str
    trajectories: tuple[TrajectoryPast, ...]

    @property
    def name(self) -> str:
        """The subject of its rows; the same at every problem of a suite."""
        device = self.reported_device
        return f"{self.entry.uid}:{device}" if device else self.entry.uid


@dataclass(frozen=True, slots=True)
class PaperFact:
    """One main value of a publication."""

    publication: str
    model_id: int
    model: str
    target: str
    device: str
    problem: str
    metric: str
    turn_limit: int
    numerator: int | None
    denominator: int | None
    value: float | None
    evidence: str


@dataclass(frozen=True, slots=True)
class Scope:
    """Which boards there are: versions of problems by name, those that are ranked, suites, and targets by product.

    ``judge`` is the series of the judge that is at work: where an entry without any run is expected.
    """

    versions: Mapping[str, int]
    ranked: frozenset[str]
    suites: Mapping[str, tuple[str, ...]]
    devices: Mapping[str, str]
    judge: str

    @classmethod
    def of(cls, catalogue: Catalogue, judge: str) -> "Scope":
        problems = catalogue.problems()
        suites: dict[str, tuple[str, ...]] = {}
        for one in problems:
            if one.ranked:
                suites[one.suite] = (*suites.get(one.suite, ()), one.name)
        return cls(
            versions={one.name: one.version for one in problems},
            ranked=frozenset(one.name for one in problems if one.ranked),
            suites=suites,
            devices={one.product: one.target.value for one in catalogue.devices()},
            judge=judge,
        )

    def has(self, problem: str, version: int) -> bool:
        """Whether there is such a board. A name or version that nobody defined is only an upload's word."""
        return 1 <= version <= self.versions.get(problem, 0)

    def device_said(self, word: str, target: str) -> str:
        """Give the device of this target that an upload means as boards call it (``H100`` is h100), or nothing."""
        said = word.casefold()
        products = {product for product, own in self.devices.items() if own == target}
        return said if said in products | {product.split("-")[0] for product in products} else ""
