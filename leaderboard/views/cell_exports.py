"""What pages of models, entries and trajectories show as CSV or JSON: the same rows for the same viewer."""

from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.selectors import entry_page, trajectory_page
from evaluation.selectors.entries import seen_head
from leaderboard.exports.tables import cells_table, entries_table, models_table, turns_table
from leaderboard.selectors import entry_cells as cells_of_entry
from leaderboard.selectors.cells import CellsOf, cell_page
from leaderboard.selectors.model_head import (
    ENTRIES_A_PAGE,
    MODELS_A_PAGE,
    listed_models,
)
from leaderboard.selectors.model_head import model_entries as entries_of_model
from leaderboard.views.answers import found_or_404, redirected_to, refuses_wrong_questions
from leaderboard.views.asked import read_first
from leaderboard.views.cell_tables import CellTable, cell_tables
from leaderboard.views.cell_views import asked_of_cells
from leaderboard.views.model_question import read_model_question
from leaderboard.views.model_views import (
    entries_question,
    listed_or_404,
    models_question,
    shown_cells,
)
from leaderboard.views.saved_tables import origin_of, page_of, saved_table
from leaderboard.views.site import Site


@require_safe
@refuses_wrong_questions
def models(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    asked = models_question(request)
    if moved := redirected_to(request, asked.canonical):
        return moved
    arrangement = asked.arrangement
    found = listed_models(
        at=timezone.now(), start=asked.start, most=MODELS_A_PAGE, order=arrangement.order
    )
    table = models_table(
        found.models, origin=origin_of(request), page=page_of(request), shown=arrangement.shown
    )
    return saved_table(request, table, ending, "models")


@require_safe
@refuses_wrong_questions
def model(request: HttpRequest, slug: str, ending: str, *, site: Site) -> HttpResponseBase:
    """The best cells of a model, one table after the other as its page has them."""
    asked = read_model_question(request.GET)
    listed_or_404(slug)
    tables = cell_tables(shown_cells(slug, asked).cells, site.titles)
    return _saved_cells(request, tables, ending, f"model-{slug}")


@require_safe
@refuses_wrong_questions
def model_entries(request: HttpRequest, slug: str, ending: str, *, site: Site) -> HttpResponseBase:
    asked = entries_question(request)
    listed_or_404(slug)
    if moved := redirected_to(request, asked.canonical):
        return moved
    arrangement = asked.arrangement
    found = entries_of_model(
        slug,
        at=timezone.now(),
        start=asked.start,
        most=ENTRIES_A_PAGE,
        order=arrangement.order,
    )
    table = entries_table(
        found.entries, origin=origin_of(request), page=page_of(request), shown=arrangement.shown
    )
    return saved_table(request, table, ending, f"model-{slug}-entries")


@require_safe
def model_cells(request: HttpRequest, slug: str, ending: str, *, site: Site) -> HttpResponseBase:
    listed_or_404(slug)
    return _every_cell(request, CellsOf(model=slug), ending, f"model-{slug}-cells", site)


@require_safe
@found_or_404
def entry(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    """The cells of an entry as its page has them."""
    seen_head(site.viewer_of(request), uid)
    tables = cell_tables(cells_of_entry(uid), site.titles)
    return _saved_cells(request, tables, ending, f"entry-{uid}")


@require_safe
@found_or_404
def entry_cells(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    seen_head(site.viewer_of(request), uid)
    return _every_cell(request, CellsOf(entry=uid), ending, f"entry-{uid}-cells", site)


@require_safe
@refuses_wrong_questions
@found_or_404
def entry_turns(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    """The turns of those trajectories of an entry that its page shows."""
    first = read_first(request.GET)
    found = entry_page(site.viewer_of(request), uid, first=first)
    page = page_of(request, "/turns")
    table = turns_table(found.trajectories, origin=origin_of(request), page=page)
    return saved_table(request, table, ending, f"entry-{uid}-turns")


@require_safe
@found_or_404
def trajectory(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    found = trajectory_page(site.viewer_of(request), uid)
    table = turns_table([found.trajectory], origin=origin_of(request), page=page_of(request))
    return saved_table(request, table, ending, f"trajectory-{uid}")


def _saved_cells(
    request: HttpRequest, tables: tuple[CellTable, ...], ending: str, name: str
) -> HttpResponseBase:
    cells = [cell for one in tables for cell in one.cells]
    table = cells_table(cells, origin=origin_of(request), page=page_of(request))
    return saved_table(request, table, ending, name)


@refuses_wrong_questions
def _every_cell(
    request: HttpRequest, whose: CellsOf, ending: str, name: str, site: Site
) -> HttpResponseBase:
    asked = asked_of_cells(request, site)
    if moved := redirected_to(request, asked.canonical):
        return moved
    arrangement = asked.arrangement
    found = cell_page(whose, asked.asked, start=asked.start, order=arrangement.order)
    table = cells_table(
        found.cells, origin=origin_of(request), page=page_of(request), shown=arrangement.shown
    )
    return saved_table(request, table, ending, name)
