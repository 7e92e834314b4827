"""Pages of entries and trajectories: what was handed in, turn by turn, with what we found beside what it reported."""

from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from evaluation.core.errors import ToolFailure
from evaluation.core.ports import Artifacts
from evaluation.selectors import NotVisible, TrajectoryRow, TurnRow, entry_page, trajectory_page
from evaluation.selectors.entry_costs import gpu_seconds
from evaluation.selectors.timed_turns import timed_turns
from leaderboard.charts.curves import curves
from leaderboard.charts.turns import turn_charts
from leaderboard.selectors import entry_cells
from leaderboard.selectors.best_cells import over_turns
from leaderboard.selectors.cells import CellsOf
from leaderboard.templatetags.addresses import EvidenceAddresses
from leaderboard.templatetags.files import saved_as
from leaderboard.views.answers import (
    found_or_404,
    page,
    redirected_to,
    refused,
    refuses_wrong_questions,
    saved,
)
from leaderboard.views.asked import read_first
from leaderboard.views.cell_tables import cell_tables
from leaderboard.views.drawn import drawn, draws_charts
from leaderboard.views.model_views import over_turns_files
from leaderboard.views.site import Site
from leaderboard.views.stage_evidence import ShownText, shown_text
from leaderboard.views.turn_chips import turn_chips

REPLY_BYTES = 1 << 20
REPLIES_BYTES = 1 << 20  # of all replies that one page shows
DOCUMENT_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class TrajectoryLine:
    """A trajectory with its turns as items of a list."""

    trajectory: TrajectoryRow
    chips: SafeString


@dataclass(frozen=True, slots=True)
class TurnLine:
    """A turn with the text of its reply, None where there is none to show; ``before`` is the kernel before it.

    ``last`` and ``next`` are the numbers of the turns around it, None at the ends.
    """

    turn: TurnRow
    reply: ShownText | None
    before: str
    last: int | None
    next: int | None


@require_safe
@draws_charts
@refuses_wrong_questions
@found_or_404
def entry(request: HttpRequest, uid: UUID, *, site: Site) -> HttpResponse:
    first = read_first(request.GET)
    viewer = site.viewer_of(request)
    found = entry_page(viewer, uid, first=first)
    canonical = f"first={first}" if first else ""
    if moved := redirected_to(request, canonical):
        return moved
    to = EvidenceAddresses.looked_up()
    context = {
        "entry": found,
        "canonical": canonical,
        "head": found.head,
        "lines": [TrajectoryLine(one, turn_chips(one, to)) for one in found.trajectories],
        "last": first + len(found.trajectories),
        "several_targets": len({one.target for one in found.parts}) > 1,
    }
    if not first:
        cells, known = entry_cells(uid), site.titles
        rates = over_turns(CellsOf(entry=uid), cells)
        charts = (*curves(rates, known), *turn_charts(timed_turns(viewer, uid)))
        context |= {
            "tables": cell_tables(cells, known),
            "charts": drawn(
                charts,
                over_turns_files(saved_as("entry_over_turns_export", uid=uid))
                | dict.fromkeys(
                    ("reported", "tokens"), saved_as("entry_timed_turns_export", uid=uid)
                ),
            ),
            "gpu_seconds": gpu_seconds(viewer, uid),
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
    numbers = [None, *(one.number for one in turns), None]
    for place, turn in enumerate(turns):
        reply = _reply(turn, left, store) if turn.reply else None
        left -= len(reply.text) if reply else 0
        lines.append(TurnLine(turn, reply, before, numbers[place], numbers[place + 2]))
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
