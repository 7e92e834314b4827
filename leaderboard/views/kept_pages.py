"""Pages that are kept for visitors who have not signed in, so that many who ask the same are answered from memory."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from django.http import HttpRequest, HttpResponse
from django.utils.http import quote_etag

from leaderboard.views.answers import cached, is_anonymous, not_modified

# Of a page that is kept; with a bound on their number it bounds the memory.
LARGEST_BYTES = 512 << 10


class Store(Protocol):
    """Where bytes are kept, by a key, for as long as there is room. It may forget whenever it likes."""

    def get(self, key: str, /) -> bytes | None: ...

    def set(self, key: str, value: bytes, /) -> None: ...


class NothingKept:
    """For a site that was given no store."""

    def get(self, _key: str, /) -> bytes | None:
        return None

    def set(self, _key: str, _value: bytes, /) -> None:
        """Forget it at once."""


@dataclass(frozen=True, slots=True)
class KeptPages:
    """A page is kept under its tag, and a tag is made of all that the page follows from: no page needs taking out.

    After a verdict, a hold or a withdrawal the tag is one that never was before, which nothing is kept under.
    """

    store: Callable[[], Store] = NothingKept

    def answer(
        self, request: HttpRequest, tag: Callable[[], str], make: Callable[[str], HttpResponse]
    ) -> HttpResponse:
        """Give the empty answer for who has the page, else the page that is kept under its tag, else a new one.

        ``tag`` says what the page follows from as the database has it now, and ``make`` gets what it said. A new page
        has this tag, and is kept under it, where ``tag`` still says the same when the page is made: what changed in
        between may be on the page in part. A page for one visitor has no tag.
        """
        etag = tag()
        if unchanged := not_modified(request, etag):
            return unchanged
        store = self.store()
        if is_anonymous(request) and (content := store.get(etag)) is not None:
            return cached(HttpResponse(content), etag)
        answer = make(etag)
        if answer.headers.get("ETag") != quote_etag(etag):
            return answer
        if tag() != etag:
            del answer.headers["ETag"]
        elif _may_be_kept(request, answer):
            store.set(etag, answer.content)
        return answer


def _may_be_kept(request: HttpRequest, answer: HttpResponse) -> bool:
    # A page that wrote the token of a form was made for one visitor, whatever its view thinks.
    is_personal = request.META.get("CSRF_COOKIE_NEEDS_UPDATE") or answer.cookies
    return answer.status_code == 200 and not is_personal and len(answer.content) <= LARGEST_BYTES
