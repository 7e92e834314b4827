"""The page that shows two to six models, entries or kernels side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.core.verdict import RunState
from evaluation.selectors import KernelPage, NotVisible, RunRow, kernel_page
from evaluation.selectors.entry_heads import entry_heads
from leaderboard.exports.line_diff import DiffLine, TooDifferent, hunks, line_diff
from leaderboard.ranking import Provenance
from leaderboard.selectors import PlacedRow
from leaderboard.selectors.compared_cells import cells_of_entries, cells_of_models
from leaderboard.selectors.searched_models import named_models
from leaderboard.standing import STANDARD_LIMITS
from leaderboard.views.answers import found_or_404, page, refuses_wrong_questions
from leaderboard.views.compare_question import (
    MOST_COMPARED,
    Compared,
    Comparison,
    read_comparison,
)
from leaderboard.views.kernel_views import source_lines
from leaderboard.views.model_views import titles
from leaderboard.views.side_by_side import SideTable, side_by_side
from leaderboard.views.site import Site


@dataclass(frozen=True, slots=True)
class Subject:
    """What stands at the head of a column; ``without`` is the comparison of the others."""

    key: str
    name: str
    note: str
    without: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """One place where kernels were judged, with the newest run of each, None where it has none there."""

    problem: str
    problem_version: int
    target: str
    device: str
    judge: str
    runs: tuple[RunRow | None, ...]


@dataclass(frozen=True, slots=True)
class SourceDiff:
    """``why_not`` says why there are no pieces to show; both are empty where nothing differs."""

    hunks: tuple[tuple[DiffLine, ...], ...]
    why_not: str


@require_safe
@refuses_wrong_questions
@found_or_404
def compare(request: HttpRequest, *, site: Site) -> HttpResponse:
    asked = read_comparison(request.GET)
    context = {
        "asked": asked,
        "most": MOST_COMPARED,
        "limits": STANDARD_LIMITS,
        "provenances": tuple(Provenance),
    }
    readers = {Compared.MODEL: _models, Compared.ENTRY: _entries, Compared.KERNEL: _kernels}
    if asked.kind is not None:
        context |= readers[asked.kind](request, asked, site)
    return page(request, "leaderboard/compare.html", context)


def _models(request: HttpRequest, asked: Comparison, site: Site) -> dict[str, Any]:
    found = named_models(asked.keys)
    if len(found) < len(asked.keys):
        raise NotVisible
    cells = cells_of_models(asked.keys, turn_limit=asked.turn_limit, provenance=asked.provenance)
    subjects = [Subject(one.slug, one.name, one.track, _without(asked, one.slug)) for one in found]
    return {"subjects": subjects, "tables": _tables(cells, asked, site)}


def _entries(request: HttpRequest, asked: Comparison, site: Site) -> dict[str, Any]:
    heads = entry_heads(site.viewer_of(request), asked.uids, at=timezone.now())
    cells = cells_of_entries(asked.uids, turn_limit=asked.turn_limit, provenance=asked.provenance)
    subjects = [
        Subject(
            one.uid,
            one.model_name or one.proposed_model,
            " ".join(word for word in (one.harness, one.pack, one.reasoning_effort) if word),
            _without(asked, one.uid),
        )
        for one in heads
    ]
    return {"subjects": subjects, "tables": _tables(cells, asked, site)}


def compared_tables(request: HttpRequest, asked: Comparison, site: Site) -> tuple[SideTable, ...]:
    """The tables of a comparison of models or entries. Raise NotVisible."""
    reader = _models if asked.kind is Compared.MODEL else _entries
    found: tuple[SideTable, ...] = reader(request, asked, site)["tables"]
    return found


def compared_kernels(
    request: HttpRequest, asked: Comparison, site: Site
) -> tuple[list[KernelPage], list[RunLine]]:
    """Kernels, and their runs at each place in the same order. Raise NotVisible."""
    viewer = site.viewer_of(request)
    pages = [kernel_page(viewer, key)[0] for key in asked.keys]
    return pages, _runs(pages)


def _tables(cells: Sequence[PlacedRow], asked: Comparison, site: Site) -> tuple[SideTable, ...]:
    if asked.kind is Compared.MODEL:
        return side_by_side(cells, asked.keys, lambda row: row.model_slug, order=[*titles(site)])
    return side_by_side(cells, asked.keys, lambda row: row.entry_uid, order=[*titles(site)])


def _kernels(request: HttpRequest, asked: Comparison, site: Site) -> dict[str, object]:
    pages, lines = compared_kernels(request, asked, site)
    subjects = [
        Subject(one.sha256, one.sha256[:12], _authors(one), _without(asked, one.sha256))
        for one in pages
    ]
    context: dict[str, object] = {"subjects": subjects, "kernels": pages, "lines": lines}
    if len(pages) == 2:
        context["diff"] = _diff(asked.keys[0], asked.keys[1], site)
    elif pages:
        first = asked.keys[0]
        context["pairs"] = [(one, asked.of(first, one.key)) for one in subjects[1:]]
    return context


def _authors(kernel: KernelPage) -> str:
    return ", ".join(dict.fromkeys(one.author for one in kernel.places[:3]))


def _without(asked: Comparison, key: str) -> str:
    return asked.of(*(one for one in asked.keys if one != key))


def _runs(pages: Sequence[KernelPage]) -> list[RunLine]:
    """The newest run that counts of each kernel at each place; runs come newest first."""
    found: dict[tuple[str, int, str, str, str], list[RunRow | None]] = {}
    for at, kernel in enumerate(pages):
        for run in kernel.runs:
            if run.state is not RunState.FINISHED or not run.applied:
                continue
            place = (run.problem, run.problem_version, run.target, run.device, run.judge)
            there = found.setdefault(place, [None] * len(pages))
            there[at] = there[at] or run
    return [RunLine(*place, tuple(there)) for place, there in sorted(found.items())]


def _diff(old: str, new: str, site: Site) -> SourceDiff:
    before, after = source_lines(old, site), source_lines(new, site)
    if before is None or after is None:
        return SourceDiff((), "the bytes of one of them are not kept here")
    try:
        return SourceDiff(hunks(line_diff(before, after)), "")
    except TooDifferent as wrong:
        return SourceDiff((), str(wrong))
