"""Pages of kernels and runs: the source, and everything that a judging of it established."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation.core.errors import ToolFailure
from evaluation.core.findings import findings_of
from evaluation.core.records import Outcome
from evaluation.core.verdict import RunState
from evaluation.selectors import KernelPage, RunRow, kernel_page, run_progress
from leaderboard.views.answers import found_or_404, page
from leaderboard.views.drawn import Drawn, draws_charts, run_charts
from leaderboard.views.site import Site
from leaderboard.views.stage_evidence import StageEvidence, stage_evidence

SOURCE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class LanguagePart:
    """A kernel in one language with the evidence of its newest run that ended, None before one did."""

    kernel: KernelPage
    run: RunRow | None
    evidence: tuple[StageEvidence, ...]
    charts: tuple[Drawn, ...]


@require_safe
@draws_charts
@found_or_404
def kernel(request: HttpRequest, sha256: str, *, site: Site) -> HttpResponse:
    found = kernel_page(site.viewer_of(request), sha256)
    parts = [_part(one, site) for one in found]
    context = {
        "sha256": sha256,
        "size": found[0].size,
        "insider": any(one.insider for one in found),
        "parts": parts,
        "charts": [one for part in parts for one in part.charts],
        "lines": source_lines(sha256, site),
        "anchors": "",
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
        "charts": run_charts(found.reports, site.artifacts(), site.samples, name="run"),
    }
    return page(request, "leaderboard/run.html", context)


def source_lines(sha256: str, site: Site) -> list[str] | None:
    """The lines of a source; None where its bytes are not kept here."""
    try:
        content = site.artifacts().get(sha256, limit_bytes=SOURCE_BYTES)
    except ToolFailure:
        return None
    # Lines as a compiler counts them: other characters that Python takes for line ends are none there.
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    return text.removesuffix("\n").split("\n")


def _part(found: KernelPage, site: Site) -> LanguagePart:
    ended = (one for one in found.runs if one.finished_at is not None and one.reports)
    chosen = next(ended, None)
    if chosen is None:
        return LanguagePart(found, None, (), ())
    store = site.artifacts()
    return LanguagePart(
        found,
        chosen,
        stage_evidence(chosen.reports, store),
        run_charts(chosen.reports, store, site.samples, name=found.language),
    )
