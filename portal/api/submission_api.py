"""Follow, confirm, take back. What an owner may do on a page, a program with their token may do here."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from portal.accounts.viewers import viewer
from portal.api.bounded_json import as_a_form
from portal.api.errors import problem
from portal.api.scopes import MaySubmit
from portal.api.serializers import (
    ConfirmSerializer,
    ErrorSerializer,
    FieldErrorSerializer,
    SubmissionSerializer,
    TurnsSerializer,
    WithdrawSerializer,
)
from portal.uploads.deciding import cancel, confirm, withdraw
from portal.uploads.forms import ConfirmForm, suggested
from portal.uploads.live import LiveEntry, live_entry
from portal.uploads.models import Submission
from portal.uploads.receiving import NotTaken
from portal.uploads.status import own_submission, status_of, submission_of

FIRST = OpenApiParameter("first", int, description="from which one on, counted from 0")
NOT_FOUND = OpenApiResponse(ErrorSerializer, description="not there, or not yours")


class SubmissionView(APIView):
    permission_classes = (MaySubmit,)

    @extend_schema(
        operation_id="get_submission", responses={200: SubmissionSerializer, 404: NOT_FOUND}
    )
    def get(self, request: Request, uid: UUID) -> Response:
        """How far it is, what was understood, and what to do next. Upload-Offset has how many bytes are there."""
        return answer(request, submission_of(viewer(request._request), uid))  # noqa: SLF001 (DRF wraps it)


class TurnsView(APIView):
    permission_classes = (MaySubmit,)

    @extend_schema(
        operation_id="get_turns",
        parameters=[FIRST],
        responses={200: TurnsSerializer, 404: NOT_FOUND},
    )
    def get(self, request: Request, uid: UUID) -> Response:
        """Every turn with its verdict, or how far its judging is, 24 trajectories at a time."""
        who = viewer(request._request)  # noqa: SLF001 (DRF wraps it)
        submission = submission_of(who, uid)
        if submission.entry is None:
            return Response(TurnsSerializer(LiveEntry((), 0, 0, 0)).data)
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
            404: NOT_FOUND,
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
        form = ConfirmForm(
            status.preview, suggested(status.preview) | as_a_form(object_of(request))
        )
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
        responses={200: SubmissionSerializer, 404: NOT_FOUND, 409: ErrorSerializer},
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
            404: NOT_FOUND,
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


def object_of(request: Request) -> dict[str, Any]:
    data = request.data
    if not isinstance(data, dict):
        raise NotTaken("bad_request", "the body is no JSON object", "send one")
    return dict(data.items())


def _wrong_state(state: str) -> Response:
    return problem(
        409, "wrong_state", f"it is {state}", "ask for its state; next_step says what to do"
    )
