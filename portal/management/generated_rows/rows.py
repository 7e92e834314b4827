"""Turns a plan into rows of evaluation's tables, some entries at a time."""

import hashlib
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from typing import TypeAlias

from django.db import transaction

from evaluation.core.entry_words import Ending, Missing, Visibility
from evaluation.core.messages import JUDGE
from evaluation.core.run_words import HoldSource, HoldState
from evaluation.core.verdict import Language
from evaluation.models import (
    Artifact,
    Entry,
    Hold,
    Kernel,
    Model,
    ReportedResult,
    Run,
    Trajectory,
    Turn,
)
from portal.management.generated_rows import outcomes
from portal.management.generated_rows.plan import (
    START,
    PlannedEntry,
    PlannedModel,
    planned_entries,
    planned_models,
    unique_id,
)
from portal.management.generated_rows.tables import Table, continue_keys

_TURNS_AT_ONCE = 20_000
_OWNERS = 200
_CUDA = Language.CUDA.value
_REPORTED = {"hopper": "h100-sxm", "blackwell": "b200"}
_MEASURED = {"hopper": ("h200", "h200", "h200", "h100-sxm"), "blackwell": ("b200",)}

_Rows: TypeAlias = list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Generated:
    models: int
    entries: int
    trajectories: int
    turns: int


@dataclass(slots=True)
class _Some:
    """Rows that wait to be written together."""

    entries: _Rows = field(default_factory=list)
    trajectories: _Rows = field(default_factory=list)
    turns: _Rows = field(default_factory=list)
    artifacts: _Rows = field(default_factory=list)
    kernels: _Rows = field(default_factory=list)
    runs: _Rows = field(default_factory=list)
    reported: _Rows = field(default_factory=list)
    holds: _Rows = field(default_factory=list)


class Generator:
    """Writes a site of so many trajectories; ``problems`` are (name, version) of those that are ranked."""

    def __init__(self, problems: Sequence[tuple[str, int]], *, seed: int) -> None:
        self._problems = problems
        self._lot = random.Random(seed)  # noqa: S311 (the same rows every time, which is the point)
        self._tables = _tables()
        self._keys = {name: count(table.first_key) for name, table in self._tables.items()}
        self._models_from = self._tables["models"].first_key

    def generate(self, trajectories: int) -> Generated:
        models = planned_models(self._lot, trajectories)
        self._tables["models"].add(self._model(one) for one in models)
        some, entries, rows, turns = _Some(), 0, 0, 0
        planned = planned_entries(
            self._lot, models, trajectories=trajectories, problems=len(self._problems)
        )
        for entry in planned:
            self._entry(entry, some)
            entries += 1
            if len(some.turns) >= _TURNS_AT_ONCE:
                rows, turns = rows + len(some.trajectories), turns + len(some.turns)
                self._write(some)
                some = _Some()
        rows, turns = rows + len(some.trajectories), turns + len(some.turns)
        self._write(some)
        continue_keys([Model, Entry, Trajectory, Turn, Artifact, Kernel, Run, ReportedResult, Hold])
        return Generated(len(models), entries, rows, turns)

    def _write(self, some: _Some) -> None:
        with transaction.atomic():
            for name in _ORDER:
                self._tables[name].add(getattr(some, name))

    def _model(self, one: PlannedModel) -> tuple[object, ...]:
        slug = one.name.lower().replace(" ", "-")
        accepted = START if one.accepted else None
        key = self._models_from + one.number
        return key, f"generated-{slug}", one.name, one.track, one.released_on, accepted

    def _entry(self, one: PlannedEntry, some: _Some) -> None:
        key = next(self._keys["entries"])
        owner = f"generated-{one.model.number % _OWNERS}"
        embargoed = one.visibility == Visibility.EMBARGOED
        withdrawn = one.at + timedelta(days=40) if one.withdrawn else None
        layout = (one.prompts, one.trajectories, one.turns)
        some.entries.append(
            (
                *(key, one.uid, self._models_from + one.model.number, owner),
                *(one.harness, one.pack, one.effort, *layout, one.authorship),
                *(one.visibility, one.at + timedelta(days=3650) if embargoed else None),
                *(withdrawn, "generated as withdrawn" if withdrawn else ""),
                *(one.single, _hash("entry", key), one.at),
            )
        )
        chosen = self._lot.sample(range(len(self._problems)), one.problems)
        for place in sorted(chosen):
            name, version = self._problems[place]
            device = self._lot.choice(_MEASURED[one.target])
            for prompt in range(one.prompts):
                for number in range(one.trajectories):
                    trajectory = next(self._keys["trajectories"])
                    some.trajectories.append(
                        (
                            *(trajectory, unique_id(self._lot), key, name, version, one.target),
                            *(_REPORTED[one.target], prompt, number),
                        )
                    )
                    for row in self._turns(one, some, (name, version, device, owner)):
                        some.turns.append((*row[:1], trajectory, *row[1:]))

    def _turns(
        self, entry: PlannedEntry, some: _Some, judged: tuple[str, int, str, str]
    ) -> Iterator[tuple[object, ...]]:
        """One in 33 replies has no code; one in 50 is the kernel of the turn before again."""
        kernel: int | None = None
        for number in range(entry.turns):
            key = next(self._keys["turns"])
            luck = self._lot.random()
            if luck < 0.03 and not entry.single:
                yield key, number, None, Missing.NO_CODE.value, "The reply has no code block."
                continue
            if kernel is None or luck > 0.05:
                kernel = self._kernel(entry, some, number, key, judged)
            yield key, number, kernel, "", ""

    def _kernel(
        self,
        entry: PlannedEntry,
        some: _Some,
        turn: int,
        key: int,
        judged: tuple[str, int, str, str],
    ) -> int:
        name, version, device, owner = judged
        artifact, kernel = next(self._keys["artifacts"]), next(self._keys["kernels"])
        sha256 = _hash("kernel", kernel)
        some.artifacts.append((artifact, sha256, entry.at))
        some.kernels.append((kernel, sha256, artifact))
        found = outcomes.outcome(self._lot, entry, turn, device)
        some.runs.append(
            (
                *(next(self._keys["runs"]), unique_id(self._lot), kernel, name, version),
                *(entry.target, owner, *found.columns),
            )
        )
        if not entry.single:
            said = None if found.ratio is None else found.ratio * self._lot.uniform(0.9, 1.2)
            status = "failed" if said is None else "passed"
            some.reported.append((key, key, status, said is not None, said))
        if found.ratio is not None and self._lot.random() < 0.001:
            some.holds.append(self._hold(kernel, name, entry))
        return kernel

    def _hold(self, kernel: int, problem: str, entry: PlannedEntry) -> tuple[object, ...]:
        struck = self._lot.random() < 0.3
        decided: datetime | None = entry.at + timedelta(days=32) if struck else None
        state = HoldState.STRUCK.value if struck else HoldState.OPEN.value
        return (
            *(next(self._keys["holds"]), kernel, problem, entry.target),
            *(entry.at + timedelta(days=31), state, decided, "staff" if struck else ""),
        )


_ORDER = (
    *("entries", "trajectories", "artifacts", "kernels"),
    *("turns", "reported", "runs", "holds"),
)


def _tables() -> dict[str, Table]:
    return {
        "models": Table(Model, ("id", "slug", "name", "track", "released_on", "accepted_at")),
        "entries": Table(
            Entry,
            (
                *("id", "uid", "model_id", "owner", "harness", "pack", "reasoning_effort"),
                *("prompts", "trajectories", "turns", "authorship", "visibility", "embargo_until"),
                *("withdrawn_at", "withdrawn_reason", "single_kernel", "digest", "created_at"),
            ),
            language=_CUDA,
            licence="CC0-1.0",
        ),
        "trajectories": Table(
            Trajectory,
            (
                *("id", "uid", "entry_id", "problem", "problem_version", "target"),
                *("reported_device", "prompt", "number"),
            ),
            ending=Ending.TURNS_USED.value,
        ),
        "turns": Table(
            Turn, ("id", "trajectory_id", "number", "kernel_id", "missing", "missing_said")
        ),
        "artifacts": Table(Artifact, ("id", "sha256", "created_at"), size=3000, kind="source"),
        "kernels": Table(Kernel, ("id", "sha256", "artifact_id"), size=3000, language=_CUDA),
        "reported": Table(ReportedResult, ("id", "turn_id", "status", "correct", "speedup")),
        "runs": Table(
            Run,
            (
                *("id", "uid", "kernel_id", "problem", "problem_version", "target", "owner"),
                *outcomes.COLUMNS,
            ),
            judge=JUDGE,
            language=_CUDA,
        ),
        "holds": Table(
            Hold,
            (
                *("id", "kernel_id", "problem", "target", "placed_at", "state"),
                *("decided_at", "decided_by"),
            ),
            why="generated as held",
            source=HoldSource.STAFF.value,
        ),
    }


def _hash(kind: str, number: int) -> str:
    return hashlib.sha256(f"generated {kind} {number}".encode()).hexdigest()
