"""Badges of entries, to be shown on other sites."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from evaluation.core.quoting import counted
from leaderboard.exports.badge import badge as drawn
from leaderboard.selectors.badge_row import BadgeRow, badge_row
from leaderboard.templatetags.figures import product, rank, shown
from leaderboard.views.site import Site

# Others copy badges, and ask again as seldom as they are told to.
BADGE_SECONDS = 300


@require_safe
def badge(request: HttpRequest, uid: UUID, board: str, *, site: Site) -> HttpResponse:
    """The rank of a public entry as a range, with the judge series. It is the same for every visitor."""
    found = badge_row(uid, board, at=timezone.now())
    if found is None:
        raise Http404
    said = shown(f"PTXBoard {found.board.kind} {_place(found)}", 60)
    is_ranked = found.rank_low is not None
    value = f"rank {rank(found)}" if is_ranked else "not ranked"
    value += f" · judge {found.board.judge}"
    title = f"{said}, first {counted(found.turn_limit, 'turn')}: {value}"
    answer = HttpResponse(
        drawn(said, value, title=title, is_ranked=is_ranked), content_type="image/svg+xml"
    )
    patch_cache_control(answer, public=True, max_age=BADGE_SECONDS)
    return answer


def _place(found: BadgeRow) -> str:
    where = product(found.board.device) if found.board.device else found.board.target.title()
    what = found.board.problem or f"suite {found.board.suite}"
    return f"{where} {what}"
