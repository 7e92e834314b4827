"""Tags that lead from a figure to where it stands or comes from."""

from urllib.parse import urlencode

from django.template import Library
from django.urls import NoReverseMatch, reverse

from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardHead
from leaderboard.standing import BoardKind

register = Library()


@register.simple_tag
def board_address(head: BoardHead, provenance: str = "", turn_limit: int | None = None) -> str:
    """The board's page; empty for a device whose name is no part of an address."""
    words = {
        "problem": head.problem,
        "suite": "" if head.suite == "paper" else head.suite,
        "T": str(turn_limit or ""),
        "language": "" if head.language == "cuda" else head.language,
        "provenance": "" if provenance == Provenance.VERIFIED else provenance,
    }
    query = urlencode({name: word for name, word in words.items() if word})
    try:
        path = _path(head)
    except NoReverseMatch:
        return ""
    return f"{path}?{query}" if query else path


@register.simple_tag
def rule_address(rule: str) -> str:
    """Where the page of verdicts says what a rule asks."""
    anchor = "".join(one if one.isalnum() or one == "_" else "-" for one in rule.lower())
    return f"{reverse('verdicts')}#{anchor.strip('-')}"


def _path(head: BoardHead) -> str:
    if head.kind is BoardKind.SPEED:
        return reverse("speed_board", args=[head.device])
    return reverse(f"{head.kind}_board", args=[head.target])
