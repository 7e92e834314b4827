"""Which runs boards have to look at again: noted with what happened, forgotten when they have looked."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from evaluation.models import Kernel, Run


@dataclass(frozen=True, slots=True)
class DueRun:
    """A run whose kernel boards have to look at, since ``at``."""

    run_id: int
    kernel_id: int
    at: datetime


def boards_due(kernel: Kernel, *, at: datetime) -> None:
    """Note that boards have to look at this kernel; one that no run was asked for is on none."""
    newest = Run.objects.filter(kernel=kernel).order_by("-pk").first()
    if newest is not None:
        Run.objects.filter(pk=newest.pk).update(boards_due_at=at)


def due_on_boards(most: int) -> tuple[DueRun, ...]:
    """The runs that are due, those that wait longest first, at most so many."""
    due = Run.objects.filter(boards_due_at__isnull=False).order_by("boards_due_at", "pk")
    rows = due.values_list("pk", "kernel_id", "boards_due_at")[:most]
    return tuple(DueRun(run, kernel, at) for run, kernel, at in rows if at is not None)


def looked_at(due: Iterable[DueRun]) -> None:
    """Forget what boards have looked at; what happened to a run since then stays due."""
    for one in due:
        Run.objects.filter(pk=one.run_id, boards_due_at=one.at).update(boards_due_at=None)
