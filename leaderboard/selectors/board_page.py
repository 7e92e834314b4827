"""A board as a page shows it: the rows of one turn limit and provenance, in their order."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, FloatField, OuterRef, Q, Subquery, Value

from evaluation.core.verdict import Language, Target
from leaderboard.estimates import Unranked
from leaderboard.models import Board, Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.board_index import BoardHead, head
from leaderboard.selectors.board_order import Order, page_in_order
from leaderboard.selectors.board_row import BoardRow, board_row
from leaderboard.standing import BoardKind, series_age

MOST_ROWS = 50


class NoBoard(LookupError):
    """Nothing stands where the query asks; the text says what would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardQuery:
    """What a page asks for: a kind, a target or (for speed) a device, and a problem or a suite.

    Without ``problem_version`` or ``judge`` the newest is meant. ``track`` keeps the rows of one kind of author, and
    changes no rank, as ``order`` does not; without one rows come in the order of the board.
    """

    kind: BoardKind
    target: Target
    device: str = ""
    problem: str = ""
    suite: str = ""
    language: Language = Language.CUDA
    problem_version: int | None = None
    judge: str | None = None
    turn_limit: int = 8
    provenance: Provenance = Provenance.VERIFIED
    track: str = ""
    order: Order | None = None


@dataclass(frozen=True, slots=True)
class BoardPage:
    """``heads`` are the boards of other versions and judge series there; ``turn_limits`` those that have rows.

    At most MOST_ROWS rows; ``total`` counts all.
    """

    head: BoardHead
    heads: tuple[BoardHead, ...]
    turn_limits: tuple[int, ...]
    rows: tuple[BoardRow, ...]
    total: int


def board_page(query: BoardQuery, *, start: int = 0) -> BoardPage:
    """Read a page in at most three queries, four in another order. Raise NoBoard where there is no such board.

    Raise TooManyRows where there are too many for that order.
    """
    boards = _boards(query)
    board = next(
        (
            one
            for one in boards
            if query.problem_version in (None, one.problem_version)
            and query.judge in (None, one.judge)
        ),
        None,
    )
    if board is None:
        raise NoBoard(f"no {query.provenance} value stands on such a {query.kind} board yet")
    listed = Standing.objects.filter(board=board, provenance=query.provenance).exclude(
        unranked_why=Unranked.MODEL_NOT_ACCEPTED
    )
    of_track = Q(model__track=query.track) if query.track else Q()
    # Without a filter an index alone has the counts.
    counted = Count("pk", filter=of_track) if query.track else Count("*")
    counts = listed.values("turn_limit").annotate(rows=counted).order_by("turn_limit")
    limits = dict(counts.values_list("turn_limit", "rows"))
    total = limits.get(query.turn_limit, 0)
    rows = listed.filter(of_track, turn_limit=query.turn_limit).select_related("entry", "model")
    rows = rows.annotate(told=_told(board, query))
    shown = page_in_order(rows, query.order, start=start, most=MOST_ROWS) if start < total else []
    return BoardPage(
        head=head(board),
        heads=tuple(head(one) for one in boards),
        turn_limits=tuple(limits),
        rows=tuple(board_row(one, query.kind, getattr(one, "told", None)) for one in shown),
        total=total,
    )


def _boards(query: BoardQuery) -> tuple[Any, ...]:
    """The newest version and judge series first."""
    shown = Standing.objects.filter(board=OuterRef("pk"), provenance=query.provenance)
    found = Board.objects.filter(
        Exists(shown),
        kind=query.kind,
        target=query.target,
        device=query.device,
        problem=query.problem,
        suite=query.suite,
        language=query.language,
    )
    return tuple(
        sorted(found, key=lambda one: series_age(one.problem_version, one.judge), reverse=True)
    )


def _told(board: Board, query: BoardQuery) -> Subquery | Value:
    """The best ratio that an upload itself says, from the boards of the devices where it says it ran."""
    if query.kind is not BoardKind.SPEED or query.provenance is not Provenance.VERIFIED:
        return Value(None, output_field=FloatField())
    there = Standing.objects.filter(
        board__kind=BoardKind.SPEED,
        board__target=board.target,
        board__problem=board.problem,
        board__suite=board.suite,
        board__problem_version=board.problem_version,
        board__language=board.language,
        provenance=Provenance.REPORTED,
        turn_limit=query.turn_limit,
        entry=OuterRef("entry"),
        subject=OuterRef("subject"),
    )
    return Subquery(there.order_by(F("value").desc(nulls_last=True)).values("value")[:1])
