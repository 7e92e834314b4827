"""What charts of boards, entries and runs show as CSV or JSON: their tables, for the same question and viewer."""

from uuid import UUID

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from evaluation.core.records import StageReport
from evaluation.core.verdict import Target
from evaluation.selectors import run_progress
from evaluation.selectors.entries import seen_head
from evaluation.selectors.timed_turns import timed_turns
from leaderboard.charts.curves import curve_cells
from leaderboard.charts.fast import fast_curves
from leaderboard.charts.turns import drawn_turns
from leaderboard.selectors import NoBoard, board_page, entry_cells
from leaderboard.selectors.best_cells import over_turns
from leaderboard.selectors.board_order import TooManyRows
from leaderboard.selectors.cells import CellsOf
from leaderboard.selectors.revisions import target_of_device
from leaderboard.standing import BoardKind
from leaderboard.views.answers import found_or_404, redirected_to, refused, refuses_wrong_questions
from leaderboard.views.board_views import asked_of, query_of
from leaderboard.views.chart_files import fast_table, over_turns_table, timed_turns_table
from leaderboard.views.drawn import run_samples
from leaderboard.views.instead import no_board
from leaderboard.views.run_tables import clocks_table, opcodes_table, times_table
from leaderboard.views.saved_tables import origin_of, page_of, saved_table
from leaderboard.views.site import Site


@require_safe
@refuses_wrong_questions
def board_fast(request: HttpRequest, place: str, ending: str, *, site: Site) -> HttpResponseBase:
    """The curves of Fast_p of a board of speed; ``place`` is its device."""
    target = site.target_of(place) or target_of_device(place)
    if target is None:
        return no_board(request, BoardKind.SPEED, place, site)
    return _board_fast(request, target, place, ending, site)


def _board_fast(
    request: HttpRequest, target: Target, device: str, ending: str, site: Site
) -> HttpResponseBase:
    asked = asked_of(request, BoardKind.SPEED, target, site)
    if moved := redirected_to(request, asked.canonical):
        return moved
    try:
        rows = board_page(query_of(BoardKind.SPEED, target, device, asked), start=asked.start).rows
    except NoBoard:
        rows = ()
    except TooManyRows as wrong:
        return refused(request, str(wrong))
    curves = fast_curves(rows, p=asked.factor)
    table = fast_table(curves, origin=origin_of(request), page=page_of(request, "/fast"))
    return saved_table(request, table, ending, f"speed-{device}-fast")


@require_safe
@found_or_404
def entry_over_turns(
    request: HttpRequest, uid: UUID, ending: str, *, site: Site
) -> HttpResponseBase:
    seen_head(site.viewer_of(request), uid)
    found = over_turns(CellsOf(entry=uid), entry_cells(uid))
    page = page_of(request, "/over-turns")
    table = over_turns_table(curve_cells(found, site.titles), origin=origin_of(request), page=page)
    return saved_table(request, table, ending, f"entry-{uid}-over-turns")


@require_safe
@found_or_404
def entry_timed_turns(
    request: HttpRequest, uid: UUID, ending: str, *, site: Site
) -> HttpResponseBase:
    viewer = site.viewer_of(request)
    seen_head(viewer, uid)
    turns = drawn_turns(timed_turns(viewer, uid))
    page = page_of(request, "/timed-turns")
    table = timed_turns_table(turns, origin=origin_of(request), page=page)
    return saved_table(request, table, ending, f"entry-{uid}-timed-turns")


@require_safe
@found_or_404
def run_times(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    seen = run_samples(_reports(request, uid, site), site.artifacts(), site.samples)
    table = times_table(seen, page=page_of(request, "/times"))
    return saved_table(request, table, ending, f"run-{uid}-times")


@require_safe
@found_or_404
def run_clocks(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    seen = run_samples(_reports(request, uid, site), site.artifacts(), site.samples)
    table = clocks_table(seen, page=page_of(request, "/clocks"))
    return saved_table(request, table, ending, f"run-{uid}-clocks")


@require_safe
@found_or_404
def run_opcodes(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    table = opcodes_table(_reports(request, uid, site), page=page_of(request, "/opcodes"))
    return saved_table(request, table, ending, f"run-{uid}-opcodes")


def _reports(request: HttpRequest, uid: UUID, site: Site) -> list[StageReport]:
    """Those of a run. Raise NotVisible."""
    return [one.report for one in run_progress(site.viewer_of(request), uid).reports]
