"""The gap chart: functional correctness against target-instruction correctness."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from evaluation.core.entry_words import Track
from evaluation.core.verdict import Language
from leaderboard.charts.gaps import gap_chart
from leaderboard.ranking import Provenance
from leaderboard.selectors.chart_gaps import gap_points
from leaderboard.views.answers import WrongQuestion, page, refused
from leaderboard.views.asked import Asked, read_question
from leaderboard.views.board_views import Tab
from leaderboard.views.drawn import drawn, draws_charts
from leaderboard.views.model_views import titles
from leaderboard.views.site import Site

_ONE_BOARD = ("version", "judge", "start")


@require_safe
@draws_charts
def gap(request: HttpRequest, *, site: Site) -> HttpResponse:
    try:
        asked = _asked(request, site)
    except WrongQuestion as wrong:
        return refused(request, str(wrong))
    if request.META["QUERY_STRING"] != asked.canonical:
        return redirect(f"{request.path}?{asked.canonical}".rstrip("?"))
    points = gap_points(
        provenance=asked.provenance,
        turn_limit=asked.turns,
        language=asked.language,
        problems=_problems(asked, site),
        track=asked.track,
    )
    context = {
        "asked": asked,
        "turns": asked.turns,
        "charts": drawn([gap_chart(points, titles(site), turn_limit=asked.turns)]),
        "provenances": [
            Tab(one, asked.other(provenance="" if one is Provenance.VERIFIED else one))
            for one in Provenance
        ],
        "choices": {
            "problems": site.problems,
            "languages": tuple(Language),
            "tracks": tuple(Track),
        },
    }
    return page(request, "leaderboard/gap.html", context)


def _asked(request: HttpRequest, site: Site) -> Asked:
    """Read the filters that a board has and the chart too. Raise WrongQuestion for the others."""
    for name in _ONE_BOARD:
        if name in request.GET:
            raise WrongQuestion(
                f"The filter “{name}” is of one board; the gap chart shows the newest."
            )
    problems = {one.name: one.suite for one in site.problems}
    return read_question(request.GET, problems=problems, suites=site.suites, is_speed=False)


def _problems(asked: Asked, site: Site) -> tuple[str, ...]:
    if asked.problem:
        return (asked.problem,)
    return tuple(one.name for one in site.problems if one.suite == asked.suite)
