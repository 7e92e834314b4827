"""What a page of a board shows as CSV or JSON: the same question, the same rows."""

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from evaluation.core.verdict import Target
from leaderboard.exports.tables import board_table, empty_board_table
from leaderboard.selectors import BoardQuery, NoBoard, board_page
from leaderboard.selectors.board_order import TooManyRows
from leaderboard.selectors.revisions import revision_of_place, target_of_device
from leaderboard.standing import BoardKind
from leaderboard.views.answers import (
    not_modified,
    redirected_to,
    refused,
    refuses_wrong_questions,
    text_etag,
)
from leaderboard.views.asked import Asked
from leaderboard.views.board_arrangement import arrangement_of
from leaderboard.views.board_views import asked_of, nearest_limit, query_of
from leaderboard.views.instead import no_board
from leaderboard.views.saved_tables import origin_of, page_of, saved_table
from leaderboard.views.site import Site


@require_safe
@refuses_wrong_questions
def board(
    request: HttpRequest, kind: str, place: str, ending: str, *, site: Site
) -> HttpResponseBase:
    """``place`` is a device on boards of speed, and a target on the others."""
    word = BoardKind(kind)
    device = place if word is BoardKind.SPEED else ""
    target = _target(word, place, site)
    if target is None:
        return no_board(request, word, place, site)
    asked = asked_of(request, word, target, site)
    if moved := redirected_to(request, asked.canonical):
        return moved
    query = query_of(word, target, device, asked)
    return _board(request, query, asked, ending, site)


def _board(
    request: HttpRequest, query: BoardQuery, asked: Asked, ending: str, site: Site
) -> HttpResponseBase:
    def tag() -> str:
        revision = revision_of_place(query.target, asked.problem, asked.suite)
        host = request.get_host()
        return text_etag(site.release, host, request.path, asked.canonical, revision)

    etag = tag()
    if unchanged := not_modified(request, etag):
        return unchanged
    try:
        found = board_page(query, start=asked.start)
    except NoBoard:
        return saved_table(request, empty_board_table(page=page_of(request)), ending, "board")
    except TooManyRows as wrong:
        return refused(request, str(wrong))
    if not found.total and asked.turn_limit is None and (limit := nearest_limit(found)):
        return redirect(f"{request.path}{asked.other(T=str(limit))}")
    factor = asked.factor if query.kind is BoardKind.SPEED else None
    table = board_table(
        found,
        factor=factor,
        origin=origin_of(request),
        page=page_of(request),
        start=asked.start,
        shown=arrangement_of(asked, query.kind).shown,
    )
    # Where boards changed while they were read the content makes the tag.
    is_whole = tag() == etag
    return saved_table(request, table, ending, found.head.slug, etag=etag if is_whole else "")


def _target(kind: BoardKind, place: str, site: Site) -> Target | None:
    if kind is BoardKind.SPEED:
        return site.target_of(place) or target_of_device(place)
    return Target(place) if place in tuple(Target) else None
