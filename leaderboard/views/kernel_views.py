"""Pages of kernels and runs: the source, and everything that a judging of it established."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation.core.errors import ToolFailure
from evaluation.core.findings import findings_of
from evaluation.core.records import Outcome
from evaluation.core.verdict import Language, RunState
from evaluation.selectors import KernelPage, RunRow, kernel_page, run_progress
from evaluation.selectors.kernel_before import kernels_before
from evaluation.selectors.kernels import KernelPlace
from leaderboard.selectors.list_order import ListOrder
from leaderboard.views.answers import (
    found_or_404,
    page,
    redirected_to,
    refuses_wrong_questions,
)
from leaderboard.views.arrangement import plain_heads
from leaderboard.views.drawn import Drawn, draws_charts, run_charts
from leaderboard.views.kernel_runs import RUN_COLUMNS, runs_in_order, runs_question
from leaderboard.views.site import Site
from leaderboard.views.source_text import SourceText
from leaderboard.views.stage_evidence import StageEvidence, stage_evidence

SOURCE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class PlaceLine:
    """A turn that has the kernel; ``before`` is the kernel that its author had before, empty where none can be told."""

    place: KernelPlace
    before: str


@dataclass(frozen=True, slots=True)
class LanguagePart:
    """A kernel in one language with the evidence of its newest run that ended, None before one did.

    ``runs`` stand in the order that was asked for.
    """

    kernel: KernelPage
    places: tuple[PlaceLine, ...]
    runs: tuple[RunRow, ...]
    run: RunRow | None
    evidence: tuple[StageEvidence, ...]
    charts: tuple[Drawn, ...]


@require_safe
@draws_charts
@refuses_wrong_questions
@found_or_404
def kernel(request: HttpRequest, sha256: str, *, site: Site) -> HttpResponse:
    asked = runs_question(request)
    viewer = site.viewer_of(request)
    found = kernel_page(viewer, sha256)
    if moved := redirected_to(request, asked.canonical):
        return moved
    arranged = asked.arranged
    before = kernels_before(viewer, [place for one in found for place in one.places])
    order = asked.arrangement.order
    parts = [_part(one, before, order, site) for one in found]
    # A run alone has no order, and needs no form for one.
    is_arranged = bool(asked.canonical) or any(len(one.runs) > 1 for one in found)
    context = {
        "sha256": sha256,
        "size": found[0].size,
        "asked": asked,
        "arranged": arranged if is_arranged else None,
        "heads": arranged.heads if is_arranged else plain_heads(RUN_COLUMNS),
        "columns": arranged.shown,
        "insider": any(one.insider for one in found),
        "parts": parts,
        "charts": [one for part in parts for one in part.charts],
        "source": _source(sha256, found, site),
    }
    return page(request, "leaderboard/kernel.html", context)


@require_safe
@draws_charts
@found_or_404
def run(request: HttpRequest, uid: UUID, *, site: Site) -> HttpResponse:
    found = run_progress(site.viewer_of(request), uid)
    reports = tuple(one.report for one in found.reports)
    finished = found.state is RunState.FINISHED
    context = {
        "run": found,
        "findings": findings_of(Outcome(reports)) if finished else None,
        "evidence": stage_evidence(found.reports, site.artifacts()),
        "charts": run_charts(
            found.reports, site.artifacts(), site.samples, name="run", run=str(uid)
        ),
    }
    return page(request, "leaderboard/run.html", context)


def _source(sha256: str, found: Iterable[KernelPage], site: Site) -> SourceText | None:
    content = source_content(sha256, site)
    is_cuda = any(one.language is Language.CUDA for one in found)
    return None if content is None else site.sources(content, is_cuda=is_cuda)


def source_content(sha256: str, site: Site) -> bytes | None:
    """The bytes of a source; None where they are not kept here."""
    try:
        return site.artifacts().get(sha256, limit_bytes=SOURCE_BYTES)
    except ToolFailure:
        return None


def _part(
    found: KernelPage, before: Mapping[KernelPlace, str], order: ListOrder | None, site: Site
) -> LanguagePart:
    places = tuple(PlaceLine(one, _other(before.get(one, ""), found)) for one in found.places)
    runs = runs_in_order(found.runs, order)
    ended = (one for one in found.runs if one.finished_at is not None and one.reports)
    chosen = next(ended, None)
    if chosen is None:
        return LanguagePart(found, places, runs, None, (), ())
    store = site.artifacts()
    return LanguagePart(
        found,
        places,
        runs,
        chosen,
        stage_evidence(chosen.reports, store),
        run_charts(chosen.reports, store, site.samples, name=found.language, run=chosen.uid),
    )


def _other(sha256: str, than: KernelPage) -> str:
    return "" if sha256 == than.sha256 else sha256
