"""What was heard of known kernels on the GPUs of workers: the newest readings of each."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction

from evaluation import queues
from evaluation.core.messages import CanaryRun
from evaluation.models import CanaryReading, Worker
from evaluation.services.stored_text import stored

READINGS_KEPT = 100  # of one worker: two days of two known kernels
MOST_RUNS = 20  # of one report
_LARGEST_INTEGER = 2**31 - 1
# Known kernels run no oftener than that, so what says the same sooner is the same message once more.
_ONCE_MORE = timedelta(seconds=queues.CANARY_AGAIN_SECONDS / 2)


@transaction.atomic
def keep_readings(name: str, runs: Sequence[CanaryRun], *, at: datetime) -> int:
    """Write what a worker that is known said of its known kernels, and give how many readings were new.

    Anybody who may write to the queue of reports may say it, so all of it is bounded.
    """
    worker = Worker.objects.filter(name=name).first()
    if worker is None:
        return 0
    found = [_reading(worker, one, at=at) for one in runs[:MOST_RUNS]]
    new = [one for one in found if not _is_there(one)]
    CanaryReading.objects.bulk_create(new)
    newest = CanaryReading.objects.filter(worker=worker).order_by("-heard_at", "-pk")
    old = list(newest.values_list("pk", flat=True)[READINGS_KEPT:])
    CanaryReading.objects.filter(pk__in=old).delete()
    return len(new)


def _reading(worker: Worker, one: CanaryRun, *, at: datetime) -> CanaryReading:
    said = stored(one.said, 500)
    return CanaryReading(
        worker=worker,
        kernel=stored(one.name, 80),
        heard_at=at,
        said="" if one.well else said or "was not well",
        ratio=None if one.ratio is None else _figure(one.ratio),
        low=_figure(one.low),
        high=_figure(one.high),
        sm_mhz=_whole(one.sm_mhz),
        memory_mhz=_whole(one.memory_mhz),
        temperature_c=_whole(one.temperature_c),
        power_mw=_whole(one.power_mw),
    )


def _is_there(one: CanaryReading) -> bool:
    names = ("said", "ratio", "sm_mhz", "memory_mhz", "temperature_c", "power_mw")
    same = {name: getattr(one, name) for name in names}
    lately = CanaryReading.objects.filter(
        worker=one.worker, kernel=one.kernel, heard_at__gt=one.heard_at - _ONCE_MORE
    )
    return lately.filter(**same).exists()


def _figure(value: float) -> float:
    return max(value, 0.0) if math.isfinite(value) else 0.0


def _whole(value: int) -> int:
    return min(max(value, 0), _LARGEST_INTEGER)
