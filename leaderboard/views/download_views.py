"""Files to save: a kernel's source, the artifacts and logs of a run, and its bundle."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation.core.bundle.members import of_artifact
from evaluation.core.errors import ToolFailure
from evaluation.core.verdict import Language
from evaluation.selectors import NotVisible, kernel_page, run_progress
from leaderboard.views.answers import SAVED, found_or_404, refused, saved
from leaderboard.views.kernel_views import SOURCE_BYTES
from leaderboard.views.run_bundle import NoBundle, bundle_of
from leaderboard.views.site import Site

ARTIFACT_BYTES = 128 << 20


@require_safe
@found_or_404
def kernel_source(request: HttpRequest, sha256: str, *, site: Site) -> HttpResponse:
    """The source, byte for byte as it is judged."""
    found = kernel_page(site.viewer_of(request), sha256)
    ending = "py" if found[0].language is Language.TRITON else "cu"
    return _kept(request, sha256, f"{sha256[:12]}.{ending}", SOURCE_BYTES, site)


@require_safe
@found_or_404
def run_artifact(request: HttpRequest, uid: UUID, name: str, *, site: Site) -> HttpResponse:
    """An artifact that a report of this run names, under the name that it has in a bundle."""
    reports = run_progress(site.viewer_of(request), uid).reports
    refs = {one.name: one for row in reports for one in row.report.artifacts}
    member = of_artifact(name)
    if name not in refs or member is None:
        raise NotVisible
    limit = min(member.limit_bytes, ARTIFACT_BYTES)
    answer = _kept(request, refs[name].sha256, member.file, limit, site)
    if member.file.endswith(".png") and answer.status_code == 200:
        answer["Content-Type"] = "image/png"
        answer["Content-Disposition"] = "inline"  # a picture that our own referee drew
    return answer


@require_safe
@found_or_404
def run_log(request: HttpRequest, uid: UUID, sha256: str, *, site: Site) -> HttpResponse:
    reports = run_progress(site.viewer_of(request), uid).reports
    if sha256 not in {one.log for one in reports}:
        raise NotVisible
    return _kept(request, sha256, f"{sha256[:12]}.log", ARTIFACT_BYTES, site)


@require_safe
@found_or_404
def run_bundle(request: HttpRequest, uid: UUID, *, site: Site) -> HttpResponse:
    """Everything that is known of the run in one file, which ``ptxboard replay`` reads."""
    try:
        content = bundle_of(site.viewer_of(request), uid, site.artifacts())
    except NoBundle as missing:
        return refused(request, str(missing), status=404)
    answer = saved(content, f"{uid}.zip", kind="application/zip")
    answer["Cache-Control"] = SAVED
    return answer


def _kept(request: HttpRequest, sha256: str, name: str, limit: int, site: Site) -> HttpResponse:
    try:
        return saved(site.artifacts().get(sha256, limit_bytes=limit), name)
    except ToolFailure:
        return refused(request, f"The bytes of {name} are not kept here.", status=404)
