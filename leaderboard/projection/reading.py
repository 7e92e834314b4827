"""Reads what evaluation knows of entries that everybody may see, in a few queries however many turns they have."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TypeAlias

from evaluation.core.entry_words import Ending, Visibility
from evaluation.models import Entry, Trajectory, Turn
from leaderboard.projection.judgements import Judgements, judgements
from leaderboard.projection.past import (
    EntryPast,
    ReportedFact,
    RunFact,
    Scope,
    Subject,
    TrajectoryPast,
    TurnPast,
)
from leaderboard.turns import MOST_TURNS, Layout

_TURN_COLUMNS = (
    *("trajectory_id", "number", "kernel_id", "kernel__sha256", "missing"),
    *("reported__pk", "reported__correct", "reported__speedup"),
)


def subjects_of(
    entries: Sequence[int], scope: Scope, *, at: datetime
) -> Iterator[tuple[Subject, ...]]:
    """Give the subjects of each entry that is public at this time and not too large to be counted."""
    known = {one.pk: one for one in _entries(entries, at)}
    turns = _turns(list(known))
    for entry_id, rows in groupby(_trajectories(list(known), scope), key=lambda row: row[1]):
        entry = known[entry_id]
        grouped = groupby(rows, key=lambda row: row[2:6])
        subjects = tuple(
            Subject(
                entry,
                problem,
                version,
                target,
                device,
                tuple(_trajectory(row, entry, turns) for row in some),
            )
            for (problem, version, target, device), some in grouped
        )
        if len(subjects) * _declared(entry) <= MOST_TURNS:
            yield subjects


def _declared(entry: EntryPast) -> int:
    return entry.layout.prompts * entry.layout.trajectories * entry.layout.turns


def _entries(entries: Sequence[int], at: datetime) -> Iterator[EntryPast]:
    found = Entry.objects.public(at=at).filter(pk__in=entries).select_related("model")
    for one in found:
        if one.declared_turns > MOST_TURNS:
            continue
        since = one.created_at
        if one.visibility == Visibility.EMBARGOED and one.embargo_until:
            since = max(since, one.embargo_until)
        yield EntryPast(
            pk=one.pk,
            uid=str(one.uid),
            owner=one.owner,
            model_id=one.model_id,
            accepted=one.model is not None and one.model.accepted_at is not None,
            language=one.language,
            layout=Layout(one.prompts, one.trajectories, one.turns),
            single_kernel=one.single_kernel,
            shown_since=since,
        )


_TrajectoryColumns: TypeAlias = tuple[int, int, str, int, str, str, str, int, int, str]


def _trajectories(entries: Sequence[int], scope: Scope) -> Iterator[_TrajectoryColumns]:
    rows = (
        Trajectory.objects.filter(entry__in=entries)
        .order_by(
            "entry_id",
            "problem",
            "problem_version",
            "target",
            "reported_device",
            "prompt",
            "number",
        )
        .values_list(
            "pk",
            "entry_id",
            "problem",
            "problem_version",
            "target",
            "reported_device",
            "uid",
            "prompt",
            "number",
            "ending",
        )
    )
    for pk, entry, problem, version, target, device, uid, prompt, number, ending in rows:
        if scope.has(problem, version):
            yield pk, entry, problem, version, target, device, str(uid), prompt, number, ending


@dataclass(frozen=True, slots=True)
class _Turns:
    """Turns by trajectory, in order, with all that they rest on."""

    rows: dict[int, list[tuple[int, int | None, str, str, ReportedFact | None]]]
    found: Judgements

    def of(self, row: _TrajectoryColumns, owner: str) -> Iterator[TurnPast]:
        key, _, problem, version, target, *_ = row
        for number, kernel, sha256, missing, said in self.rows.get(key, ()):
            hold = self.found.hold_of((kernel, problem, target)) if kernel else ""
            runs: tuple[RunFact, ...] = ()
            if kernel and not missing:
                runs = self.found.runs_of((kernel, problem, version, target), owner)
            yield TurnPast(number, sha256, missing, hold, runs, said)


def _turns(entries: Sequence[int]) -> _Turns:
    turns = Turn.objects.filter(trajectory__entry__in=entries)
    rows: defaultdict[int, list[tuple[int, int | None, str, str, ReportedFact | None]]]
    rows = defaultdict(list)
    for key, number, kernel, sha256, missing, told, correct, speedup in turns.order_by(
        "trajectory_id", "number"
    ).values_list(*_TURN_COLUMNS):
        said = ReportedFact(correct, speedup or None) if told else None
        rows[key].append((number, kernel, sha256 or "", missing, said))
    return _Turns(rows, judgements(turns))


def _trajectory(row: _TrajectoryColumns, entry: EntryPast, turns: _Turns) -> TrajectoryPast:
    _, _, _, _, _, _, uid, prompt, number, ending = row
    return TrajectoryPast(
        uid=uid,
        prompt=prompt,
        number=number,
        ended_by_us=ending == Ending.OUR_FAULT,
        turns=tuple(turns.of(row, entry.owner)),
    )
