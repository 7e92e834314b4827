"""How a table becomes a file to save: named, cached as its page may be, and with the address of that page."""

import hashlib

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from leaderboard.exports.table import KINDS, Row, Table
from leaderboard.views.answers import cached, is_anonymous, not_modified, personal


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
