"""Reads what evaluation knows of entries that everybody may see, in a few queries however many turns they have."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import TypeAlias

from evaluation.core.entry_words import Ending, Visibility
from evaluation.core.verdict import Correct, FamilyExecuted, MatrixPath, RunState
from evaluation.models import Entry, Hold, PaperCell, Run, Trajectory, Turn
from leaderboard.projection.past import (
    EntryPast,
    PaperFact,
    ReportedFact,
    RunFact,
    Scope,
    Subject,
    TrajectoryPast,
    TurnPast,
)
from leaderboard.turns import MOST_TURNS, Layout

_Judged: TypeAlias = tuple[int, str, int, str]  # kernel, problem, its version, target
_Held: TypeAlias = tuple[int, str, str]  # kernel, problem, target
_Owned: TypeAlias = tuple[str, bool, RunFact]  # with its owner and whether it is shared

_RUN_COLUMNS = (
    "kernel_id",
    "problem",
    "problem_version",
    "target",
    "owner",
    "shared",
    "pk",
    "uid",
    "judge",
    "device",
    "device_wanted",
    "state",
    "applied",
    "correct",
    "family",
    "matrix_path",
    "ratio",
    "ratio_low",
    "ratio_high",
    "candidate_ns",
    "vendor_ns",
    "finished_at",
)
_FAMILIES = {str(word): word for word in FamilyExecuted}
_PATHS = {str(word): word for word in MatrixPath}


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


def paper_facts() -> Iterator[PaperFact]:
    columns = (
        "publication",
        "model_id",
        "model__slug",
        "target",
        "device",
        "problem",
        "metric",
        "turn_limit",
        "numerator",
        "denominator",
        "value",
        "evidence",
    )
    for row in PaperCell.objects.filter(main=True).order_by("pk").values_list(*columns):
        yield PaperFact(*row)


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
    """Turns by trajectory with all that they rest on."""

    rows: dict[int, list[tuple[int, int | None, str, str, ReportedFact | None]]]
    runs: dict[_Judged, list[_Owned]]
    holds: dict[_Held, str]


def _turns(entries: Sequence[int]) -> _Turns:
    turns = Turn.objects.filter(trajectory__entry__in=entries)
    rows: defaultdict[int, list[tuple[int, int | None, str, str, ReportedFact | None]]]
    rows = defaultdict(list)
    columns = (
        "trajectory_id",
        "number",
        "kernel_id",
        "kernel__sha256",
        "missing",
        "reported__pk",
        "reported__correct",
        "reported__speedup",
    )
    for trajectory, number, kernel, sha256, missing, told, correct, speedup in turns.order_by(
        "trajectory_id", "number"
    ).values_list(*columns):
        said = ReportedFact(correct, speedup or None) if told else None
        rows[trajectory].append((number, kernel, sha256 or "", missing, said))
    kernels = turns.order_by().filter(missing="").values("kernel_id")
    holds = Hold.objects.acting().filter(kernel__in=kernels)
    return _Turns(
        rows,
        _runs(Run.objects.filter(kernel__in=kernels).values_list(*_RUN_COLUMNS)),
        {
            (kernel, problem, target): state
            for kernel, problem, target, state in holds.values_list(
                "kernel_id", "problem", "target", "state"
            )
        },
    )


def _runs(rows: Iterable[tuple[object, ...]]) -> dict[_Judged, list[_Owned]]:
    """By what they judged, the newest first; those without an end come before all others."""
    found: defaultdict[_Judged, list[_Owned]] = defaultdict(list)
    for kernel, problem, version, target, owner, shared, *rest in rows:
        found[kernel, problem, version, target].append((owner, shared, _run(*rest)))  # type: ignore[index,arg-type]  # columns as they are named above
    for several in found.values():
        several.sort(key=_age, reverse=True)
    return found


def _age(owned: _Owned) -> tuple[bool, float, int]:
    run = owned[2]
    return (run.ended_at is None, run.ended_at.timestamp() if run.ended_at else 0.0, run.key)


def _run(  # noqa: PLR0917 (columns in the order of _RUN_COLUMNS)
    key: int,
    uid: object,
    judge: str,
    device: str,
    device_wanted: str,
    state: str,
    applied: bool,  # noqa: FBT001 (a column)
    correct: str,
    family: str,
    matrix_path: str,
    ratio: float | None,
    low: float | None,
    high: float | None,
    candidate_ns: int | None,
    vendor_ns: int | None,
    ended_at: datetime | None,
) -> RunFact:
    return RunFact(
        key=key,
        uid=str(uid),
        judge=judge,
        device=device,
        device_wanted=device_wanted,
        counts=state == RunState.FINISHED and applied,
        abandoned=state == RunState.ABANDONED,
        correct=correct == Correct.YES,
        family=_FAMILIES[family],
        matrix_path=_PATHS[matrix_path],
        ratio=ratio,
        low=low,
        high=high,
        candidate_ns=candidate_ns,
        vendor_ns=vendor_ns,
        ended_at=ended_at,
    )


def _trajectory(row: _TrajectoryColumns, entry: EntryPast, turns: _Turns) -> TrajectoryPast:
    pk, _, problem, version, target, _, uid, prompt, number, ending = row
    return TrajectoryPast(
        uid=uid,
        prompt=prompt,
        number=number,
        ended_by_us=ending == Ending.OUR_FAULT,
        turns=tuple(
            TurnPast(
                number=place,
                kernel=sha256,
                missing=missing,
                hold=turns.holds.get((kernel, problem, target), "") if kernel else "",
                runs=tuple(
                    run
                    for owner, shared, run in turns.runs.get((kernel, problem, version, target), ())
                    if shared or owner == entry.owner
                )
                if kernel and not missing
                else (),
                reported=said,
            )
            for place, kernel, sha256, missing, said in turns.rows.get(pk, ())
        ),
    )
