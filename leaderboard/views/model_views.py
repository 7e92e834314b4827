"""Pages of models: the best that stands under one name, and its public entries; every cell has pages of its own."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.core.verdict import Target
from leaderboard.charts.curves import curves
from leaderboard.charts.device_map import device_maps
from leaderboard.ranking import Provenance
from leaderboard.selectors import PlacedRow
from leaderboard.selectors.best_cells import CellCount, best_cells, cell_counts, over_turns
from leaderboard.selectors.cells import CellFilter, CellsOf
from leaderboard.selectors.model_head import (
    ENTRIES_A_PAGE,
    MODELS_A_PAGE,
    ModelHead,
    listed_models,
    model_entries,
    model_head,
    slug_by_alias,
)
from leaderboard.selectors.model_uploads import model_uploads
from leaderboard.standing import BoardKind
from leaderboard.templatetags.files import SavedAs, saved_as
from leaderboard.views.answers import page, redirected_to, refuses_wrong_questions
from leaderboard.views.arrangement import plain_heads
from leaderboard.views.cell_rows import CellLook
from leaderboard.views.cell_tables import cell_tables
from leaderboard.views.drawn import drawn, draws_charts
from leaderboard.views.list_question import ListQuestion, read_list
from leaderboard.views.model_columns import ENTRY_COLUMNS, MODEL_COLUMNS
from leaderboard.views.model_question import ModelQuestion, read_model_question
from leaderboard.views.site import Site

NEWEST_ENTRIES = 10


@dataclass(frozen=True, slots=True)
class Choice:
    """A word of a filter with the address that asks for it."""

    word: str
    address: str


@dataclass(frozen=True, slots=True)
class ModelCells:
    """What a model's page shows of its cells: ``provenance`` is what was asked for, or what it has."""

    provenance: Provenance
    counts: tuple[CellCount, ...]
    cells: tuple[PlacedRow, ...]


@require_safe
@refuses_wrong_questions
def models(request: HttpRequest, *, site: Site) -> HttpResponse:
    asked = models_question(request)
    if moved := redirected_to(request, asked.canonical):
        return moved
    found = listed_models(
        at=timezone.now(), start=asked.start, most=MODELS_A_PAGE, order=asked.arrangement.order
    )
    context = {
        "models": found.models,
        **_part(asked, len(found.models), found.total, most=MODELS_A_PAGE),
    }
    return page(request, "leaderboard/models.html", context)


@require_safe
@draws_charts
@refuses_wrong_questions
def model(request: HttpRequest, slug: str, *, site: Site) -> HttpResponse:
    asked = read_model_question(request.GET)
    found = model_head(slug)
    if found is None:
        if there := slug_by_alias(slug):
            return redirect("model", there)
        raise Http404
    if moved := redirected_to(request, asked.canonical):
        return moved
    shown = shown_cells(slug, asked)
    newest = model_entries(slug, at=timezone.now(), most=NEWEST_ENTRIES)
    known = site.titles
    context = {
        "model": found,
        "asked": asked,
        "provenance": shown.provenance,
        "provenances": _provenances(asked, shown.counts),
        "targets": _targets(asked, shown),
        "tables": cell_tables(shown.cells, known, CellLook.OF_MODEL),
        "maps": device_maps(shown.cells, known, turns=asked.turn_limit),
        "charts": drawn(
            curves(over_turns(CellsOf(model=slug), shown.cells), known),
            over_turns_files(saved_as("model_over_turns_export", asked.canonical, slug=slug)),
        ),
        "cells": sum(one.cells for one in shown.counts),
        "uploads": model_uploads(slug, at=timezone.now()),
        "entries": newest.entries,
        "heads": plain_heads(ENTRY_COLUMNS),
        "columns": ENTRY_COLUMNS.all_keys,
        "all_entries": newest.total,
    }
    return page(request, "leaderboard/model.html", context)


@require_safe
@refuses_wrong_questions
def entries(request: HttpRequest, slug: str, *, site: Site) -> HttpResponse:
    """Every public entry of a model, the newest first unless another order is asked for."""
    asked = entries_question(request)
    found = listed_or_404(slug)
    if moved := redirected_to(request, asked.canonical):
        return moved
    there = model_entries(
        slug,
        at=timezone.now(),
        start=asked.start,
        most=ENTRIES_A_PAGE,
        order=asked.arrangement.order,
    )
    context = {
        "model": found,
        "entries": there.entries,
        **_part(asked, len(there.entries), there.total, most=ENTRIES_A_PAGE),
    }
    return page(request, "leaderboard/model_entries.html", context)


def listed_or_404(slug: str) -> ModelHead:
    """The head of a model that has pages."""
    found = model_head(slug)
    if found is None:
        raise Http404
    return found


def models_question(request: HttpRequest) -> ListQuestion:
    """Raise WrongQuestion."""
    return read_list(request.GET, MODEL_COLUMNS, place="start")


def entries_question(request: HttpRequest) -> ListQuestion:
    """Raise WrongQuestion."""
    return read_list(request.GET, ENTRY_COLUMNS, place="start")


def _part(asked: ListQuestion, shown: int, total: int, *, most: int) -> dict[str, object]:
    """Which rows of a list a page shows, in which columns, and where the pages around it begin."""
    return {
        **asked.shown,
        "total": total,
        "start": asked.start,
        "last": asked.start + shown,
        "before": asked.before(most, total),
        "next": asked.following(most, total),
    }


def shown_cells(slug: str, asked: ModelQuestion) -> ModelCells:
    """The cells of a model's page and of its file: verified ones, unless there is none or others are asked for."""
    counts = cell_counts(slug)
    there = next((one.provenance for one in counts), Provenance.VERIFIED)
    provenance = asked.provenance or there
    wanted = CellFilter(provenance=provenance, target=asked.target)
    cells = best_cells(slug, wanted, turn_limit=asked.turn_limit) if counts else ()
    return ModelCells(provenance, counts, cells)


def over_turns_files(one: SavedAs) -> dict[str, SavedAs]:
    """Both charts over turns have one file."""
    return {f"over-turns-{kind}": one for kind in (BoardKind.CORRECTNESS, BoardKind.INSTRUCTION)}


def _provenances(asked: ModelQuestion, counts: Sequence[CellCount]) -> list[Choice]:
    there = {one.provenance for one in counts} | {asked.provenance}
    return [Choice(one, asked.other(provenance=one)) for one in Provenance if one in there]


def _targets(asked: ModelQuestion, shown: ModelCells) -> list[Choice]:
    """All of them, and each alone where there are several."""
    there = {one.target for one in shown.counts if one.provenance is shown.provenance}
    if len(there | ({asked.target} - {""})) < 2:
        return []
    return [
        Choice(one, asked.other(target=one)) for one in ("", *Target) if not one or one in there
    ]
