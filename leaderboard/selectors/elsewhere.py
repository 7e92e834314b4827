"""Where rows stand, for a page that has none to show."""

from dataclasses import dataclass

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from evaluation.core.verdict import Target
from leaderboard.estimates import Unranked
from leaderboard.models import Board, Standing
from leaderboard.ranking import Provenance
from leaderboard.standing import BoardKind, series_age


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Rows with values of this provenance stand at this problem or suite in the first ``turn_limit`` turns."""

    provenance: Provenance
    problem: str
    suite: str
    language: str
    turn_limit: int


def elsewhere(
    kind: BoardKind, target: Target, device: str = "", *, turn_limit: int
) -> tuple[Elsewhere, ...]:
    """Every place of such boards that shows something, verified ones first; one query.

    Of each it is the newest board with such values, at the largest turn limit up to ``turn_limit`` that has rows, or
    else at the smallest above. An index answers that for each board, however many rows it has; a count would not.
    """
    limits = {_column(one): _limit(one, turn_limit) for one in Provenance}
    found = Board.objects.filter(kind=kind, target=target, device=device).annotate(**limits)
    # The newest one of a place comes last and stays.
    ordered = sorted(found, key=lambda one: series_age(one.problem_version, one.judge))
    told = {
        (place, one.suite, one.problem, one.language): Elsewhere(
            provenance, one.problem, one.suite, one.language, limit
        )
        for place, provenance in enumerate(Provenance)
        for one in ordered
        if (limit := getattr(one, _column(provenance)))
    }
    return tuple(told[key] for key in sorted(told))


def _column(provenance: Provenance) -> str:
    return f"limit_{provenance}"


def _limit(provenance: Provenance, most: int) -> Coalesce:
    there = (
        Standing.objects.filter(board=OuterRef("pk"), provenance=provenance)
        .exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)
        .values("turn_limit")
    )
    below = there.filter(turn_limit__lte=most).order_by("-turn_limit")
    above = there.filter(turn_limit__gt=most).order_by("turn_limit")
    return Coalesce(Subquery(below[:1]), Subquery(above[:1]))
