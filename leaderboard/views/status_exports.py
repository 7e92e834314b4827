"""What the page of the machines shows as CSV or JSON, to the same viewer: staff alone are told names of workers."""

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.selectors.canaries import canary_rows
from evaluation.selectors.machines import device_rows
from leaderboard.exports.status_tables import (
    devices_table,
    known_kernels_table,
    queues_table,
    workers_table,
)
from leaderboard.views.saved_tables import page_of, saved_table
from leaderboard.views.site import Site
from leaderboard.views.status_views import shown_queues


@require_safe
def queues(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    found = shown_queues(request, site, at=timezone.now())
    return saved_table(request, queues_table(found, page=page_of(request)), ending, "queues")


@require_safe
def workers(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    """Nothing but the head line for those whose page names no worker."""
    found = shown_queues(request, site, at=timezone.now())
    table = workers_table(found, page=page_of(request, "/workers"))
    return saved_table(request, table, ending, "workers")


@require_safe
def devices(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    table = devices_table(device_rows(), page=page_of(request, "/devices"))
    return saved_table(request, table, ending, "devices")


@require_safe
def known_kernels(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    found = canary_rows(site.viewer_of(request), at=timezone.now())
    table = known_kernels_table(found, page=page_of(request, "/known-kernels"))
    return saved_table(request, table, ending, "known-kernels")
