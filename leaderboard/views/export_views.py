"""What a page shows as CSV or JSON: the same question, the same rows, for the same viewer."""

import hashlib
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.core.verdict import Target
from evaluation.selectors import entry_page, trajectory_page
from leaderboard.exports.table import KINDS, Row, Table
from leaderboard.exports.tables import (
    board_table,
    cells_table,
    empty_board_table,
    entries_table,
    models_table,
    turns_table,
)
from leaderboard.selectors import BoardQuery, NoBoard, board_page, entry_cells, model_cells
from leaderboard.selectors.model_head import listed_models, model_head
from leaderboard.selectors.revisions import revision_of_place, target_of_device
from leaderboard.standing import BoardKind
from leaderboard.views.answers import (
    WrongQuestion,
    cached,
    found_or_404,
    is_anonymous,
    not_modified,
    personal,
    refused,
    text_etag,
)
from leaderboard.views.asked import Asked, read_first
from leaderboard.views.board_views import asked_of, nearest_limit, query_of
from leaderboard.views.model_views import cell_tables, titles
from leaderboard.views.site import Site


@require_safe
def board(
    request: HttpRequest, kind: str, place: str, ending: str, *, site: Site
) -> HttpResponseBase:
    """``place`` is a device on boards of speed, and a target on the others."""
    word = BoardKind(kind)
    device = place if word is BoardKind.SPEED else ""
    target = _target(word, place, site)
    if target is None:
        return refused(request, f"There is no {kind} board of “{place}”.", status=404)
    try:
        asked = asked_of(request, word, target, site)
    except WrongQuestion as wrong:
        return refused(request, str(wrong))
    if request.META["QUERY_STRING"] != asked.canonical:
        return redirect(f"{request.path}?{asked.canonical}".rstrip("?"))
    query = query_of(word, target, device, asked)
    return _board(request, query, asked, ending, site)


def _board(
    request: HttpRequest, query: BoardQuery, asked: Asked, ending: str, site: Site
) -> HttpResponseBase:
    revision = revision_of_place(query.target, asked.problem, asked.suite)
    etag = text_etag(site.release, request.get_host(), request.path, asked.canonical, revision)
    if unchanged := not_modified(request, etag):
        return unchanged
    try:
        found = board_page(query, start=asked.start)
    except NoBoard:
        return _saved(request, empty_board_table(page=_page(request)), ending, "board")
    if not found.rows and asked.turn_limit is None and (limit := nearest_limit(found)):
        return redirect(f"{request.path}{asked.other(T=str(limit))}")
    factor = asked.factor if query.kind is BoardKind.SPEED else None
    table = board_table(
        found, factor=factor, origin=_origin(request), page=_page(request), start=asked.start
    )
    return _saved(request, table, ending, found.head.slug, etag=etag)


@require_safe
def models(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    found = listed_models(at=timezone.now())
    table = models_table(found, origin=_origin(request), page=_page(request))
    return _saved(request, table, ending, "models")


@require_safe
def model(request: HttpRequest, slug: str, ending: str, *, site: Site) -> HttpResponseBase:
    """The cells of a model, one table after the other as its page has them."""
    if model_head(slug, at=timezone.now()) is None:
        raise Http404
    tables = cell_tables(model_cells(slug), titles(site))
    cells = [cell for one in tables for cell in one.cells]
    table = cells_table(cells, origin=_origin(request), page=_page(request))
    return _saved(request, table, ending, f"model-{slug}")


@require_safe
def model_entries(request: HttpRequest, slug: str, ending: str, *, site: Site) -> HttpResponseBase:
    found = model_head(slug, at=timezone.now())
    if found is None:
        raise Http404
    page = _page(request, "/entries")
    table = entries_table(found.entries, origin=_origin(request), page=page)
    return _saved(request, table, ending, f"model-{slug}-entries")


@require_safe
@found_or_404
def entry(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    """The cells of an entry."""
    entry_page(site.viewer_of(request), uid)
    tables = cell_tables(entry_cells(uid), titles(site))
    cells = [cell for one in tables for cell in one.cells]
    table = cells_table(cells, origin=_origin(request), page=_page(request))
    return _saved(request, table, ending, f"entry-{uid}")


@require_safe
@found_or_404
def entry_turns(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    """The turns of those trajectories of an entry that its page shows."""
    try:
        first = read_first(request.GET)
    except WrongQuestion as wrong:
        return refused(request, str(wrong))
    found = entry_page(site.viewer_of(request), uid, first=first)
    page = _page(request, "/turns")
    table = turns_table(found.trajectories, origin=_origin(request), page=page)
    return _saved(request, table, ending, f"entry-{uid}-turns")


@require_safe
@found_or_404
def trajectory(request: HttpRequest, uid: UUID, ending: str, *, site: Site) -> HttpResponseBase:
    found = trajectory_page(site.viewer_of(request), uid)
    table = turns_table([found.trajectory], origin=_origin(request), page=_page(request))
    return _saved(request, table, ending, f"trajectory-{uid}")


def _target(kind: BoardKind, place: str, site: Site) -> Target | None:
    if kind is BoardKind.SPEED:
        return site.target_of(place) or target_of_device(place)
    return Target(place) if place in tuple(Target) else None


def _origin(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").removesuffix("/")


def _page(request: HttpRequest, tail: str = "") -> str:
    """The address of the page that shows the same."""
    path = request.path.rpartition(".")[0].removesuffix(tail)
    query = request.META["QUERY_STRING"]
    return f"{_origin(request)}{path}/" + (f"?{query}" if query else "")


def _saved(
    request: HttpRequest, table: Table[Row], ending: str, name: str, *, etag: str = ""
) -> HttpResponseBase:
    """As a file to save. It may be cached as its page may; without an ``etag`` the content makes one."""
    headers = {
        "Content-Type": KINDS[ending],
        "Content-Disposition": f'attachment; filename="{name}.{ending}"',
    }
    if not is_anonymous(request):
        return personal(StreamingHttpResponse(table.pieces(ending), headers=headers))
    if etag:
        return cached(StreamingHttpResponse(table.pieces(ending), headers=headers), etag)
    content = b"".join(table.pieces(ending))
    etag = hashlib.sha256(content).hexdigest()[:32]
    return not_modified(request, etag) or cached(HttpResponse(content, headers=headers), etag)
