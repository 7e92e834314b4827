"""Cells of one model or of one entry: those of the newest boards, and all of them page by page."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from leaderboard.estimates import Unranked
from leaderboard.models import Standing
from leaderboard.selectors.board_index import BoardHead, head
from leaderboard.selectors.board_row import BoardRow, board_row
from leaderboard.selectors.list_order import ListOrder, Sortable, if_known, ordering
from leaderboard.selectors.newest_boards import newest_boards
from leaderboard.standing import BoardKind

MOST_CELLS = 400
CELLS_A_PAGE = 100
MOST_TURNS = 2**31 - 1  # as the column can hold


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row with the board it stands on; ``others`` are how many more rows it was chosen from there."""

    board: BoardHead
    row: BoardRow
    others: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CellsOf:
    """Whose cells: of a listed model by its slug, or of a public entry, also before its model is accepted."""

    model: str = ""
    entry: UUID | None = None

    def rows(self) -> QuerySet[Standing]:
        if self.entry is not None:
            return Standing.objects.filter(entry__uid=self.entry)
        there = Standing.objects.filter(model__slug=self.model)
        return there.exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFilter:
    """Empty words filter nothing."""

    provenance: str = ""
    target: str = ""
    kind: str = ""
    problem: str = ""

    def of(self, rows: QuerySet[Standing]) -> QuerySet[Standing]:
        words = {
            "provenance": self.provenance,
            "board__target": self.target,
            "board__kind": self.kind,
            "board__problem": self.problem,
        }
        return rows.filter(**{name: word for name, word in words.items() if word})


@dataclass(frozen=True, slots=True)
class CellPage:
    """At most CELLS_A_PAGE cells, of ``total``."""

    cells: tuple[PlacedRow, ...]
    total: int


def entry_cells(uid: UUID) -> tuple[PlacedRow, ...]:
    """The cells of a public entry at the most turns that each has, on the newest board of each question; two queries.

    At most MOST_CELLS, verified ones first.
    """
    rows = CellsOf(entry=uid).rows()
    found = with_most_turns(rows.filter(board__in=newest_boards(rows))).order_by(*_ORDER)
    return placed(found[:MOST_CELLS])


def with_most_turns(rows: QuerySet[Standing], turn_limit: int = MOST_TURNS) -> QuerySet[Standing]:
    """Of each subject on each board the row of the largest turn limit up to this one."""
    later = Standing.objects.filter(
        board=OuterRef("board"),
        subject=OuterRef("subject"),
        provenance=OuterRef("provenance"),
        turn_limit__gt=OuterRef("turn_limit"),
        turn_limit__lte=turn_limit,
    )
    return rows.filter(~Exists(later), turn_limit__lte=turn_limit)


def cell_page(
    whose: CellsOf, asked: CellFilter, *, start: int = 0, order: ListOrder | None = None
) -> CellPage:
    """Every cell there is, of all series, versions and turn limits, by boards or in ``order``; two queries.

    In any order those of one provenance and finding stand together: no other two cells compare. The database sorts the
    cells of one model or entry, whose cells an index finds.
    """
    found = asked.of(whose.rows())
    by = (*_TABLES, *ordering(order, _COLUMNS, _IN_TABLE))
    cells = placed(found.order_by(*by)[start : start + CELLS_A_PAGE])
    return CellPage(cells, found.count())


def placed(rows: QuerySet[Standing]) -> tuple[PlacedRow, ...]:
    """Read rows; where they are annotated with ``several``, that many they were chosen from."""
    found = rows.select_related("board", "entry", "model")
    return tuple(
        PlacedRow(
            head(one.board),
            board_row(one, BoardKind(one.board.kind)),
            getattr(one, "several", 1) - 1,
        )
        for one in found
    )


# Words of provenance happen to stand in the order of their weight backwards: verified, reported, paper.
_TABLES = ("-provenance", "board__kind")
_IN_TABLE = ("board__target", "board__slug", "subject", "turn_limit")
_ORDER = (*_TABLES, *_IN_TABLE)
_COLUMNS: Mapping[str, Sortable] = {
    "problem": if_known("board__problem"),
    "place": Coalesce(if_known("board__device"), F("board__target")),
    "T": F("turn_limit"),
    "rank": F("rank_low"),
    "value": F("value"),
}
