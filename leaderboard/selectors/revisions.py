"""Whether a board page may look different from the last time, in one query."""

from django.db.models import Max

from evaluation.core.verdict import Target
from leaderboard.models import Board
from leaderboard.standing import BoardKind


def newest_revision(target: Target, problem: str, suite: str) -> int:
    """A larger number after every change of any board there: a page shows reported values beside verified ones."""
    around = Board.objects.filter(target=target, problem=problem, suite=suite)
    return around.aggregate(newest=Max("revision"))["newest"] or 0


def target_of_device(device: str) -> Target | None:
    """The target under which speed boards have this device; for names that are no product of the catalogue."""
    found = Board.objects.filter(kind=BoardKind.SPEED, device=device).order_by("pk").first()
    return Target(found.target) if found else None
