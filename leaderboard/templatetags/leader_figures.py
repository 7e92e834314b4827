"""Who leads one board, with what: the first page has dozens of them, which a template takes three times as long for."""

from typing import Protocol

from django.template import Library
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from leaderboard.selectors import BoardHead, BoardRow
from leaderboard.standing import BoardKind
from leaderboard.templatetags.addresses import board_address
from leaderboard.templatetags.figures import product, ratio, said, share, shown
from leaderboard.templatetags.written import EMPTY, Html, isolated, joined, link, small, span, text

register = Library()


class Leading(Protocol):
    @property
    def board(self) -> BoardHead: ...

    @property
    def row(self) -> BoardRow: ...


@register.simple_tag
def leader(one: Leading) -> SafeString:
    """The value, which leads to its board; where or of how many turns; its interval; who; why it has no rank."""
    row = one.row
    inside = joined("\n", _value(one), _of(one), _interval(row), _by(row), _unranked(row))
    return mark_safe(f'<div class="leader">\n{inside}\n</div>')  # noqa: S308 (Html is escaped)


def _figure(row: BoardRow, value: float | None) -> str:
    return ratio(value) if row.kind is BoardKind.SPEED else share(value)


def _value(one: Leading) -> Html:
    row = one.row
    value = text(_figure(row, row.value))
    address = board_address(one.board, row.provenance, row.turn_limit)
    return span("value", link(address, value) if address else value)


def _of(one: Leading) -> Html:
    if one.row.kind is BoardKind.SPEED:
        return small(text(f"on {product(one.board.device)}"))
    return small(text(f"@{one.row.turn_limit}"))


def _interval(row: BoardRow) -> Html:
    if row.low is None:
        return EMPTY
    return span("interval", text(f"{_figure(row, row.low)} to {_figure(row, row.high)}"))


def _by(row: BoardRow) -> Html:
    name = isolated(shown(row.model_name, 60))
    return span(
        "by", link(reverse("model", args=[row.model_slug]), name) if row.model_slug else name
    )


def _unranked(row: BoardRow) -> Html:
    if row.unranked_why in {"", "not_verified"}:
        return EMPTY
    return span("small quiet", text(f"unranked: {said(row.unranked_why, 'unranked')}"))
