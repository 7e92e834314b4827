"""The page that says which machines judge, and why something may wait."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.selectors.machines import device_rows, queue_rows
from leaderboard.views.answers import page
from leaderboard.views.site import Site


@require_safe
def status(request: HttpRequest, *, site: Site) -> HttpResponse:
    at = timezone.now()
    products = [one.product for one in site.devices]
    context = {
        "queues": queue_rows(site.viewer_of(request), products, at=at),
        "devices": device_rows(),
        "at": at,
    }
    return page(request, "leaderboard/status.html", context)
