"""Places the rows of contests: the rows of one board, turn limit and provenance, among which ranks are taken.

The database does what leaderboard.ranking defines, for whole contests in one statement and without a row that comes
here: boards of thousands of rows are placed anew after every verdict, and few of their rows move.
"""

from collections.abc import Collection, Iterator

from django.db import connection

Contest = tuple[int, int, str]  # board, turn limit, provenance

_CONTESTS_AT_ONCE = 200

# Sorted by value, a low end before a high end of the same value, the ends of a contest give both ranks: how many low
# ends have been passed at a row's high end says how many rows are not surely better, and the other way round. Nothing
# here is joined to itself, because the database cannot know how many rows a contest has and would go through them all
# again for each. So the place that a row has is carried along, and only rows that move are looked up again.
_PLACE = """
WITH touched (contest, board_id, turn_limit, provenance) AS (VALUES {contests}),
there AS (
    SELECT one.id, touched.contest, COALESCE(one.entry_id, 0) AS entry, one.subject, one.value, one.low, one.high,
        CASE WHEN one.unranked_why = '' THEN 0 ELSE 1 END AS behind,
        one.position AS was, COALESCE(one.rank_low, 0) AS was_low, COALESCE(one.rank_high, 0) AS was_high
    FROM touched JOIN leaderboard_standing AS one
        ON one.board_id = touched.board_id AND one.turn_limit = touched.turn_limit
        AND one.provenance = touched.provenance
),
ordered AS (
    SELECT id, contest, behind, low, high, was, was_low, was_high, ROW_NUMBER() OVER (
        PARTITION BY contest
        ORDER BY behind, COALESCE(value, -1) DESC, COALESCE(low, 0) DESC, COALESCE(high, 0) DESC,
            entry, subject {collation}
    ) AS position
    FROM there
),
ends AS (
    SELECT id, contest, behind, position, was, was_low, was_high, low AS place, 0 AS is_high FROM ordered
    UNION ALL
    SELECT id, contest, behind, position, was, was_low, was_high, high AS place, 1 AS is_high
    FROM ordered WHERE behind = 0
),
passed AS (
    SELECT id, behind, position, was, was_low, was_high, is_high,
        SUM(1 - is_high) OVER so_far AS lows, SUM(is_high) OVER so_far AS highs,
        COUNT(*) OVER (PARTITION BY contest, behind) / 2 AS ranked
    FROM ends
    WINDOW so_far AS (PARTITION BY contest, behind ORDER BY place, is_high ROWS UNBOUNDED PRECEDING)
),
found AS (
    SELECT id, MAX(position) AS position, MAX(was) AS was, MAX(was_low) AS was_low, MAX(was_high) AS was_high,
        CASE WHEN MAX(behind) = 0 THEN 1 + MAX(ranked) - MAX(is_high * lows) END AS rank_low,
        CASE WHEN MAX(behind) = 0 THEN MAX(ranked) - MAX((1 - is_high) * highs) END AS rank_high
    FROM passed GROUP BY id
)
UPDATE leaderboard_standing AS one
SET position = found.position, rank_low = found.rank_low, rank_high = found.rank_high
FROM found
WHERE found.id = one.id AND (
    found.was <> found.position
    OR found.was_low <> COALESCE(found.rank_low, 0)
    OR found.was_high <> COALESCE(found.rank_high, 0)
)
"""

# Keys decide between equals of one entry or of none, and not by the rules of a language. SQLite compares so unless
# it is told otherwise.
_BY_CODE_POINT = {"postgresql": 'COLLATE "C"', "sqlite": ""}


def place(contests: Collection[Contest]) -> None:
    """Give every row of these contests its position and ranks; a row that has them already is not touched."""
    with connection.cursor() as cursor:
        for statement, values in _statements(contests):
            cursor.execute(statement, values)


def place_and_tell(contests: Collection[Contest]) -> frozenset[int]:
    """As ``place``, and give the boards on which a row moved. For each such row the key of its board comes here."""
    moved: set[int] = set()
    with connection.cursor() as cursor:
        for statement, values in _statements(contests):
            cursor.execute(f"{statement} RETURNING board_id", values)
            moved.update(board for (board,) in cursor.fetchall())
    return frozenset(moved)


def _statements(contests: Collection[Contest]) -> Iterator[tuple[str, list[int | str]]]:
    """Each with its values."""
    every = sorted(contests)
    for start in range(0, len(every), _CONTESTS_AT_ONCE):
        some = every[start : start + _CONTESTS_AT_ONCE]
        statement = _PLACE.format(
            contests=", ".join(["(%s, %s, %s, %s)"] * len(some)),
            collation=_BY_CODE_POINT[connection.vendor],
        )
        yield statement, [one for row in enumerate(some) for one in (row[0], *row[1])]
