"""The feed and the page of what changed: new records of speed, and results that are others now than they were."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.views.decorators.http import require_safe

from evaluation.selectors.verdict_changes import Found, VerdictChange, verdict_changes
from leaderboard.selectors import RecordRow, record_rows
from leaderboard.templatetags.figures import product, ratio, shown, words
from leaderboard.views.answers import cached, is_anonymous, not_modified, page, personal
from leaderboard.views.site import Site

MOST_ITEMS = 50
THIS_WEEK = timedelta(days=7)
_BEFORE_ALL = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Item:
    """``name`` is the item's for ever; ``path`` leads to its evidence."""

    at: datetime
    name: str
    path: str
    title: str
    text: str


class Feed(Atom1Feed):
    """Atom, with a date that stays as long as nothing happens."""

    def latest_post_date(self) -> datetime:
        return super().latest_post_date() if self.items else _BEFORE_ALL


@require_safe
def feed(request: HttpRequest, *, site: Site) -> HttpResponse:
    """What is public, as Atom; the same for every visitor."""
    origin = request.build_absolute_uri("/").removesuffix("/")
    made = Feed(
        title="PTXBoard: records and changed results",
        link=f"{origin}/",
        feed_url=f"{origin}{reverse('feed')}",
        description="New verified records of speed, and results that were judged again or struck.",
        language="en",
    )
    for one in feed_items():
        made.add_item(
            title=one.title,
            link=origin + one.path,
            description=one.text,
            pubdate=one.at,
            updateddate=one.at,
            unique_id=origin + one.name,
        )
    text = made.writeString("utf-8")
    etag = hashlib.sha256(text.encode()).hexdigest()[:32]
    if unchanged := not_modified(request, etag):
        return unchanged
    answer = HttpResponse(text, content_type="application/atom+xml; charset=utf-8")
    return cached(answer, etag) if is_anonymous(request) else personal(answer)


@require_safe
def changes(request: HttpRequest, *, site: Site) -> HttpResponse:
    """The items of the feed as a page, those of the last seven days apart."""
    items, since = feed_items(), timezone.now() - THIS_WEEK
    parts = [
        ("In the last seven days", [one for one in items if one.at >= since]),
        ("Before", [one for one in items if one.at < since]),
    ]
    context = {"parts": parts, "full": len(items) == MOST_ITEMS, "most": MOST_ITEMS}
    return page(request, "leaderboard/changes.html", context)


def feed_items() -> list[Item]:
    """The newest of both kinds, the newest first."""
    records = (_record(one) for one in record_rows(most=MOST_ITEMS))
    found = [*records, *_changes()]
    return sorted(found, key=lambda one: (one.at, one.name), reverse=True)[:MOST_ITEMS]


def _record(one: RecordRow) -> Item:
    who = shown(one.model_name, 60) if one.model_name else "an entry"
    place = f"{shown(one.problem)} on {product(one.device)}"
    before = f"before: {ratio(one.before)}" if one.before is not None else "the first one there"
    return Item(
        at=one.at,
        name=f"{reverse('run', args=[one.run])}#record-{one.board}",
        path=reverse("kernel", args=[one.kernel]),
        title=f"Record: {ratio(one.ratio)} at {place}, by {who}",
        text=f"{ratio(one.ratio)} the vendor’s speed, {ratio(one.low)} to {ratio(one.high)}; {before}.",
    )


def _changes() -> Iterator[Item]:
    for one in verdict_changes(at=timezone.now(), most=MOST_ITEMS):
        yield _judged_again(one, one.before, one.now) if one.before and one.now else _struck(one)


def _judged_again(one: VerdictChange, before: Found, now: Found) -> Item:
    path = reverse("run", args=[one.run])
    what = f"{shown(one.problem)} on {product(one.device)}"
    return Item(
        at=one.at,
        name=f"{path}#verdict",
        path=path,
        title=f"Judged again: kernel {one.kernel[:12]} at {what}",
        text=f"Now {_said(now)}; before {_said(before)}. Judge {shown(one.judge)}.",
    )


def _struck(one: VerdictChange) -> Item:
    path = reverse("kernel", args=[one.kernel])
    return Item(
        at=one.at,
        name=f"{path}#struck-{one.problem}-{one.target}-{one.at:%Y%m%dT%H%M%S}",
        path=path,
        title=f"Struck: kernel {one.kernel[:12]} at {shown(one.problem)}",
        text="After review it counts as not correct on every board.",
    )


def _said(found: Found) -> str:
    return f"{words(found.verdict)}, family {words(found.family)}, matrix path {found.matrix_path}"
