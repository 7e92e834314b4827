"""How the GPUs measured known kernels when they last did."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max

from evaluation.models import CanaryReading, Viewer

_SHOWN_FOR = timedelta(days=7)
_MOST_ROWS = 100


@dataclass(frozen=True, slots=True)
class CanaryRow:
    """The newest reading of one known kernel by one worker, which has one GPU; the worker's name is for staff.

    ``said`` is what was wrong, empty where all was well. ``band`` is None where nobody has measured this kernel on such
    a product. Clocks and temperature are None where nothing was sampled.
    """

    worker: str
    product: str
    kernel: str
    heard_at: datetime
    said: str
    ratio: float | None
    band: tuple[float, float] | None
    sm_mhz: int | None
    memory_mhz: int | None
    temperature_c: int | None


def canary_rows(viewer: Viewer, *, at: datetime) -> tuple[CanaryRow, ...]:
    """The newest reading of each worker and known kernel of the last week; one query. The newest worker is first."""
    newest = (
        CanaryReading.objects.filter(heard_at__gt=at - _SHOWN_FOR)
        .order_by()
        .values("worker", "kernel")
        .annotate(newest=Max("pk"))
    )
    found = CanaryReading.objects.filter(pk__in=newest.values("newest")).select_related("worker")
    ordered = found.order_by("worker__device", "-heard_at", "worker__name", "kernel")
    return tuple(_row(one, is_staff=viewer.staff) for one in ordered[:_MOST_ROWS])


def _row(one: CanaryReading, *, is_staff: bool) -> CanaryRow:
    return CanaryRow(
        worker=one.worker.name if is_staff else "",
        product=one.worker.device,
        kernel=one.kernel,
        heard_at=one.heard_at,
        said=one.said,
        ratio=one.ratio,
        band=(one.low, one.high) if one.high else None,
        sm_mhz=one.sm_mhz or None,
        memory_mhz=one.memory_mhz or None,
        temperature_c=one.temperature_c or None,
    )
