"""GPUs and workers that went down while a kernel ran, told or silent (rule T6)."""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Sum

from evaluation.core.run_words import AttemptState, Half, HoldState
from evaluation.models import Attempt, Hold, Run, StageReport, Worker
from evaluation.models.attempts import AttemptQuerySet
from evaluation.models.runs import RunQuerySet
from evaluation.services.attempts import has


@transaction.atomic
def note_kernel(attempt: Attempt, worker: str, kernel: str, *, at: datetime) -> bool:
    """Note that a worker is about to launch the kernel of its attempt; False where the attempt is not its own.

    ``kernel`` is the SHA-256 of the plan; one of another kernel notes nothing.
    """
    if not has(attempt, worker, at=at):
        return False
    mine = Attempt.objects.filter(
        pk=attempt.pk, half=Half.MEASURE, state=AttemptState.STARTED, worker=worker
    )
    if not mine.filter(run__plan__sha256=kernel).exists():
        return False
    mine.filter(noted_at=None).update(noted_at=at)
    return True


def losses_of(run: Run) -> int:
    """GPUs and workers that were lost while this kernel ran for this problem and target, since a person cleared it.

    Losses that a worker told, and those that are silent.
    """
    same = {"kernel": run.kernel_id, "problem": run.problem, "target": run.target}
    cleared = Hold.objects.filter(**same, state=HoldState.CLEARED).aggregate(at=Max("decided_at"))
    runs = Run.objects.filter(**same)
    if cleared["at"] is not None:
        runs = runs.filter(created_at__gt=cleared["at"])
    told = int(runs.aggregate(losses=Sum("losses"))["losses"] or 0)
    return told + _silent(runs).count()


def _silent(runs: RunQuerySet) -> AttemptQuerySet:
    """Attempts whose worker noted the kernel, reported no verdict on it, and was heard of no more: not even a beat.

    One that is heard of again was cut off and lost nothing, so this is asked anew each time and never stored. Where
    the machine comes back with its ledger, its new worker tells of the loss, and that is counted in place of this.
    """
    heard = Worker.objects.filter(
        name=OuterRef("worker"), last_heard_at__gt=OuterRef("lease_until")
    )
    judged = StageReport.objects.filter(attempt=OuterRef("pk")).exclude(verdict="")
    return Attempt.objects.filter(
        ~Exists(heard),
        ~Exists(judged),
        run__in=runs,
        state=AttemptState.LAPSED,
        noted_at__isnull=False,
        lost=False,
    )
