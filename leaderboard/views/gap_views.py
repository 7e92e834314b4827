"""The gap chart: functional correctness against target-instruction correctness."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation.core.entry_words import Track
from evaluation.core.verdict import Language, Target
from leaderboard.charts.gaps import gap_chart
from leaderboard.ranking import Provenance
from leaderboard.selectors.chart_gaps import gap_part
from leaderboard.selectors.revisions import revision_of_all
from leaderboard.views.answers import (
    page,
    redirected_to,
    refuses_wrong_questions,
    text_etag,
)
from leaderboard.views.arrangement import heads
from leaderboard.views.board_views import Tab
from leaderboard.views.drawn import drawn, draws_charts
from leaderboard.views.gap_question import GapQuestion, read_gap_question
from leaderboard.views.site import Site


@require_safe
@draws_charts
@refuses_wrong_questions
def gap(request: HttpRequest, *, site: Site) -> HttpResponse:
    asked = gap_question(request, site)
    if moved := redirected_to(request, asked.canonical):
        return moved

    def tag() -> str:
        return text_etag(site.release, request.path, asked.canonical, revision_of_all())

    return site.kept.answer(request, tag, lambda etag: _drawn(request, asked, etag, site))


def _drawn(request: HttpRequest, asked: GapQuestion, etag: str, site: Site) -> HttpResponse:
    query = asked.query
    found = gap_part(query)
    arrangement = asked.arrangement
    chart = gap_chart(
        found.points, site.titles, turn_limit=query.turn_limit, order=arrangement.order
    )
    before = min(query.part - 1, found.parts)
    context = {
        "asked": asked,
        "query": query,
        "found": found,
        "charts": drawn([chart]),
        "chart_heads": heads(arrangement, asked.in_part),
        "is_sorted": bool(arrangement.sort),
        "before": asked.other(part="" if before == 1 else str(before)) if before else "",
        "next": asked.other(part=str(query.part + 1)) if query.part < found.parts else "",
        "provenances": [
            Tab(one, asked.other(provenance="" if one is Provenance.VERIFIED else one))
            for one in Provenance
        ],
        "choices": {
            "problems": site.problems,
            "languages": tuple(Language),
            "tracks": tuple(Track),
            "targets": tuple(Target),
        },
    }
    # Parts behind the last one need no place among the pages that are kept.
    return page(request, "leaderboard/gap.html", context, etag=etag if found.points else "")


def gap_question(request: HttpRequest, site: Site) -> GapQuestion:
    """What the address asks of the gap chart. Raise WrongQuestion."""
    problems = {one.name: one.suite for one in site.problems}
    return read_gap_question(request.GET, problems=problems, suites=site.suites)
