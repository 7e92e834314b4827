"""Pages of entries and trajectories: what was handed in, turn by turn, with what we found beside what it reported."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation.core.errors import ToolFailure
from evaluation.core.ports import Artifacts
from evaluation.selectors import NotVisible, TurnRow, entry_page, trajectory_page
from evaluation.selectors.entries import TRAJECTORIES_SHOWN
from leaderboard.charts.curves import curves
from leaderboard.charts.turns import turn_charts
from leaderboard.selectors import entry_cells
from leaderboard.views.answers import WrongQuestion, found_or_404, page, refused, saved
from leaderboard.views.drawn import drawn, draws_charts
from leaderboard.views.model_views import cell_tables, titles
from leaderboard.views.site import Site
from leaderboard.views.stage_evidence import ShownText, shown_text

REPLY_BYTES = 1 << 20
REPLIES_BYTES = 1 << 20  # of all replies that one page shows
DOCUMENT_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class TurnLine:
    """A turn with the text of its reply, None where there is none to show; ``before`` is the kernel before it."""

    turn: TurnRow
    reply: ShownText | None
    before: str


@require_safe
@draws_charts
@found_or_404
def entry(request: HttpRequest, uid: UUID, *, site: Site) -> HttpResponse:
    try:
        first = _first(request)
    except WrongQuestion as wrong:
        return refused(request, str(wrong))
    found = entry_page(site.viewer_of(request), uid, first=first)
    cells = entry_cells(uid)
    context = {
        "entry": found,
        "head": found.head,
        "tables": cell_tables(cells, titles(site)),
        "charts": drawn((*curves(cells, titles(site)), *turn_charts(found.trajectories))),
        "last": first + len(found.trajectories),
        "next_first": first + TRAJECTORIES_SHOWN,
        "has_more": first + len(found.trajectories) < found.count,
    }
    return page(request, "leaderboard/entry.html", context)


@require_safe
@found_or_404
def trajectory(request: HttpRequest, uid: UUID, *, site: Site) -> HttpResponse:
    found = trajectory_page(site.viewer_of(request), uid)
    context = {
        "page": found,
        "head": found.head,
        "trajectory": found.trajectory,
        "lines": _lines(found.trajectory.turns, site.artifacts()),
    }
    return page(request, "leaderboard/trajectory.html", context)


@require_safe
@found_or_404
def trajectory_document(request: HttpRequest, uid: UUID, *, site: Site) -> HttpResponse:
    """The document as it is kept, without the secrets that were in it."""
    found = trajectory_page(site.viewer_of(request), uid)
    if not found.document:
        raise NotVisible
    try:
        content = site.artifacts().get(found.document, limit_bytes=DOCUMENT_BYTES)
    except ToolFailure:
        return refused(request, "The document of this trajectory is not kept here.", status=404)
    return saved(content, f"{uid}.json")


def _lines(turns: tuple[TurnRow, ...], store: Artifacts) -> list[TurnLine]:
    lines: list[TurnLine] = []
    left, before = REPLIES_BYTES, ""
    for turn in turns:
        reply = _reply(turn, left, store) if turn.reply else None
        left -= len(reply.text) if reply else 0
        lines.append(TurnLine(turn, reply, before))
        before = turn.kernel or before
    return lines


def _reply(turn: TurnRow, left: int, store: Artifacts) -> ShownText:
    title = "The reply"
    if left <= 0:
        return ShownText(title, "", "The replies before it fill this page; the document has it.")
    try:
        return shown_text(title, store.get(turn.reply, limit_bytes=REPLY_BYTES))
    except ToolFailure:
        return ShownText(title, "", "It is too large to be shown, or not kept here.")


def _first(request: HttpRequest) -> int:
    """Where the list begins. Raise WrongQuestion for anything but a page's own links."""
    if request.GET.keys() - {"first"}:
        raise WrongQuestion("The page of an entry takes one filter, “first”.")
    word = request.GET.get("first", "0")
    if not (word.isascii() and word.isdecimal() and len(word) < 9):
        raise WrongQuestion("The filter “first” takes a whole number.")
    return int(word)
