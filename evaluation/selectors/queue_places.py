"""Where runs stand among all that wait: a number and nothing of the others."""

from collections.abc import Collection
from uuid import UUID

from evaluation.models import Run, Viewer
from evaluation.selectors.run_reports import ReportRow, report_rows

COUNTED = 5000  # whoever stands behind so many others is told that there are as many


def queue_places(viewer: Viewer, uids: Collection[UUID | str]) -> dict[str, int]:
    """The places, from 1, of those runs of the viewer's own that wait; two queries.

    They are sent by fair share between owners, so a run may be sent earlier than its place says.
    """
    own = Run.objects.filter(uid__in=uids)
    if not viewer.staff:
        own = own.filter(owner__in=viewer.owners)
    asked = dict(own.values_list("pk", "uid"))
    places: dict[str, int] = {}
    for waiting in (Run.objects.waiting(), Run.objects.ready()):
        queue = waiting.order_by("-priority", "created_at", "pk").values_list("pk", flat=True)
        order = {pk: place for place, pk in enumerate(queue[:COUNTED], start=1)}
        places |= {str(uid): order[pk] for pk, uid in asked.items() if pk in order}
    return places


def reports_so_far(
    viewer: Viewer, uids: Collection[UUID | str]
) -> dict[str, tuple[ReportRow, ...]]:
    """What the stages have said of the viewer's own runs that are not over."""
    own = Run.objects.pending().filter(uid__in=uids)
    if not viewer.staff:
        own = own.filter(owner__in=viewer.owners)
    runs = list(own)
    found = report_rows(runs, insider=True)
    return {str(run.uid): found[run.pk] for run in runs if run.pk in found}
