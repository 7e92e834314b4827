"""The page that says which machines judge, and why something may wait."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.selectors.canaries import canary_rows
from evaluation.selectors.machines import device_rows, queue_rows
from leaderboard.views.answers import page
from leaderboard.views.site import Site


@require_safe
def status(request: HttpRequest, *, site: Site) -> HttpResponse:
    at = timezone.now()
    products = [one.product for one in site.devices]
    viewer = site.viewer_of(request)
    context = {
        "queues": queue_rows(viewer, products, at=at),
        "devices": device_rows(),
        "canaries": canary_rows(viewer, at=at),
        "at": at,
    }
    return page(request, "leaderboard/status.html", context)
