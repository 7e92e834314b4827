"""What became of it, to download: the scrubbed document, a kernel's source, the reports of a run and their logs."""

import json
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evaluation.core import wire
from evaluation.core.errors import ToolFailure
from evaluation.selectors import NotVisible, kernel_page, run_progress, trajectory_page
from evaluation.selectors.progress import RunProgress
from evaluation.selectors.run_reports import ReportRow
from portal.accounts.viewers import viewer
from portal.api.errors import problem
from portal.api.scopes import MayRead
from portal.api.serializers import ErrorSerializer, RunSerializer
from portal.uploads.limits import reading_limits
from portal.uploads.store import artifacts

_NOT_FOUND = OpenApiResponse(ErrorSerializer, description="not there, or not yours to see")
_LOG_BYTES = 64 << 20


class DocumentView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(
        operation_id="download_document",
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, 404: _NOT_FOUND},
    )
    def get(self, request: Request, uid: UUID) -> HttpResponse:
        """The document of a trajectory as it is kept, without the secrets that were in it."""
        page = trajectory_page(viewer(request._request), uid)  # noqa: SLF001 (DRF wraps it)
        return _bytes(page.document, f"{uid}.json", reading_limits().document_bytes * 2)


class SourceView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(
        operation_id="download_source",
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, 404: _NOT_FOUND},
    )
    def get(self, request: Request, sha256: str) -> HttpResponse:
        """The source of a kernel, byte for byte as it is judged."""
        pages = kernel_page(viewer(request._request), sha256)  # noqa: SLF001 (DRF wraps it)
        ending = "py" if pages[0].language == "triton" else "cu"
        return _bytes(pages[0].sha256, f"{sha256[:12]}.{ending}", reading_limits().kernel_bytes * 2)


class RunView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(operation_id="get_run", responses={200: RunSerializer, 404: _NOT_FOUND})
    def get(self, request: Request, uid: UUID) -> Response:
        """One judging with the report of every stage that ran."""
        run = run_progress(viewer(request._request), uid)  # noqa: SLF001 (DRF wraps it)
        return Response(RunSerializer(_run(run)).data)


class LogView(APIView):
    permission_classes = (MayRead,)

    @extend_schema(
        operation_id="download_log",
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY, 404: _NOT_FOUND},
    )
    def get(self, request: Request, uid: UUID, sha256: str) -> HttpResponse:
        """The log of one of its stages."""
        run = run_progress(viewer(request._request), uid)  # noqa: SLF001 (DRF wraps it)
        if sha256 not in {one.log for one in run.reports}:
            raise NotVisible
        return _bytes(sha256, f"{sha256[:12]}.log", _LOG_BYTES)


def _run(run: RunProgress) -> dict[str, object]:
    keys = (
        "uid",
        "kernel",
        "problem",
        "target",
        "device",
        "state",
        "waits_for",
        "verdict",
        "failures",
    )
    return {
        **{key: getattr(run, key) for key in keys},
        "created_at": run.created_at,
        "finished_at": run.finished_at,
        "reports": [_report(one) for one in run.reports],
    }


def _report(row: ReportRow) -> dict[str, object]:
    return {
        "stage": str(row.report.stage),
        "half": str(row.half),
        "attempt": row.attempt,
        "reported_at": row.reported_at,
        "headline": row.report.headline,
        "verdict": str(row.report.verdict or ""),
        "report": json.loads(wire.encode(row.report)),
        "log": row.log,
        "log_bytes": row.log_bytes,
    }


def _bytes(sha256: str, name: str, limit_bytes: int) -> HttpResponse:
    """As a file to save, never as a page: what strangers wrote runs in no browser."""
    if not sha256:
        raise NotVisible
    try:
        content = artifacts().get(sha256, limit_bytes=limit_bytes)
    except ToolFailure:
        return problem(404, "not_kept", f"the bytes of {name} are not kept here", "tell staff")
    return HttpResponse(
        content,
        content_type="application/octet-stream",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-cache",
        },
    )
