"""What a preview says of a whole upload, counted while its trajectories stream by."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Target
from portal.uploads.importers.fit import fit
from portal.uploads.importers.records import (
    Format,
    Layout,
    NamedProblem,
    Proposed,
    ReadTrajectory,
    ReadTurn,
)
from portal.uploads.reading.scrub import Found

LIMIT_SHOWN = 100
"""Of each list; every list has its whole number beside it or is short by nature."""


@dataclass(frozen=True, slots=True)
class SecretPlace:
    """Where a secret was removed; never what it was."""

    member: str
    found: Found


@dataclass(frozen=True, slots=True)
class Understood:
    """Lists are in the order of the upload, without repetition, and hold at most ``LIMIT_SHOWN`` entries."""

    formats: tuple[Format, ...]
    proposed: tuple[Proposed, ...]  # more than one is a question to the owner
    problems: tuple[str, ...]
    targets: tuple[Target, ...]
    devices: tuple[str, ...]
    layouts: tuple[Layout, ...]
    trajectories: int
    turns: int
    kernels: int  # turns with a kernel that can be judged
    different_kernels: int
    missing: Mapping[Missing, int]
    reported: int
    reported_correct: int
    secrets: int
    secret_places: tuple[SecretPlace, ...]
    named: tuple[NamedProblem, ...]
    named_total: int

    @property
    def single_kernel(self) -> bool:
        return self.turns == 1 and self.layouts == (Layout(1, 1, 1),)


Shown = TypeVar("Shown")


class Tally:
    """Counts an upload up, one trajectory at a time, so that none has to be kept."""

    def __init__(self, workloads: Mapping[str, str]) -> None:
        self._workloads = workloads
        self._formats: dict[Format, None] = {}
        self._proposed: dict[Proposed, None] = {}
        self._problems: dict[str, None] = {}
        self._targets: dict[Target, None] = {}
        self._devices: dict[str, None] = {}
        self._layouts: dict[Layout, None] = {}
        self._trajectories = 0
        self._turns = 0
        self._digests: set[bytes] = set()
        self._missing: Counter[Missing] = Counter()
        self._reported: Counter[bool | None] = Counter()
        self._secrets = 0
        self._places: list[SecretPlace] = []
        self._named: list[NamedProblem] = []
        self._named_total = 0

    def add(self, trajectory: ReadTrajectory) -> None:
        self._trajectories += 1
        self._turns += len(trajectory.turns)
        _see(self._formats, trajectory.format)
        _see(self._layouts, trajectory.layout)
        _see(self._proposed, trajectory.proposed)
        _see(self._problems, trajectory.problem)
        _see(self._devices, trajectory.device)
        _see(self._targets, trajectory.target)
        for turn in trajectory.turns:
            self._add_turn(turn)
        self._add_secrets(trajectory)
        self._name(trajectory.problems)
        self._name(fit(trajectory, self._workloads))

    def understood(self) -> Understood:
        return Understood(
            formats=tuple(self._formats),
            proposed=tuple(self._proposed),
            problems=tuple(self._problems),
            targets=tuple(self._targets),
            devices=tuple(self._devices),
            layouts=tuple(self._layouts),
            trajectories=self._trajectories,
            turns=self._turns,
            kernels=self._turns - self._missing.total(),
            different_kernels=len(self._digests),
            missing=dict(self._missing),
            reported=self._reported.total(),
            reported_correct=self._reported[True],
            secrets=self._secrets,
            secret_places=tuple(self._places),
            named=tuple(self._named),
            named_total=self._named_total,
        )

    def _add_turn(self, turn: ReadTurn) -> None:
        if turn.missing is not None:
            self._missing[turn.missing] += 1
        elif turn.kernel is not None:
            self._digests.add(hashlib.sha256(turn.kernel.encode()).digest())
        if turn.reported is not None:
            self._reported[turn.reported.correct] += 1
        self._name(turn.problems)

    def _add_secrets(self, trajectory: ReadTrajectory) -> None:
        """Take the places in the document, which has the kernels too; those in the kernels where there is none."""
        document = trajectory.document
        in_kernels = [(turn, found) for turn in trajectory.turns for found in turn.secrets]
        found = document.found if document else tuple(place for _, place in in_kernels)
        self._secrets += document.total if document else len(in_kernels)
        left = LIMIT_SHOWN - len(self._places)
        self._places.extend(SecretPlace(trajectory.member, place) for place in found[:left])

    def _name(self, problems: Iterable[NamedProblem]) -> None:
        for problem in problems:
            self._named_total += 1
            if len(self._named) < LIMIT_SHOWN:
                self._named.append(problem)


def understood(read: Iterable[ReadTrajectory], workloads: Mapping[str, str]) -> Understood:
    """Count an upload up; ``workloads`` has the workload uuid of each problem that is judged, by its name."""
    tally = Tally(workloads)
    for trajectory in read:
        tally.add(trajectory)
        del trajectory  # or it would be held while the next one is read
    return tally.understood()


def _see(seen: dict[Shown, None], value: Shown | None) -> None:
    if value and len(seen) < LIMIT_SHOWN:
        seen[value] = None
