"""Hand bytes in: a file in one request, or announced and then sent in parts."""

from typing import Any
from uuid import UUID

from django.core.files import File
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from portal.accounts.models import User
from portal.accounts.viewers import viewer
from portal.api.bounded_json import BoundedJson
from portal.api.scopes import MaySubmit
from portal.api.serializers import (
    AnnounceSerializer,
    ErrorSerializer,
    ListedSerializer,
    OffsetErrorSerializer,
    SubmissionSerializer,
    UploadSerializer,
)
from portal.api.submission_api import FIRST, NOT_FOUND, answer, first_of, object_of
from portal.uploads.limits import upload_limits
from portal.uploads.models import Submission
from portal.uploads.receiving import NotTaken, Received, add_part, receive_whole, start_upload
from portal.uploads.status import my_submissions, own_submission

_TOO_LARGE = OpenApiResponse(ErrorSerializer, description="too large")


class RawBytes(BaseParser):
    """Leaves the body where it is, to be read in pieces."""

    media_type = "application/octet-stream"

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:  # noqa: ARG002 (the signature)
        return stream


class Nothing:
    """An empty body."""

    def read(self, _size: int, /) -> bytes:
        return b""


class SubmissionsView(APIView):
    permission_classes = (MaySubmit,)
    parser_classes = (BoundedJson, MultiPartParser)

    @extend_schema(
        operation_id="list_submissions",
        parameters=[FIRST],
        responses={200: ListedSerializer(many=True)},
    )
    def get(self, request: Request) -> Response:
        """Your submissions, newest first, 100 at a time."""
        found = my_submissions(viewer(request._request), first=first_of(request))  # noqa: SLF001 (DRF wraps it)
        return Response(ListedSerializer(found, many=True).data)

    @extend_schema(
        operation_id="submit",
        request={"multipart/form-data": UploadSerializer, "application/json": AnnounceSerializer},
        responses={
            200: OpenApiResponse(
                SubmissionSerializer, description="you handed these bytes in before"
            ),
            201: SubmissionSerializer,
            400: ErrorSerializer,
            413: _TOO_LARGE,
            429: ErrorSerializer,
        },
    )
    def post(self, request: Request) -> Response:
        """Hand a file in, whole as multipart/form-data, or announced as JSON and then sent in parts."""
        file = request.FILES.get("file")
        received = _whole(request, file) if isinstance(file, File) else _announced(request)
        return answer(request, received.submission, created=received.created)


class ContentView(APIView):
    permission_classes = (MaySubmit,)
    parser_classes = (RawBytes,)

    @extend_schema(
        operation_id="send_part",
        parameters=[
            OpenApiParameter("Upload-Offset", int, OpenApiParameter.HEADER, required=True),
        ],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={
            200: SubmissionSerializer,
            400: ErrorSerializer,
            404: NOT_FOUND,
            409: OffsetErrorSerializer,
            413: _TOO_LARGE,
            422: OpenApiResponse(ErrorSerializer, description="another SHA-256 than announced"),
        },
    )
    def patch(self, request: Request, uid: UUID) -> Response:
        """Send the bytes from Upload-Offset on, at most 64 MiB at a time; the last ones complete the upload."""
        submission = own_submission(viewer(request._request), uid)  # noqa: SLF001 (DRF wraps it)
        word = request.headers.get("Upload-Offset", "")
        if not (word.isascii() and word.isdecimal() and len(word) <= 15):
            what = "the header Upload-Offset is missing, or no number"
            raise NotTaken("bad_request", what, "send how many bytes came before this part")
        _check_part(request, submission, int(word))
        stream = request.stream or Nothing()
        received = add_part(submission, stream, offset=int(word), at=timezone.now())
        return answer(request, received.submission)


def _whole(request: Request, file: "File[bytes]") -> Received:
    size = file.size or 0
    return receive_whole(
        _account(request), file.name or "upload", file, size=size, at=timezone.now()
    )


def _announced(request: Request) -> Received:
    if (request.content_type or "").startswith("multipart/"):
        raise NotTaken("bad_request", "the form has no file", "send it in the field “file”")
    said = AnnounceSerializer(data=object_of(request))
    said.is_valid(raise_exception=True)
    name, size, sha256 = (said.validated_data[key] for key in ("name", "size", "sha256"))
    return start_upload(_account(request), name, size=size, sha256=sha256, at=timezone.now())


def _account(request: Request) -> User:
    assert isinstance(request.user, User)
    return request.user


def _check_part(request: Request, submission: Submission, offset: int) -> None:
    announced = int(request.META.get("CONTENT_LENGTH") or 0)
    most = upload_limits().part_bytes
    if announced > most:
        what = f"the part has {announced:,} bytes; at most {most:,} are taken at a time"
        raise NotTaken("too_large", what, "send smaller parts")
    if offset + announced > submission.size:
        what = f"with this part the upload would have more than the {submission.size:,} bytes announced"
        raise NotTaken("bad_request", what, "announce the whole size, or send what is left")
