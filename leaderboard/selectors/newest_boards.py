"""Which boards are of the newest problem version and judge series, among those that some rows stand on."""

from django.db.models import QuerySet

from leaderboard.models import Board, Standing
from leaderboard.standing import series_age

_QUESTION = ("kind", "target", "device", "problem", "suite", "language")


def newest_boards(rows: QuerySet[Standing]) -> list[int]:
    """Keys of boards; one query. Boards without a judge series hold what others say, and have a newest of their own."""
    found = Board.objects.filter(pk__in=rows.order_by().values("board"))
    latest: dict[tuple[object, ...], tuple[tuple[int, int, str], int]] = {}
    for key, version, judge, *question in found.values_list(
        "pk", "problem_version", "judge", *_QUESTION
    ):
        place = (bool(judge), *question)
        age = series_age(version, judge)
        if place not in latest or age > latest[place][0]:
            latest[place] = (age, key)
    return sorted(key for _, key in latest.values())
