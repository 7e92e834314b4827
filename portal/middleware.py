"""What is done for every request before a view sees it."""

import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from portal.logs import request_id

Answer = Callable[[HttpRequest], HttpResponse]


def name_request(answer: Answer) -> Answer:
    """Give each request a number, which log lines and the answer carry. One that a client sent is not taken."""

    def named(request: HttpRequest) -> HttpResponse:
        token = request_id.set(uuid.uuid4().hex)
        try:
            response = answer(request)
            response["X-Request-Id"] = request_id.get()
        finally:
            request_id.reset(token)
        return response

    return named


def see_visitor_address(answer: Answer) -> Answer:
    """Take the visitor's address from the forwarded-for header, as far as our own proxies wrote it.

    Every proxy appends the address that it saw, so the visitor's is as many from the right as there are proxies of
    ours; what stands left of it anybody may have written. Limits that count by address read it where they always do.
    """
    proxies: int = settings.PROXIES

    def seen(request: HttpRequest) -> HttpResponse:
        addresses = request.headers.get("X-Forwarded-For", "").split(",")
        if proxies and len(addresses) >= proxies and (found := addresses[-proxies].strip()):
            request.META["REMOTE_ADDR"] = found
        return answer(request)

    return seen


def bound_request(answer: Answer) -> Answer:
    """Refuse a body that is larger than any request may be before a byte of it is read.

    The server gives the application no more than the announced length. A body without one is an empty body here, so
    who sends one is told to announce it.
    """

    def bounded(request: HttpRequest) -> HttpResponse:
        limit: int = settings.REQUEST_BYTES
        announced = request.META.get("CONTENT_LENGTH") or "0"
        if request.META.get("HTTP_TRANSFER_ENCODING"):
            return _refusal(
                411, "length_required", "the body's length was not announced", "send Content-Length"
            )
        if not _is_at_most(limit, announced):
            if not request.path.startswith("/api/"):
                return render(request, "413.html", status=413)
            what = f"a request may have {limit:,} bytes"
            return _refusal(413, "too_large", what, "upload a larger file in parts")
        return answer(request)

    return bounded


def _is_at_most(limit: int, announced: str) -> bool:
    """Whether it is a number up to the limit. Servers take zeros before it, as many as one likes."""
    if not (announced.isascii() and announced.isdecimal()):
        return False
    digits = announced.lstrip("0")
    return len(digits) <= len(str(limit)) and int(digits or "0") <= limit


def _refusal(status: int, error: str, what: str, do: str) -> HttpResponse:
    return JsonResponse({"error": error, "what": what, "do": do}, status=status)


def request_number(_: HttpRequest) -> dict[str, str]:
    """For templates."""
    return {"request_id": request_id.get()}
