"""Where rows stand, for a page that has none to show."""

from dataclasses import dataclass

from django.db.models import Count, Max

from evaluation.core.verdict import Target
from leaderboard.estimates import Unranked
from leaderboard.models import Standing
from leaderboard.ranking import Provenance
from leaderboard.standing import BoardKind


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """So many subjects stand at this problem or suite with values of this provenance; T goes up to ``turn_limit``."""

    provenance: Provenance
    problem: str
    suite: str
    subjects: int
    turn_limit: int


def elsewhere(kind: BoardKind, target: Target, device: str = "") -> tuple[Elsewhere, ...]:
    """Every place of such boards that shows something, verified ones first; one query."""
    found = (
        Standing.objects.filter(board__kind=kind, board__target=target, board__device=device)
        .exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)
        .values_list("provenance", "board__problem", "board__suite")
        .annotate(subjects=Count("subject", distinct=True), limit=Max("turn_limit"))
        .order_by("board__suite", "board__problem")
    )
    rows = [Elsewhere(Provenance(row[0]), *row[1:]) for row in found]
    return tuple(sorted(rows, key=lambda one: tuple(Provenance).index(one.provenance)))
