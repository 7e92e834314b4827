"""What pages of problems show as CSV or JSON: the same rows."""

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from leaderboard.exports.problem_tables import problems_table
from leaderboard.views.problem_views import problems_by_suite
from leaderboard.views.saved_tables import origin_of, page_of, saved_table
from leaderboard.views.site import Site


@require_safe
def problems(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    """The problems of one suite after the other, as the page has them."""
    found = [one for _, of_suite in problems_by_suite(site) for one in of_suite]
    table = problems_table(found, origin=origin_of(request), page=page_of(request))
    return saved_table(request, table, ending, "problems")
