"""The head of a board's table: a name a column, which orders the rows by it, and says so where they are."""

from collections.abc import Iterator, Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.standing import BoardKind
from leaderboard.templatetags.figures import said
from leaderboard.views.arrangement import Choice, Head, next_sort
from leaderboard.views.asked import Asked
from leaderboard.views.board_arrangement import COLUMNS, Arrangement, sort_keys
from leaderboard.views.board_lines import RateColumn

NAMES = {
    "who": "Who",
    "ratio": "Best ratio",
    "times": "Kernel / vendor",
    "median": "Median of correct turns",
    "beside": "Not in these numbers",
    "devices": "Measured on",
}
_OF_SPEED = ("ratio", "times", "fast", "median")


def heads(arrangement: Arrangement, rates: Sequence[RateColumn], asked: Asked) -> tuple[Head, ...]:
    """In the order of the cells of a row. ``rates`` are those that are shown."""
    return tuple(_heads(arrangement, rates, asked))


def choices(arrangement: Arrangement, asked: Asked) -> tuple[Choice, ...]:
    return tuple(
        Choice(one, _name(one, asked), one in arrangement.shown)
        for one in COLUMNS[arrangement.kind]
    )


def sort_choices(kind: BoardKind, asked: Asked) -> tuple[tuple[str, str], ...]:
    """Words of ``sort`` with what they mean, for a form."""
    return tuple((one, str(_plain_name(one, asked))) for one in sort_keys(kind))


def _heads(arrangement: Arrangement, rates: Sequence[RateColumn], asked: Asked) -> Iterator[Head]:
    by_rank = asked.other(sort="") if arrangement.order else ""
    yield Head("Rank", is_figure=True, address=by_rank)
    yield _head("who", arrangement, asked, is_figure=False)
    for key in arrangement.shown:
        if key in _OF_SPEED:
            yield _head(key, arrangement, asked)
    for rate in rates:
        yield _head(rate.name, arrangement, asked, evidence=rate.evidence)
    for key in ("beside", "devices"):
        if key in arrangement.shown:
            yield Head(NAMES[key])


def _head(
    key: str, arrangement: Arrangement, asked: Asked, *, evidence: str = "", is_figure: bool = True
) -> Head:
    name = _name(key, asked)
    if evidence:
        name = format_html('{} <span class="small">{}</span>', name, said(evidence, "evidence"))
    can_sort = key in sort_keys(arrangement.kind)
    address = asked.other(sort=next_sort(asked.sort, key)) if can_sort else ""
    return Head(name, is_figure, address, _aria(arrangement, key))


def _aria(arrangement: Arrangement, key: str) -> str:
    order = arrangement.order
    if order is None or order.key != key:
        return ""
    smallest_first = key in ("who", "times")
    return "ascending" if smallest_first is not order.is_reversed else "descending"


def _name(key: str, asked: Asked) -> SafeString | str:
    if key == "fast":
        return format_html("Fast<sub>{}</sub>@{}", f"{asked.factor:g}", asked.turns)
    return NAMES.get(key) or said(key, "rate")


def _plain_name(key: str, asked: Asked) -> str:
    return f"Fast_p, p = {asked.factor:g}" if key == "fast" else NAMES.get(key) or said(key, "rate")
