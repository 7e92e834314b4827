"""Whether a page of boards may look different from the last time, in one query.

A revision is the number of the latest change of the boards that a page is about, or of the latest one that took a board
away anywhere, whichever is later. It only ever grows: a board that is changed gets a number above all earlier ones, and
one that is gone leaves the number that took it away. So no revision is had twice, and two equal ones have seen the
same boards. The newest number of the boards alone would fall when a board goes, and could come back to what it was
when something stood there that stands there no more.
"""

from django.db.models import Subquery

from evaluation.core.verdict import Target
from leaderboard.models import Board, Tickets
from leaderboard.standing import BoardKind


def revision_of_place(target: Target, problem: str, suite: str) -> int:
    """A larger number after every change of any board there: a page shows reported values beside verified ones."""
    return _revision(target=target, problem=problem, suite=suite)


def revision_of_problem(problem: str) -> int:
    """A larger number after every change of any board of the problem, its records among them."""
    return _revision(problem=problem)


def revision_of_all() -> int:
    """A larger number after every change of any board or record."""
    return _revision()


def _revision(**where: str) -> int:
    newest = Board.objects.filter(**where).order_by("-revision").values("revision")[:1]
    book = Tickets.objects.values_list("boards_gone", Subquery(newest)).first()
    return max(one or 0 for one in book) if book else 0


def target_of_device(device: str) -> Target | None:
    """The target under which speed boards have this device; for names that are no product of the catalogue."""
    found = Board.objects.filter(kind=BoardKind.SPEED, device=device).order_by("pk").first()
    return Target(found.target) if found else None
