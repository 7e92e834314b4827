"""Every error as JSON of one shape: ``error`` for programs, ``what`` happened, what to ``do``."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import status
from rest_framework.exceptions import APIException, AuthenticationFailed, NotAuthenticated
from rest_framework.exceptions import PermissionDenied as ApiPermissionDenied
from rest_framework.response import Response
from rest_framework.views import exception_handler

from evaluation.selectors import NotVisible
from portal.uploads.receiving import NotTaken

_STATUS_OF_ERROR = {
    "bad_request": 400,
    "empty": 400,
    "incomplete": 400,
    "wrong_digest": 422,
    "too_large": 413,
    "too_many_unfinished": 429,
    "wrong_offset": 409,
    "complete": 409,
    "no_room": 507,
}
_DO = {
    400: "look at what the documentation says of this request",
    401: "send Authorization: Token followed by a token from the page Tokens",
    403: "use a token that may do this",
    404: "look at the address; what is not yours is not told apart from what is not there",
    405: "look at the documentation for what can be asked here",
    406: "accept application/json",
    415: "send the content type that the documentation names",
    429: "wait a little",
}


def not_found_words() -> dict[str, str]:
    return {"error": "not_found", "what": "there is no such thing for you", "do": _DO[404]}


def problem(http: int, error: str, what: str, do: str, **more: object) -> Response:
    return Response({"error": error, "what": what, "do": do, **more}, status=http)


def answer_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """None is a mistake of ours: the site's page of it is shown, and the log has the traceback."""
    if isinstance(error, NotTaken):
        return _not_taken(error)
    if isinstance(error, (NotVisible, Http404)):
        return Response(not_found_words(), status=404)
    if isinstance(error, (NotAuthenticated, AuthenticationFailed)):
        answer = problem(401, "no_token", "no valid token was sent", _DO[401])
        answer["WWW-Authenticate"] = "Token"
        return answer
    if isinstance(error, (PermissionDenied, ApiPermissionDenied)):
        said = str(error.detail) if isinstance(error, APIException) else "this is not yours to do"
        return problem(403, "not_allowed", said, _DO[403])
    if isinstance(error, APIException):
        do = _DO.get(error.status_code, _DO[400])
        return problem(error.status_code, str(error.default_code), _text(error.detail), do)
    return exception_handler(error, context)


def _not_taken(error: NotTaken) -> Response:
    http = _STATUS_OF_ERROR.get(error.error, status.HTTP_400_BAD_REQUEST)
    if error.offset is None:
        return problem(http, error.error, error.what, error.do)
    answer = problem(http, error.error, error.what, error.do, offset=error.offset)
    answer["Upload-Offset"] = str(error.offset)
    return answer


def _text(detail: object) -> str:
    """What serializers say of each field, as a sentence."""
    if isinstance(detail, dict):
        return "; ".join(f"{field}: {_text(said)}" for field, said in detail.items())[:500]
    if isinstance(detail, list):
        return " ".join(_text(said) for said in detail)[:500]
    return str(detail)[:500]
