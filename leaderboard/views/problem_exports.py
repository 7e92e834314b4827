"""What pages of problems show as CSV or JSON: the same rows."""

from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from evaluation.core.catalogue.problem import Problem
from leaderboard.exports.leader_tables import leaders_table
from leaderboard.exports.problem_tables import problems_table
from leaderboard.exports.tables import cells_table
from leaderboard.selectors import PlacedRow
from leaderboard.selectors.revisions import revision_of_problem
from leaderboard.views.answers import redirected_to, refuses_wrong_questions
from leaderboard.views.home_views import leaders_in_order
from leaderboard.views.problem_arguments import argument_lines
from leaderboard.views.problem_devices import device_lines
from leaderboard.views.problem_list import problems_by_suite, problems_question
from leaderboard.views.problem_tables import arguments_table, devices_table
from leaderboard.views.problem_views import published_leaders, shown_boards
from leaderboard.views.saved_tables import origin_of, page_of, saved_table, tagged_table
from leaderboard.views.site import Site


@require_safe
@refuses_wrong_questions
def problems(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    """The problems of one suite after the other, as the page has them."""
    asked = problems_question(request)
    if moved := redirected_to(request, asked.canonical):
        return moved
    arrangement = asked.arrangement
    suites = problems_by_suite(site, arrangement.order)
    table = problems_table(
        [one for _, of_suite in suites for one in of_suite],
        origin=origin_of(request),
        page=page_of(request),
        shown=arrangement.shown,
    )
    return saved_table(request, table, ending, "problems")


@require_safe
def arguments(request: HttpRequest, name: str, ending: str, *, site: Site) -> HttpResponseBase:
    lines = argument_lines(_found_or_404(name, site))
    table = arguments_table(lines, page=page_of(request, "/arguments"))
    return saved_table(request, table, ending, f"{name}-arguments")


@require_safe
def devices(request: HttpRequest, name: str, ending: str, *, site: Site) -> HttpResponseBase:
    lines = device_lines(_found_or_404(name, site), site.devices)
    table = devices_table(lines, page=page_of(request, "/devices"))
    return saved_table(request, table, ending, f"{name}-devices")


@require_safe
def boards(request: HttpRequest, name: str, ending: str, *, site: Site) -> HttpResponseBase:
    """The first rows of every board of it, one board after the other."""
    _found_or_404(name, site)
    return tagged_table(
        request,
        (site.release, lambda: revision_of_problem(name)),
        lambda: cells_table(
            [PlacedRow(top.board, row) for top in shown_boards(name) for row in top.rows],
            origin=origin_of(request),
            page=page_of(request, "/boards"),
        ),
        ending,
        f"{name}-boards",
    )


@require_safe
def leaders(request: HttpRequest, name: str, ending: str, *, site: Site) -> HttpResponseBase:
    """Who leads at it by the values of publications."""
    _found_or_404(name, site)
    return tagged_table(
        request,
        (site.release, lambda: revision_of_problem(name)),
        lambda: leaders_table(
            tuple(leaders_in_order(published_leaders(name, site))),
            origin=origin_of(request),
            page=page_of(request, "/leaders"),
        ),
        ending,
        f"{name}-leaders",
    )


def _found_or_404(name: str, site: Site) -> Problem:
    found = site.problem(name)
    if found is None:
        raise Http404
    return found
