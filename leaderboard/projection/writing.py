"""Makes the rows of boards equal to what was counted, and touches nothing that is equal already."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TypeAlias

from django.db import connection
from django.db.models import QuerySet

from leaderboard.models import Board, RecordEvent, Standing
from leaderboard.projection import placing
from leaderboard.projection.records import Claim, Record, records
from leaderboard.ranking import Provenance
from leaderboard.standing import BoardKey, BoardKind, Row, advances_of

COLUMNS = tuple(field.name for field in fields(Row))
_KEY = tuple(field.name for field in fields(BoardKey))
_content = attrgetter(*COLUMNS)
_BATCH = 500

_Place: TypeAlias = tuple[int, str, int, str]  # board, subject, turn limit, provenance
_Contest: TypeAlias = tuple[int, int, str]  # the same without the subject


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
    columns = ("pk", "board_id", *COLUMNS)
    there = {
        (board, *_row_key(content)): (pk, tuple(content))
        for pk, board, *content in owned.values_list(*columns)
    }
    added = {
        place: row
        for place, row in wanted.items()
        if place not in there or there[place][1] != _content(row)
    }
    removed = {
        place: pk for place, (pk, _) in there.items() if place not in wanted or place in added
    }
    touched = {place[0] for place in (*added, *removed)}
    for start in range(0, len(removed), _BATCH):
        gone = [*removed.values()][start : start + _BATCH]
        Standing.objects.filter(pk__in=gone).delete()
    for contest in sorted({(board, *rest) for board, _, *rest in (*added, *removed)}):
        _add(contest, [row for place, row in added.items() if (place[0], *place[2:]) == contest])
    _revise(touched, revision)
    return Written(boards=len(touched), added=len(added), removed=len(removed))


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


def _row_key(content: Sequence[object]) -> tuple[object, ...]:
    return tuple(content[COLUMNS.index(name)] for name in ("subject", "turn_limit", "provenance"))


_PLACED = ("subject", "turn_limit", "provenance", "value", "low", "high", "unranked_why")
_placed = attrgetter(*_PLACED)


def _add(contest: _Contest, added: Sequence[Row]) -> None:
    """Add rows to one contest, from which others may have gone, and move those that are there to their new places."""
    board, limit, provenance = contest
    there = [
        (placing.Standing(*row[: len(_PLACED)]), *row[len(_PLACED) :])
        for row in Standing.objects.filter(
            board=board, turn_limit=limit, provenance=provenance
        ).values_list(*_PLACED, "pk", "position", "rank_low", "rank_high")
    ]
    found = placing.positions(
        [*(one for one, *_ in there), *(placing.Standing(*_placed(row)) for row in added)]
    )
    _move(
        (found[one.key], pk)
        for one, pk, *before in there
        if found[one.key] != placing.Position(*before)
    )
    Standing.objects.bulk_create((_standing(board, row, found) for row in added), batch_size=_BATCH)


def _standing(board: int, row: Row, found: Mapping[placing.Key, placing.Position]) -> Standing:
    place = found[row.subject, row.turn_limit, row.provenance]
    return Standing(
        board_id=board,
        position=place.position,
        rank_low=place.rank_low,
        rank_high=place.rank_high,
        **dict(zip(COLUMNS, _content(row), strict=True)),
    )


def _move(moved: Iterable[tuple[placing.Position, int]]) -> None:
    """A new leader moves every row below it: one prepared statement for all, which the ORM does not have."""
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE leaderboard_standing SET position = %s, rank_low = %s, rank_high = %s WHERE id = %s",
            [(to.position, to.rank_low, to.rank_high, pk) for to, pk in moved],
        )


def _revise(touched: Iterable[int], revision: int) -> None:
    boards = Board.objects.filter(pk__in=touched)
    boards.filter(standings=None).delete()
    boards.update(revision=revision)
    for board in boards.filter(kind=BoardKind.SPEED).values_list("pk", flat=True):
        _record(board)


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
    ).exclude(advances="[]")
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
