"""Every cell of a model or of an entry, some at a time: what their own pages have no room for."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.core.verdict import Target
from evaluation.selectors.entries import seen_head
from leaderboard.ranking import Provenance
from leaderboard.selectors.cells import CELLS_A_PAGE, CellsOf, cell_page
from leaderboard.standing import BoardKind
from leaderboard.templatetags.files import SavedAs, saved_as
from leaderboard.views.answers import (
    found_or_404,
    page,
    redirected_to,
    refuses_wrong_questions,
)
from leaderboard.views.arrangement import arranged
from leaderboard.views.cell_tables import as_arranged
from leaderboard.views.list_question import start_before
from leaderboard.views.model_question import CellQuestion, read_cell_question
from leaderboard.views.model_views import listed_or_404
from leaderboard.views.site import Site


@require_safe
def model_cells(request: HttpRequest, slug: str, *, site: Site) -> HttpResponse:
    found = listed_or_404(slug)
    context = {"name": found.name, "of_model": True, "whose": reverse("model", args=[slug])}
    files = partial(saved_as, "model_cells_export", slug=slug)
    return _cells(request, CellsOf(model=slug), context, files, site)


@require_safe
@found_or_404
def entry_cells(request: HttpRequest, uid: UUID, *, site: Site) -> HttpResponse:
    head = seen_head(site.viewer_of(request), uid)
    context = {
        "name": head.model_name or head.proposed_model,
        "of_model": False,
        "whose": reverse("entry", args=[uid]),
    }
    files = partial(saved_as, "entry_cells_export", uid=uid)
    return _cells(request, CellsOf(entry=uid), context, files, site)


def asked_of_cells(request: HttpRequest, site: Site) -> CellQuestion:
    """Raise WrongQuestion."""
    return read_cell_question(request.GET, problems=[one.name for one in site.problems])


@refuses_wrong_questions
def _cells(
    request: HttpRequest,
    whose: CellsOf,
    context: dict[str, object],
    files: Callable[[str], SavedAs],
    site: Site,
) -> HttpResponse:
    """``files`` gives those of a query."""
    asked = asked_of_cells(request, site)
    if moved := redirected_to(request, asked.canonical):
        return moved
    found = cell_page(whose, asked.asked, start=asked.start, order=asked.arrangement.order)
    last = asked.start + len(found.cells)
    before = start_before(asked.start, CELLS_A_PAGE, found.total)
    context |= {
        "asked": asked,
        "arranged": arranged(asked.arrangement, asked.other),
        "tables": as_arranged(found.cells, asked.arrangement, asked.other),
        "total": found.total,
        "last": last,
        "before": asked.other(start=str(before or "")) if asked.start else "",
        "next": asked.other(start=str(last)) if found.cells and last < found.total else "",
        "files": files(asked.canonical),
        "choices": {
            "provenances": tuple(Provenance),
            "kinds": tuple(BoardKind),
            "targets": tuple(Target),
            "problems": site.problems,
        },
    }
    return page(request, "leaderboard/cells.html", context)
