"""Makes the rows of boards equal to what was counted, and touches nothing that is equal already."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from operator import itemgetter
from typing import Any, TypeAlias

from django.db.models import Exists, OuterRef, QuerySet

from leaderboard.models import Board, RecordEvent, Standing
from leaderboard.projection import placing, tickets
from leaderboard.projection.inserting import COLUMNS, content_of, insert
from leaderboard.projection.records import Claim, Record, records
from leaderboard.ranking import Provenance
from leaderboard.standing import BoardKey, Row, advances_of, advances_text

_KEY = tuple(field.name for field in fields(BoardKey))
_BATCH = 500
_NO_ADVANCES = advances_text(())

_Place: TypeAlias = tuple[int, str, int, str]  # board, subject, turn limit, provenance


@dataclass(frozen=True, slots=True)
class Written:
    """How many rows were added and taken away; a changed row is both. ``boards`` are those that look different."""

    boards: int
    added: int
    removed: int


def write(
    owned: QuerySet[Standing], rows: Iterable[tuple[BoardKey, Row]], *, revision: int
) -> Written:
    """Replace what ``owned`` selects by ``rows``, and place the boards anew. Call it under the lock of tickets."""
    boards = _Boards()
    wanted = {_place(boards.pk_of(key), row): row for key, row in rows}
    there = {
        _place_of(board, content): (pk, content)
        for pk, board, *content in owned.values_list("pk", "board_id", *COLUMNS)
    }
    added = {
        place: row
        for place, row in wanted.items()
        if place not in there or tuple(there[place][1]) != content_of(row)
    }
    removed = {place: there[place] for place in there if place not in wanted or place in added}
    _remove([pk for pk, _ in removed.values()])
    insert((place[0], row) for place, row in added.items())
    placing.place({(board, limit, word) for board, _, limit, word in (*added, *removed)})
    touched = {place[0] for place in (*added, *removed)}
    _revise(touched, revision)
    before = {_advance(place[0], content) for place, (_, content) in removed.items()}
    now = {_advance(place[0], content_of(row)) for place, row in added.items()}
    for board in sorted({one.board for one in before ^ now if one}):
        _record(board)
    return Written(boards=len(touched), added=len(added), removed=len(removed))


def place_anew(board: int, *, revision: int) -> bool:
    """Place every row of a board, changed or not, and say whether one moved. Call it under the lock of tickets."""
    rows = Standing.objects.filter(board=board).order_by()
    contests = rows.values_list("board_id", "turn_limit", "provenance").distinct()
    moved = placing.place_and_tell(set(contests))
    _revise(moved, revision)
    return bool(moved)


class _Boards:
    """Boards by key, made where they are missing. There are some hundreds: one query reads them all."""

    def __init__(self) -> None:
        self._known: dict[BoardKey, int] = {
            BoardKey(**dict(zip(_KEY, key, strict=True))): pk
            for pk, *key in Board.objects.values_list("pk", *_KEY)
        }

    def pk_of(self, key: BoardKey) -> int:
        if key not in self._known:
            own = {name: getattr(key, name) for name in _KEY}
            made = Board.objects.create(**own, slug=key.slug)
            self._known[key] = int(made.pk)
        return self._known[key]


def _place(board: int, row: Row) -> _Place:
    return (board, row.subject, row.turn_limit, row.provenance)


_SUBJECT, _LIMIT, _PROVENANCE = map(COLUMNS.index, ("subject", "turn_limit", "provenance"))


def _place_of(board: int, content: Sequence[Any]) -> _Place:
    return (board, content[_SUBJECT], content[_LIMIT], content[_PROVENANCE])


def _remove(rows: Sequence[int]) -> None:
    for start in range(0, len(rows), _BATCH):
        Standing.objects.filter(pk__in=rows[start : start + _BATCH]).delete()


def _revise(touched: Iterable[int], revision: int) -> None:
    boards = Board.objects.filter(pk__in=touched)
    remove_empty(boards, revision=revision)
    boards.update(revision=revision)


def remove_empty(boards: QuerySet[Board], *, revision: int) -> None:
    """Take away those of the boards that have no row. Call it under the lock of tickets, with its newest number."""
    empty = boards.exclude(Exists(Standing.objects.filter(board=OuterRef("pk"))))
    if empty.delete()[0]:
        tickets.note_boards_gone(revision)


@dataclass(frozen=True, slots=True)
class _Advances:
    """What of a row the records of its board follow from."""

    board: int
    subject: str
    entry: int
    advances: str


_CLAIMING = itemgetter(
    *map(COLUMNS.index, ("provenance", "unranked_why", "subject", "entry_id", "advances"))
)


def _advance(board: int, content: Sequence[Any]) -> _Advances | None:
    provenance, unranked_why, subject, entry, advances = _CLAIMING(content)
    if provenance != Provenance.VERIFIED or unranked_why or advances == _NO_ADVANCES:
        return None
    return _Advances(board, subject, entry, advances)


_EVENT = (
    "at",
    "subject",
    "entry_id",
    "run",
    "kernel",
    "ratio",
    "ratio_low",
    "ratio_high",
    "before",
)


def _record(board: int) -> None:
    """Make the board's records those that follow from its rows."""
    rows = Standing.objects.filter(
        board=board, provenance=Provenance.VERIFIED, unranked_why=""
    ).exclude(advances=_NO_ADVANCES)
    claims = (
        Claim(subject, entry, advance)
        for subject, entry, text in rows.values_list("subject", "entry_id", "advances")
        for advance in advances_of(text)
    )
    wanted = [_event(one) for one in records(claims)]
    events = RecordEvent.objects.filter(board=board)
    there = {tuple(content): pk for pk, *content in events.values_list("pk", *_EVENT)}
    events.filter(pk__in=[pk for content, pk in there.items() if content not in wanted]).delete()
    RecordEvent.objects.bulk_create(
        RecordEvent(board_id=board, **dict(zip(_EVENT, content, strict=True)))
        for content in wanted
        if content not in there
    )


def _event(one: Record) -> tuple[object, ...]:
    claim, advance = one.claim, one.claim.advance
    return (
        advance.at,
        claim.subject,
        claim.entry_id,
        advance.run,
        advance.kernel,
        advance.ratio,
        advance.low,
        advance.high,
        one.before,
    )
