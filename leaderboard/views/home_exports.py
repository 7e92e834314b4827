"""What the first page shows as CSV or JSON: who leads each board, and the new records of speed."""

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from leaderboard.exports.chart_tables import records_table
from leaderboard.exports.leader_tables import leaders_table
from leaderboard.selectors.revisions import revision_of_all
from leaderboard.views.home_views import leaders_in_order, new_records, shown_leaders
from leaderboard.views.saved_tables import origin_of, page_of, tagged_table
from leaderboard.views.site import Site


@require_safe
def leaders(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    """Those of verified values, then those of publications, each in the order of the page."""
    return tagged_table(
        request,
        (site.release, revision_of_all),
        lambda: leaders_table(
            [one for groups in shown_leaders(site) for one in leaders_in_order(groups)],
            origin=origin_of(request),
            page=page_of(request, "/leaders"),
        ),
        ending,
        "leaders",
    )


@require_safe
def records(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    """The newest of all boards, as the page has them."""
    return tagged_table(
        request,
        (site.release, revision_of_all),
        lambda: records_table(
            new_records(), origin=origin_of(request), page=page_of(request, "/records")
        ),
        ending,
        "records",
    )
