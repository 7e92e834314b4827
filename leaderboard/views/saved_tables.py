"""How a table becomes a file to save: named, cached as its page may be, and with the address of that page."""

import hashlib
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from leaderboard.exports.table import KINDS, Row, Table
from leaderboard.views.answers import cached, is_anonymous, not_modified, personal, text_etag


def origin_of(request: HttpRequest) -> str:
    """Scheme and host."""
    return request.build_absolute_uri("/").removesuffix("/")


def page_of(request: HttpRequest, tail: str = "") -> str:
    """The address of the page that shows the same."""
    path = request.path.rpartition(".")[0].removesuffix(tail)
    query = request.META["QUERY_STRING"]
    return f"{origin_of(request)}{path}/" + (f"?{query}" if query else "")


def saved_table(
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


def tagged_table(
    request: HttpRequest,
    follows_from: tuple[str, Callable[[], int]],
    make: Callable[[], Table[Row]],
    ending: str,
    name: str,
) -> HttpResponseBase:
    """As ``saved_table``, with a tag that is known before the table is made: who has the file is answered without it.

    ``follows_from`` are the release and what reads the revision of the boards. Where boards change while the table is
    made, its content makes the tag.
    """
    release, revision = follows_from

    def tag() -> str:
        query = request.META["QUERY_STRING"]
        return text_etag(release, request.get_host(), request.path, query, revision())

    etag = tag()
    if unchanged := not_modified(request, etag):
        return unchanged
    table = make()
    return saved_table(request, table, ending, name, etag=etag if tag() == etag else "")
