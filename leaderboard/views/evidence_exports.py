"""What pages of kernels, comparisons, problems and the gap chart show as CSV or JSON: the same rows."""

from collections.abc import Iterable

from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from evaluation.selectors import kernel_page
from leaderboard.charts.gaps import in_table_order
from leaderboard.exports.chart_tables import gaps_table, records_table
from leaderboard.exports.run_table import KernelRun, runs_table
from leaderboard.exports.tables import cells_table
from leaderboard.selectors import PlacedRow
from leaderboard.selectors.chart_gaps import gap_part
from leaderboard.selectors.chart_records import problem_records
from leaderboard.views.answers import found_or_404, redirected_to, refused, refuses_wrong_questions
from leaderboard.views.compare_kernels import compared_kernels
from leaderboard.views.compare_question import Compared, Comparison, read_comparison
from leaderboard.views.compare_views import compared_tables
from leaderboard.views.gap_views import gap_question
from leaderboard.views.kernel_runs import runs_in_order, runs_question
from leaderboard.views.saved_tables import origin_of, page_of, saved_table
from leaderboard.views.side_by_side import SideTable
from leaderboard.views.site import Site


@require_safe
@refuses_wrong_questions
@found_or_404
def kernel_runs(request: HttpRequest, sha256: str, ending: str, *, site: Site) -> HttpResponseBase:
    asked = runs_question(request)
    found = kernel_page(site.viewer_of(request), sha256)
    if moved := redirected_to(request, asked.canonical):
        return moved
    arrangement = asked.arrangement
    table = runs_table(
        [
            KernelRun(one, run)
            for one in found
            for run in runs_in_order(one.runs, arrangement.order)
        ],
        origin=origin_of(request),
        page=page_of(request, "/runs"),
        shown=arrangement.shown,
    )
    return saved_table(request, table, ending, f"kernel-{sha256[:12]}-runs")


@require_safe
@refuses_wrong_questions
@found_or_404
def compare(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    """The cells of models and entries as their pages have them; the runs of kernels that stand side by side."""
    asked = read_comparison(request.GET)
    if asked.kind is None:
        return refused(request, "Nothing is compared here yet: name models, entries or kernels.")
    if asked.kind is Compared.KERNEL:
        return _kernels(request, asked, ending, site)
    cells = _cells(compared_tables(request, asked, site))
    table = cells_table(cells, origin=origin_of(request), page=page_of(request))
    return saved_table(request, table, ending, f"compared-{asked.kind}")


@require_safe
def problem_records_file(
    request: HttpRequest, name: str, ending: str, *, site: Site
) -> HttpResponseBase:
    if site.problem(name) is None:
        raise Http404
    page = page_of(request, "/records")
    table = records_table(problem_records(name), origin=origin_of(request), page=page)
    return saved_table(request, table, ending, f"{name}-records")


@require_safe
@refuses_wrong_questions
def gap(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    asked = gap_question(request, site)
    if moved := redirected_to(request, asked.canonical):
        return moved
    order = asked.arrangement.order
    points = in_table_order(gap_part(asked.query).points, site.titles, order)
    table = gaps_table(points, origin=origin_of(request), page=page_of(request))
    return saved_table(request, table, ending, "gap")


def _kernels(request: HttpRequest, asked: Comparison, ending: str, site: Site) -> HttpResponseBase:
    kernels, lines = compared_kernels(request, asked, site)
    runs = [
        KernelRun(kernel, run)
        for line in lines
        for kernel, run in zip(kernels, line.runs, strict=True)
        if run is not None
    ]
    table = runs_table(runs, origin=origin_of(request), page=page_of(request))
    return saved_table(request, table, ending, "compared-kernel")


def _cells(tables: Iterable[SideTable]) -> list[PlacedRow]:
    return [
        PlacedRow(line.board, cell.row, cell.others)
        for table in tables
        for line in table.lines
        for cell in line.cells
        if cell is not None
    ]
