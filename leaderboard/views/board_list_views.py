"""The page that lists every board, and the same as a file; a kind of board leads to its part of the page."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from evaluation.core.verdict import Target
from leaderboard.exports.board_list_table import board_list_table
from leaderboard.selectors.listed_boards import listed_boards
from leaderboard.selectors.revisions import revision_of_all
from leaderboard.views.answers import page, text_etag
from leaderboard.views.board_list import count_address, in_order, kinds_of_boards, newest_of
from leaderboard.views.saved_tables import origin_of, page_of, saved_table
from leaderboard.views.site import Site


@require_safe
def boards(request: HttpRequest, *, site: Site) -> HttpResponse:
    def tag() -> str:
        return text_etag(site.release, request.path, revision_of_all())

    return site.kept.answer(request, tag, lambda etag: _listed(request, etag, site))


@require_safe
def boards_of_kind(_request: HttpRequest, kind: str) -> HttpResponse:
    """Wherever boards come and go: the page that lists them, at this kind."""
    return redirect(f"{reverse('boards')}#{kind}")


@require_safe
def boards_export(request: HttpRequest, ending: str, *, site: Site) -> HttpResponseBase:
    counts = in_order(listed_boards(), problems=[one.name for one in site.problems])
    newest = newest_of(counts)
    table = board_list_table(
        counts,
        origin=origin_of(request),
        page=page_of(request),
        address_of=lambda one: count_address(
            one, is_newest=(one.board.slug, one.provenance) in newest
        ),
    )
    return saved_table(request, table, ending, "boards")


def _listed(request: HttpRequest, etag: str, site: Site) -> HttpResponse:
    problems = [one.name for one in site.problems]
    context = {
        "kinds": kinds_of_boards(listed_boards(), problems=problems),
        "targets": tuple(Target),
        "devices": [one.product for one in site.devices],
    }
    return page(request, "leaderboard/boards.html", context, etag=etag)
