"""Pages of models: everything that stands under one name, and its public entries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from leaderboard.charts.curves import curves
from leaderboard.charts.device_map import device_maps
from leaderboard.ranking import Provenance
from leaderboard.selectors import PlacedRow, model_cells
from leaderboard.selectors.model_head import listed_models, model_head, slug_by_alias
from leaderboard.selectors.model_uploads import model_uploads
from leaderboard.standing import BoardKind
from leaderboard.views.answers import page
from leaderboard.views.drawn import drawn, draws_charts
from leaderboard.views.site import Site


@dataclass(frozen=True, slots=True)
class CellTable:
    """The cells of one kind of board and one provenance, in the order of targets, places and turn limits."""

    kind: BoardKind
    provenance: Provenance
    cells: tuple[PlacedRow, ...]


@require_safe
def models(request: HttpRequest, *, site: Site) -> HttpResponse:
    found = listed_models(at=timezone.now())
    return page(request, "leaderboard/models.html", {"models": found})


@require_safe
@draws_charts
def model(request: HttpRequest, slug: str, *, site: Site) -> HttpResponse:
    found = model_head(slug, at=timezone.now())
    if found is None:
        if there := slug_by_alias(slug, at=timezone.now()):
            return redirect("model", there)
        raise Http404
    cells = model_cells(slug)
    context = {
        "model": found,
        "tables": cell_tables(cells, titles(site)),
        "maps": device_maps(cells, titles(site)),
        "charts": drawn(curves(cells, titles(site))),
        "uploads": model_uploads(slug, at=timezone.now()),
    }
    return page(request, "leaderboard/model.html", context)


def titles(site: Site) -> dict[str, str]:
    return {one.name: one.title for one in site.problems}


def cell_tables(cells: Iterable[PlacedRow], known: Mapping[str, str]) -> tuple[CellTable, ...]:
    """Cells apart by finding and provenance. At each place only the largest turn limit up to what was declared."""
    kept: dict[tuple[str, str, str, str], PlacedRow] = {}
    for one in cells:
        key = (one.board.slug, one.row.provenance, one.row.subject, one.row.reported_device)
        if key not in kept or one.row.turn_limit > kept[key].row.turn_limit:
            kept[key] = one
    order = {name: number for number, name in enumerate(known)}
    return tuple(
        CellTable(kind, provenance, there)
        for provenance in Provenance
        for kind in BoardKind
        if (there := _of(kept.values(), kind, provenance, order))
    )


def _of(
    cells: Iterable[PlacedRow], kind: BoardKind, provenance: Provenance, order: Mapping[str, int]
) -> tuple[PlacedRow, ...]:
    there = (one for one in cells if one.board.kind is kind and one.row.provenance is provenance)
    return tuple(
        sorted(
            there,
            key=lambda one: (
                one.board.target,
                one.board.device,
                not one.board.suite,
                order.get(one.board.problem, len(order)),
                one.row.subject,
            ),
        )
    )
