"""The page that says which machines judge, and why something may wait."""

from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.selectors.canaries import canary_rows
from evaluation.selectors.machines import QueueRow, device_rows, queue_rows
from leaderboard.views.answers import page
from leaderboard.views.site import Site


@require_safe
def status(request: HttpRequest, *, site: Site) -> HttpResponse:
    at = timezone.now()
    queues = shown_queues(request, site, at=at)
    context = {
        "queues": queues,
        "names_workers": any(one.workers for one in queues),
        "devices": device_rows(),
        "canaries": canary_rows(site.viewer_of(request), at=at),
        "at": at,
    }
    return page(request, "leaderboard/status.html", context)


def shown_queues(request: HttpRequest, site: Site, *, at: datetime) -> tuple[QueueRow, ...]:
    """The queues as this visitor may see them."""
    products = [one.product for one in site.devices]
    return queue_rows(site.viewer_of(request), products, at=at)
