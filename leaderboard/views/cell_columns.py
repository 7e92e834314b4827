"""The columns of tables of cells, and their heads: boards of speed and published values name some of them otherwise."""

from leaderboard.ranking import Provenance
from leaderboard.standing import BoardKind
from leaderboard.views.arrangement import (
    Head,
    ListArrangement,
    ListColumn,
    ListColumns,
    OtherWords,
    heads,
)

# Names are those of a form, which speaks of tables of all kinds. What a phone shows without a swipe stands first.
CELL_COLUMNS = ListColumns(
    (
        ListColumn("problem", "Problem", stands=True),
        ListColumn("T", "T", is_figure=True, stands=True),
        ListColumn("value", "Best ratio or value", is_figure=True, largest_first=True, stands=True),
        ListColumn("rank", "Rank", is_figure=True),
        ListColumn("place", "Target or device", stands=True),
        ListColumn("entry", "Entry or publication", orders=False),
        ListColumn("rest", "Times or other rates", orders=False),
        ListColumn("beside", "Not in these numbers", orders=False),
    )
)


def plain_cell_heads(
    kind: BoardKind, provenance: Provenance, shown: tuple[str, ...]
) -> tuple[Head, ...]:
    """Of a table in the order of its boards alone."""
    names = _names(kind, provenance)
    return tuple(
        Head(names.get(one.key, one.name), one.is_figure)
        for one in CELL_COLUMNS.columns
        if one.key in shown
    )


def cell_heads(
    kind: BoardKind, provenance: Provenance, arrangement: ListArrangement, other: OtherWords
) -> tuple[Head, ...]:
    return heads(arrangement, other, _names(kind, provenance))


def _names(kind: BoardKind, provenance: Provenance) -> dict[str, str]:
    is_speed = kind is BoardKind.SPEED
    return {
        "place": "Device" if is_speed else "Target",
        "entry": "Publication" if provenance is Provenance.PAPER else "Entry",
        "value": "Best ratio" if is_speed else "Value",
        "rest": "Kernel / vendor" if is_speed else "Other rates",
    }
