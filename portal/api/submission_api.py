"""Hand in, follow, confirm, take back. What an owner may do on a page, a program with their token may do here."""

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
from portal.api.bounded_json import BoundedJson, as_a_form
from portal.api.errors import problem
from portal.api.scopes import MaySubmit
from portal.api.serializers import (
    AnnounceSerializer,
    ConfirmSerializer,
    ErrorSerializer,
    FieldErrorSerializer,
    ListedSerializer,
    OffsetErrorSerializer,
    SubmissionSerializer,
    TurnsSerializer,
    UploadSerializer,
    WithdrawSerializer,
)
from portal.uploads.deciding import cancel, confirm, withdraw
from portal.uploads.forms import ConfirmForm, suggested
from portal.uploads.limits import upload_limits
from portal.uploads.live import LiveEntry, live_entry
from portal.uploads.models import Submission
from portal.uploads.receiving import NotTaken, Received, add_part, receive_whole, start_upload
from portal.uploads.status import my_submissions, own_submission, status_of, submission_of

_FIRST = OpenApiParameter("first", int, description="from which one on, counted from 0")
_NOT_FOUND = OpenApiResponse(ErrorSerializer, description="not there, or not yours")
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
        parameters=[_FIRST],
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
            404: _NOT_FOUND,
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


class SubmissionView(APIView):
    permission_classes = (MaySubmit,)

    @extend_schema(
        operation_id="get_submission", responses={200: SubmissionSerializer, 404: _NOT_FOUND}
    )
    def get(self, request: Request, uid: UUID) -> Response:
        """How far it is, what was understood, and what to do next. Upload-Offset has how many bytes are there."""
        return answer(request, submission_of(viewer(request._request), uid))  # noqa: SLF001 (DRF wraps it)


class TurnsView(APIView):
    permission_classes = (MaySubmit,)

    @extend_schema(
        operation_id="get_turns",
        parameters=[_FIRST],
        responses={200: TurnsSerializer, 404: _NOT_FOUND},
    )
    def get(self, request: Request, uid: UUID) -> Response:
        """Every turn with its verdict, or how far its judging is, 24 trajectories at a time."""
        who = viewer(request._request)  # noqa: SLF001 (DRF wraps it)
        submission = submission_of(who, uid)
        if submission.entry is None:
            return Response(TurnsSerializer(LiveEntry((), 0, 0)).data)
        live = live_entry(who, submission.entry.uid, first=first_of(request))
        return Response(TurnsSerializer(live).data)


class ConfirmView(APIView):
    permission_classes = (MaySubmit,)

    @extend_schema(
        operation_id="confirm_submission",
        request=ConfirmSerializer,
        responses={
            200: SubmissionSerializer,
            400: FieldErrorSerializer,
            404: _NOT_FOUND,
            409: ErrorSerializer,
        },
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Have it imported and judged."""
        who = viewer(request._request)  # noqa: SLF001 (DRF wraps it)
        submission = own_submission(who, uid)
        status = status_of(who, submission)
        if status.preview is None or not status.can_be_confirmed:
            return _wrong_state(status.state)
        form = ConfirmForm(status.preview, suggested(status.preview) | as_a_form(_object(request)))
        if not form.is_valid():
            what = "something of it cannot be taken"
            do = "mend the fields that are named"
            fields = {name or "": [str(one) for one in said] for name, said in form.errors.items()}
            return problem(400, "bad_request", what, do, fields=fields)
        if not confirm(submission, form.choices(), at=timezone.now()):
            return _wrong_state(status.state)
        return answer(request, submission)


class CancelView(APIView):
    permission_classes = (MaySubmit,)

    @extend_schema(
        operation_id="cancel_submission",
        request=None,
        responses={200: SubmissionSerializer, 404: _NOT_FOUND, 409: ErrorSerializer},
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Take back what is not imported yet."""
        submission = own_submission(viewer(request._request), uid)  # noqa: SLF001 (DRF wraps it)
        if not cancel(submission, at=timezone.now()):
            return _wrong_state(submission.state)
        return answer(request, submission)


class WithdrawView(APIView):
    permission_classes = (MaySubmit,)

    @extend_schema(
        operation_id="withdraw_submission",
        request=WithdrawSerializer,
        responses={
            200: SubmissionSerializer,
            400: ErrorSerializer,
            404: _NOT_FOUND,
            409: ErrorSerializer,
        },
    )
    def post(self, request: Request, uid: UUID) -> Response:
        """Withdraw an imported entry for good; a tombstone with the reason stays."""
        submission = own_submission(viewer(request._request), uid)  # noqa: SLF001 (DRF wraps it)
        said = WithdrawSerializer(data=request.data)
        said.is_valid(raise_exception=True)
        if not withdraw(submission, reason=said.validated_data["reason"], at=timezone.now()):
            return _wrong_state(submission.state)
        return answer(request, submission)


def answer(request: Request, submission: Submission, *, created: bool = False) -> Response:
    submission.refresh_from_db()
    status = status_of(viewer(request._request), submission)  # noqa: SLF001 (DRF wraps it)
    return Response(
        SubmissionSerializer(status).data,
        status=201 if created else 200,
        headers={"Upload-Offset": str(submission.received)},
    )


def first_of(request: Request) -> int:
    word = request.query_params.get("first", "0")
    if not (word.isascii() and word.isdecimal() and len(word) <= 7):
        raise NotTaken("bad_request", "first is no number from 0", "send one, or leave it out")
    return int(word)


def _whole(request: Request, file: "File[bytes]") -> Received:
    size = file.size or 0
    return receive_whole(
        _account(request), file.name or "upload", file, size=size, at=timezone.now()
    )


def _announced(request: Request) -> Received:
    said = AnnounceSerializer(data=_object(request))
    said.is_valid(raise_exception=True)
    name, size, sha256 = (said.validated_data[key] for key in ("name", "size", "sha256"))
    return start_upload(_account(request), name, size=size, sha256=sha256, at=timezone.now())


def _account(request: Request) -> User:
    assert isinstance(request.user, User)
    return request.user


def _object(request: Request) -> dict[str, Any]:
    data = request.data
    if not isinstance(data, dict):
        raise NotTaken("bad_request", "the body is no JSON object", "send one")
    return dict(data.items())


def _check_part(request: Request, submission: Submission, offset: int) -> None:
    announced = int(request.META.get("CONTENT_LENGTH") or 0)
    most = upload_limits().part_bytes
    if announced > most:
        what = f"the part has {announced:,} bytes; at most {most:,} are taken at a time"
        raise NotTaken("too_large", what, "send smaller parts")
    if offset + announced > submission.size:
        what = f"with this part the upload would have more than the {submission.size:,} bytes announced"
        raise NotTaken("bad_request", what, "announce the whole size, or send what is left")


def _wrong_state(state: str) -> Response:
    return problem(
        409, "wrong_state", f"it is {state}", "ask for its state; next_step says what to do"
    )
