"""What is done for every request before a view sees it."""

import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

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


def request_number(_: HttpRequest) -> dict[str, str]:
    """For templates."""
    return {"request_id": request_id.get()}
