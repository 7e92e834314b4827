"""The page that shows two to six models, entries or kernels side by side."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.selectors.entry_heads import seen_heads
from leaderboard.ranking import Provenance
from leaderboard.selectors import PlacedRow
from leaderboard.selectors.comparable import slug_of_name
from leaderboard.selectors.compared_cells import cells_of_entries, cells_of_models
from leaderboard.selectors.searched_models import named_models
from leaderboard.standing import STANDARD_LIMITS
from leaderboard.templatetags.figures import shown
from leaderboard.views.answers import page, refuses_wrong_questions
from leaderboard.views.compare_choices import choices, nearest
from leaderboard.views.compare_kernels import kernels_context, problems_of
from leaderboard.views.compare_question import (
    LONGEST_WORD,
    MOST_COMPARED,
    Compared,
    Comparison,
    WrongWord,
    read_comparison,
)
from leaderboard.views.compared import NotCompared, Subject, without
from leaderboard.views.side_by_side import SideTable, side_by_side
from leaderboard.views.site import Site


@require_safe
@refuses_wrong_questions
def compare(request: HttpRequest, *, site: Site) -> HttpResponse:
    try:
        asked = read_comparison(request.GET, host=request.get_host())
    except WrongWord as wrong:
        others = _seen(request, wrong.others, site)
        return _by_slugs(wrong.asked, others) or _wrong(
            request, wrong.word, others, site, str(wrong)
        )
    if asked.pasted:
        return redirect(reverse("compare") + asked.of(*asked.keys))
    context = _form(asked)
    readers = {Compared.MODEL: _models, Compared.ENTRY: _entries, Compared.KERNEL: kernels_context}
    if asked.kind is not None:
        try:
            context |= readers[asked.kind](request, asked, site)
        except NotCompared as wrong:
            return _by_slugs(asked, wrong.others) or _wrong(request, wrong.key, wrong.others, site)
    problems = problems_of(context.get("kernels", ()))
    context["choices"] = choices(asked, problems=problems)
    return page(request, "leaderboard/compare.html", context)


def compared_tables(request: HttpRequest, asked: Comparison, site: Site) -> tuple[SideTable, ...]:
    """The tables of a comparison of models or entries. Raise NotVisible."""
    reader = _models if asked.kind is Compared.MODEL else _entries
    found: tuple[SideTable, ...] = reader(request, asked, site)["tables"]
    return found


def _models(request: HttpRequest, asked: Comparison, site: Site) -> dict[str, Any]:
    found = named_models(asked.keys)
    _all_there(asked, [one.slug for one in found])
    cells = cells_of_models(asked.keys, turn_limit=asked.turn_limit, provenance=asked.provenance)
    subjects = [Subject(one.slug, one.name, one.track, without(asked, one.slug)) for one in found]
    return {"subjects": subjects, "tables": _tables(cells, asked, site)}


def _entries(request: HttpRequest, asked: Comparison, site: Site) -> dict[str, Any]:
    heads = seen_heads(site.viewer_of(request), asked.uids, at=timezone.now())
    _all_there(asked, [one.uid for one in heads])
    cells = cells_of_entries(asked.uids, turn_limit=asked.turn_limit, provenance=asked.provenance)
    subjects = [
        Subject(
            one.uid,
            one.model_name or one.proposed_model,
            " ".join(word for word in (one.harness, one.pack, one.reasoning_effort) if word),
            without(asked, one.uid),
        )
        for one in heads
    ]
    return {"subjects": subjects, "tables": _tables(cells, asked, site)}


def _all_there(asked: Comparison, found: Sequence[str]) -> None:
    for key in asked.keys:
        if key not in found:
            raise NotCompared(key, replace(asked, keys=tuple(found)))


def _tables(cells: Sequence[PlacedRow], asked: Comparison, site: Site) -> tuple[SideTable, ...]:
    if asked.kind is Compared.MODEL:
        return side_by_side(cells, asked.keys, lambda row: row.model_slug, order=[*site.titles])
    return side_by_side(cells, asked.keys, lambda row: row.entry_uid, order=[*site.titles])


def _form(asked: Comparison) -> dict[str, Any]:
    return {
        "asked": asked,
        "most": MOST_COMPARED,
        "longest": LONGEST_WORD,
        "limits": STANDARD_LIMITS,
        "provenances": tuple(Provenance),
    }


def _seen(request: HttpRequest, others: Comparison, site: Site) -> Comparison:
    """Without entries that the visitor may not see: what is offered beside an entry tells what it is about."""
    if others.kind is not Compared.ENTRY or not others.keys:
        return others
    heads = seen_heads(site.viewer_of(request), others.uids, at=timezone.now())
    return replace(others, keys=tuple(one.uid for one in heads))


def _by_slugs(asked: Comparison, others: Comparison) -> HttpResponse | None:
    """Lead on where words that are not in ``others`` name one model each, a query a word; all keep their places."""
    if asked.kind is not Compared.MODEL:
        return None
    slugs = tuple(one if one in others.keys else slug_of_name(one) or one for one in asked.keys)
    return redirect(reverse("compare") + asked.of(*slugs)) if slugs != asked.keys else None


def _wrong(
    request: HttpRequest, word: str, others: Comparison, site: Site, sentence: str = ""
) -> HttpResponse:
    """Say what is wrong with a word and what was near.

    Without a ``sentence`` the word is one that might be there, and is not for this visitor.
    """
    offered = choices(others)
    context = _form(others) | {
        "wrong": sentence or _not_there(others.kind, word),
        "near": nearest(request, word, others, offered, site),
        "choices": offered,
    }
    return page(request, "leaderboard/compare.html", context, status=400 if sentence else 404)


def _not_there(kind: Compared | None, word: str) -> str:
    if kind is Compared.MODEL:
        return f"There is no model “{shown(word, 80)}”."
    return f"There is no {kind} “{shown(word, 80)}”, or it is not public."
