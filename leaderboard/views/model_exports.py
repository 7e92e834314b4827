"""What a model's page shows beside its cells as CSV or JSON: its charts, and its newest entries."""

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.charts.curves import curve_cells
from leaderboard.charts.device_map import device_maps
from leaderboard.exports.tables import entries_table
from leaderboard.selectors.best_cells import over_turns
from leaderboard.selectors.cells import CellsOf
from leaderboard.selectors.model_head import model_entries
from leaderboard.views.answers import refuses_wrong_questions
from leaderboard.views.chart_files import maps_table, over_turns_table
from leaderboard.views.model_question import read_model_question
from leaderboard.views.model_views import NEWEST_ENTRIES, listed_or_404, shown_cells
from leaderboard.views.saved_tables import origin_of, page_of, saved_table
from leaderboard.views.site import Site


@require_safe
def model_newest(request: HttpRequest, slug: str, ending: str, *, site: Site) -> HttpResponseBase:
    """The newest entries alone; all of them are another page."""
    listed_or_404(slug)
    found = model_entries(slug, at=timezone.now(), most=NEWEST_ENTRIES)
    page = page_of(request, "/newest")
    table = entries_table(found.entries, origin=origin_of(request), page=page)
    return saved_table(request, table, ending, f"model-{slug}-newest")


@require_safe
@refuses_wrong_questions
def model_over_turns(
    request: HttpRequest, slug: str, ending: str, *, site: Site
) -> HttpResponseBase:
    asked = read_model_question(request.GET)
    listed_or_404(slug)
    found = over_turns(CellsOf(model=slug), shown_cells(slug, asked).cells)
    page = page_of(request, "/over-turns")
    table = over_turns_table(curve_cells(found, site.titles), origin=origin_of(request), page=page)
    return saved_table(request, table, ending, f"model-{slug}-over-turns")


@require_safe
@refuses_wrong_questions
def model_map(request: HttpRequest, slug: str, ending: str, *, site: Site) -> HttpResponseBase:
    asked = read_model_question(request.GET)
    listed_or_404(slug)
    maps = device_maps(shown_cells(slug, asked).cells, site.titles, turns=asked.turn_limit)
    table = maps_table(maps, origin=origin_of(request), page=page_of(request, "/map"))
    return saved_table(request, table, ending, f"model-{slug}-map")
