"""The public data set: a page that says what is in it, and its files."""

from pathlib import Path

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from leaderboard.exports.data_set.released import (
    Release,
    ReleasedTable,
    checksums,
    current_release,
    manifest_text,
)
from leaderboard.views.answers import cached, is_anonymous, not_modified, page, personal
from leaderboard.views.site import Site
from leaderboard.views.text_views import html_of


@require_safe
def data(request: HttpRequest, *, site: Site, folder: Path) -> HttpResponse:
    text = (site.root / "docs" / "data.md").read_text(encoding="utf-8")
    context = {
        "release": current_release(folder),
        "text": mark_safe(html_of(text)),  # noqa: S308 (HTML in it is escaped)
    }
    return page(request, "leaderboard/data.html", context)


@require_safe
def data_file(request: HttpRequest, name: str, *, site: Site, folder: Path) -> HttpResponseBase:
    """One table as Parquet, the current one."""
    table = _release(folder).table(name)
    if table is None:
        raise Http404
    if unchanged := not_modified(request, table.sha256):
        return unchanged
    try:
        file = _opened(folder, table)
    except FileNotFoundError:  # another one was made just now
        table = _release(folder).table(name)
        if table is None:
            raise Http404 from None
        file = _opened(folder, table)
    return cached(file, table.sha256) if is_anonymous(request) else personal(file)


@require_safe
def data_manifest(request: HttpRequest, *, site: Site, folder: Path) -> HttpResponse:
    """What there is, with the schema of each table, as JSON."""
    return HttpResponse(manifest_text(_release(folder)), content_type="application/json")


@require_safe
def data_checksums(request: HttpRequest, *, site: Site, folder: Path) -> HttpResponse:
    return HttpResponse(checksums(_release(folder).tables), content_type="text/plain")


def _release(folder: Path) -> Release:
    found = current_release(folder)
    if found is None:
        raise Http404
    return found


def _opened(folder: Path, table: ReleasedTable) -> FileResponse:
    return FileResponse(
        (folder / table.file).open("rb"),
        as_attachment=True,
        filename=f"{table.name}.parquet",
        content_type="application/vnd.apache.parquet",
    )
