"""The turns of an entry whose kernels we timed, for charts: of many an even choice at each problem and target."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

from django.db.models import Count, Exists, F, OuterRef, Q, Window
from django.db.models.functions import RowNumber

from evaluation.core.judgement import Speed
from evaluation.models import Entry, Hold, Run, Turn, Viewer

TIMED_AT_A_PLACE = 16  # of one problem and target

_Row: TypeAlias = Mapping[str, Any]
# A kernel at a problem and its version for a target, by an owner.
_Judged: TypeAlias = tuple[int, str, int, str]


@dataclass(frozen=True, slots=True)
class TimedTurn:
    """A turn with the speed on one device by its newest run; numbers count from 0.

    ``reported_ratio`` and the device are the upload's own word, the latter empty where it names none.
    """

    trajectory: str
    problem: str
    prompt: int
    number: int
    turn: int
    device: str
    speed: Speed
    reported_ratio: float | None
    reported_device: str
    completion_tokens: int | None
    reasoning_tokens: int | None


@dataclass(frozen=True, slots=True)
class TimedTurns:
    """``chosen`` turns of ``total`` are told, each once for every device that timed it."""

    turns: tuple[TimedTurn, ...]
    chosen: int
    total: int


def timed_turns(viewer: Viewer, uid: UUID) -> TimedTurns:
    """Turns that the upload says tokens or a ratio of; none of an entry that this viewer does not see; two queries.

    Whoever asks, a kernel that is held or struck is not among them.
    """
    found = _chosen(viewer, uid)
    speeds = _newest_speeds(found)
    totals = {(row[_PROBLEM], row[_TARGET]): row["total"] for row in found}
    told = tuple(
        _timed(row, device, speed)
        for row in found
        for device, speed in sorted(speeds.get(_judged(row), {}).items())
        if speed is not None
    )
    return TimedTurns(told, len(found), sum(totals.values()))


_PROBLEM, _TARGET = "trajectory__problem", "trajectory__target"
_VERSION, _OWNER = "trajectory__problem_version", "trajectory__entry__owner"
_COLUMNS = (
    *("number", "completion_tokens", "reasoning_tokens", "kernel_id", "total"),
    *(_PROBLEM, _TARGET, _VERSION, _OWNER),
    *("trajectory__uid", "trajectory__reported_device"),
    *("trajectory__prompt", "trajectory__number"),
    *("reported__speedup", "reported__device"),
)
_ORDER = ("trajectory__prompt", "trajectory__number", "trajectory__reported_device", "number")


def _chosen(viewer: Viewer, uid: UUID) -> list[dict[str, Any]]:
    """Row i of n is kept where i * k mod n is below k: k of them at even distances, or all where there are fewer."""
    at = {"kernel": OuterRef("kernel"), "problem": OuterRef(_PROBLEM), "target": OuterRef(_TARGET)}
    timed = Run.objects.counting().filter(
        Q(shared=True) | Q(owner=OuterRef(_OWNER)),
        **at,
        problem_version=OuterRef(_VERSION),
        ratio__isnull=False,
    )
    place = (F(_PROBLEM), F(_TARGET))
    turns = (
        Turn.objects.filter(
            Q(completion_tokens__gt=0) | Q(reported__speedup__isnull=False),
            Exists(timed.order_by()),
            ~Exists(Hold.objects.acting().filter(**at)),
            trajectory__entry__uid=uid,
            trajectory__entry__in=Entry.objects.visible_to(viewer).order_by().values("pk"),
            missing="",
        )
        .annotate(
            row=Window(RowNumber(), partition_by=place, order_by=_ORDER),
            total=Window(Count("pk"), partition_by=place),
        )
        .annotate(step=F("row") * TIMED_AT_A_PLACE % F("total"))
        .filter(step__lt=TIMED_AT_A_PLACE)
    )
    return list(turns.order_by(_PROBLEM, _TARGET, *_ORDER).values(*_COLUMNS))


def _newest_speeds(found: Iterable[_Row]) -> dict[_Judged, dict[str, Speed | None]]:
    """What the newest run that counts found on each device; None where it found no speed."""
    owners = {row[_OWNER] for row in found}
    runs = Run.objects.counting().filter(
        Q(shared=True) | Q(owner__in=owners), kernel__in=[row["kernel_id"] for row in found]
    )
    speeds: dict[_Judged, dict[str, Speed | None]] = {}
    for *judged, device, ratio, low, high, ours, vendors in runs.values_list(
        *("kernel_id", "problem", "problem_version", "target", "device"),
        *("ratio", "ratio_low", "ratio_high", "candidate_ns", "vendor_ns"),
    ):
        kernel, problem, version, target = judged
        there = speeds.setdefault((kernel, problem, version, target), {})
        numbers = (ratio, low, high, ours, vendors)
        there.setdefault(device, None if None in numbers else Speed(*numbers))
    return speeds


def _judged(row: _Row) -> _Judged:
    return row["kernel_id"], row[_PROBLEM], row[_VERSION], row[_TARGET]


def _timed(row: _Row, device: str, speed: Speed) -> TimedTurn:
    return TimedTurn(
        trajectory=str(row["trajectory__uid"]),
        problem=row[_PROBLEM],
        prompt=row["trajectory__prompt"],
        number=row["trajectory__number"],
        turn=row["number"],
        device=device,
        speed=speed,
        reported_ratio=row["reported__speedup"],
        reported_device=row["reported__device"] or row["trajectory__reported_device"],
        completion_tokens=row["completion_tokens"],
        reasoning_tokens=row["reasoning_tokens"],
    )
