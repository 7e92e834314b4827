"""How pages are answered: what may be cached by whom, what is not there, what was asked wrongly."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotModified,
)
from django.shortcuts import redirect, render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.http import parse_etags, quote_etag

from evaluation.selectors import NotVisible

P = ParamSpec("P")
Answer = TypeVar("Answer", bound=HttpResponseBase)
PUBLIC_SECONDS = 10
SAVED = "private, no-cache"


@dataclass(frozen=True, slots=True)
class Instead:
    """Something that there is, where an address names what there is not; ``note`` is a word on it, or empty."""

    name: str
    address: str
    note: str = ""


class WrongQuestion(ValueError):
    """The address asks for something that no page answers; the text says what, and ``instead`` what there is."""

    def __init__(self, sentence: str, *, instead: Iterable[Instead] = ()) -> None:
        super().__init__(sentence)
        self.instead = tuple(instead)


def found_or_404(
    view: Callable[Concatenate[HttpRequest, P], Answer],
) -> Callable[Concatenate[HttpRequest, P], Answer]:
    """What a visitor may not know of is not there."""

    @wraps(view)
    def found(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        try:
            return view(request, *args, **kwargs)
        except NotVisible:
            raise Http404 from None

    return found


def refuses_wrong_questions(
    view: Callable[Concatenate[HttpRequest, P], Answer],
) -> Callable[Concatenate[HttpRequest, P], Answer | HttpResponse]:
    """What an address asks for and no page answers is refused with the sentence that says so."""

    @wraps(view)
    def answered(
        request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs
    ) -> Answer | HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except WrongQuestion as wrong:
            return refused(request, str(wrong), instead=wrong.instead)

    return answered


def refused(
    request: HttpRequest, sentence: str, *, status: int = 400, instead: Iterable[Instead] = ()
) -> HttpResponse:
    """Say in words why an address is answered by no page, and link to what there is."""
    context = {"sentence": sentence, "instead": tuple(instead), "status": status}
    answer = render(request, "leaderboard/refused.html", context, status=status)
    patch_cache_control(answer, private=True, no_cache=True)
    return answer


def redirected_to(request: HttpRequest, canonical: str) -> HttpResponse | None:
    """Lead to the one way to write this question, ``canonical``; None for who wrote it so."""
    if request.META["QUERY_STRING"] == canonical:
        return None
    return redirect(f"{request.path}?{canonical}".rstrip("?"))


def is_anonymous(request: HttpRequest) -> bool:
    """Nobody signed in, and nothing that was said to one visitor alone stands on the page."""
    personal = {settings.SESSION_COOKIE_NAME, "messages"}
    return not request.user.is_authenticated and not personal & request.COOKIES.keys()


def not_modified(request: HttpRequest, etag: str) -> HttpResponse | None:
    """Give the empty answer for a visitor who has this page already, or None."""
    if not is_anonymous(request):
        return None
    if quote_etag(etag) not in parse_etags(request.headers.get("If-None-Match", "")):
        return None
    return cached(HttpResponseNotModified(), etag)


def page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
    *,
    etag: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render a page. Those of anonymous visitors may be cached for some seconds, others by nobody but their browser.

    Without an ``etag`` the content makes one. Raise nothing for a visitor who has it already: that is the answer 304.
    """
    answer = render(request, template, dict(context), status=status)
    if not is_anonymous(request):
        return personal(answer)
    if status != 200:
        patch_cache_control(answer, no_cache=True)
        return answer
    etag = etag or hashlib.sha256(answer.content).hexdigest()[:32]
    return not_modified(request, etag) or cached(answer, etag)


def text_etag(*parts: object) -> str:
    """A short tag that is another one whenever a part is."""
    return hashlib.sha256("\n".join(str(one) for one in parts).encode()).hexdigest()[:32]


def saved(content: bytes, name: str, *, kind: str = "application/octet-stream") -> HttpResponse:
    """As a file to save, never as a page: what strangers wrote runs in no browser."""
    return HttpResponse(
        content,
        content_type=kind,
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": SAVED,
        },
    )


def personal(answer: Answer) -> Answer:
    """For one visitor: nobody but their browser keeps it."""
    patch_cache_control(answer, private=True, no_cache=True)
    patch_vary_headers(answer, ("Cookie",))
    return answer


def cached(answer: Answer, etag: str) -> Answer:
    """For everybody who has not signed in, for some seconds."""
    answer["ETag"] = quote_etag(etag)
    patch_cache_control(answer, public=True, max_age=PUBLIC_SECONDS)
    patch_vary_headers(answer, ("Cookie",))
    return answer
