"""Whether a page of boards may look different from the last time, in one query.

A revision is the largest number of the boards that a page is about, and how many they are: a board that lost its last
row is gone, and another one there may have the largest number still. Two equal revisions have seen the same boards:
whatever changes on one gives it a number above all earlier ones, so that of the boards up to a number some can go, and
none can change or come.
"""

from typing import Any

from django.db.models import Count, Max

from evaluation.core.verdict import Target
from leaderboard.models import Board
from leaderboard.standing import BoardKind


def revision_of_place(target: Target, problem: str, suite: str) -> str:
    """Another text after every change of any board there: a page shows reported values beside verified ones."""
    return _revision(target=target, problem=problem, suite=suite)


def revision_of_problem(problem: str) -> str:
    """Another text after every change of any board of the problem, its records among them."""
    return _revision(problem=problem)


def revision_of_all() -> str:
    """Another text after every change of any board or record."""
    return _revision()


def _revision(**where: str) -> str:
    around: dict[str, Any] = Board.objects.filter(**where).aggregate(
        newest=Max("revision"), boards=Count("pk")
    )
    return f"{around['newest'] or 0}.{around['boards']}"


def target_of_device(device: str) -> Target | None:
    """The target under which speed boards have this device; for names that are no product of the catalogue."""
    found = Board.objects.filter(kind=BoardKind.SPEED, device=device).order_by("pk").first()
    return Target(found.target) if found else None
