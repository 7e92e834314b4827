"""What stands on a board, as values: the key of a board, a row of it, and the rates and ratios that a row keeps."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from operator import attrgetter

_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")

# Turn limits that boards are compared at; an entry also stands at its own declared number of turns.
STANDARD_LIMITS = (1, 4, 8, 16, 32, 64)
STANDARD_FACTORS = (0.25, 0.5, 0.75, 0.9, 1.0, 1.25)  # p of Fast_p


class BoardKind(StrEnum):
    """Three boards, because the three findings are never blended."""

    CORRECTNESS = "correctness"
    INSTRUCTION = "instruction"
    SPEED = "speed"


def series_age(problem_version: int, judge: str) -> tuple[int, int, str]:
    """Newer versions of a problem are greater, then newer judge series: 10 is one after 9."""
    return (problem_version, len(judge), judge)


class RateName(StrEnum):
    """``correct`` is over turns, ``solved`` over trajectories; FAMILY is the paper's rule, PATH the matrix path."""

    CORRECT = "correct"
    SOLVED = "solved"
    FAMILY_CORRECT = "family_correct"
    FAMILY_SOLVED = "family_solved"
    PATH_CORRECT = "path_correct"
    PATH_SOLVED = "path_solved"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class BoardKey:
    """``device`` is set on speed boards alone: a product, or what uploads and publications call one (h100).

    Either ``problem`` or ``suite`` is set.
    A board without a judge series has what we did not verify. ``problem_version`` is 0 for suites, which are of the
    versions that the catalogue has, and for publications, which name none.
    """

    kind: str
    target: str
    device: str
    problem: str
    suite: str
    problem_version: int
    language: str
    judge: str

    @property
    def slug(self) -> str:
        """A name for addresses; different for different keys, as names of problems and devices have no ``-v``."""
        scope = self.suite and f"suite-{self.suite}"
        words = (
            self.kind,
            self.device or self.target,
            scope or f"{self.problem}-v{self.problem_version}",
            self.language,
            f"judge-{self.judge}" if self.judge else "unverified",
        )
        return "-".join(_NOT_IN_SLUGS.sub("-", word.lower()).strip("-") for word in words)


@dataclass(frozen=True, slots=True)
class ShownRate:
    """``hits`` of ``counted``, with the interval where there is one; for a suite hits are None and sums the others.

    ``open`` of the counted have no verdict to show yet. ``evidence`` is what a publication rests its rate on.
    """

    name: str
    unit: str
    hits: int | None
    counted: int
    declared: int
    open: int
    value: float | None
    low: float | None
    high: float | None
    unranked: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Advance:
    """A run that beat all earlier ones of its row; ``at`` is when it could be seen first."""

    at: datetime
    ratio: float
    low: float
    high: float
    run: str
    kernel: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a board at one turn limit, under its ``subject``; the columns of Standing by their own names.

    ``value`` with its interval is what the board orders by. ``rates``, ``ratios``, ``beside`` and ``advances`` are
    texts as this module writes them; ``devices`` names the devices we measured on, with a comma between.
    """

    subject: str
    turn_limit: int
    provenance: str
    entry_id: int | None
    model_id: int | None
    publication: str = ""
    reported_device: str = ""
    devices: str = ""
    value: float | None
    low: float | None = None
    high: float | None = None
    unranked_why: str = ""
    hits: int | None = None
    counted: int = 0
    declared: int = 0
    open: int = 0
    rates: str = "[]"
    ratios: str = "[]"
    beside: str = "{}"
    median_ratio: float | None = None
    best_run: str = ""
    best_kernel: str = ""
    best_trajectory: str = ""
    best_turn: int | None = None
    candidate_ns: int | None = None
    vendor_ns: int | None = None
    advances: str = "[]"


_RATE = tuple(field.name for field in fields(ShownRate))
_of_rate = attrgetter(*_RATE)


def rates_text(rates: Iterable[ShownRate]) -> str:
    return _text([dict(zip(_RATE, _of_rate(one), strict=True)) for one in rates])


def rates_of(text: str) -> tuple[ShownRate, ...]:
    return tuple(ShownRate(**one) for one in json.loads(text))


def ratios_text(ratios: Iterable[float]) -> str:
    """The ratios of correct turns, the largest first."""
    return _text(sorted(ratios, reverse=True))


def ratios_of(text: str) -> tuple[float, ...]:
    return tuple(json.loads(text))


def counts_text(counts: dict[str, int]) -> str:
    return _text(counts)


def counts_of(text: str) -> dict[str, int]:
    return dict(json.loads(text))


def advances_text(advances: Iterable[Advance]) -> str:
    return _text(
        [
            [one.at.isoformat(), one.ratio, one.low, one.high, one.run, one.kernel]
            for one in advances
        ]
    )


def advances_of(text: str) -> tuple[Advance, ...]:
    return tuple(Advance(datetime.fromisoformat(at), *rest) for at, *rest in json.loads(text))


_text = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
