"""What the gap chart reads: both rates of models at problems on devices, joined from the two boards they stand on.

With many models it draws them in parts, each of them a fair choice: every n-th by name, and at every problem the same.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluation.core.verdict import Language
from evaluation.models import Model
from leaderboard.estimates import Unranked
from leaderboard.models import Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.best_cells import best_of
from leaderboard.selectors.board_index import BoardHead
from leaderboard.selectors.board_row import BoardRow
from leaderboard.selectors.cells import PlacedRow, placed
from leaderboard.selectors.newest_boards import newest_boards
from leaderboard.standing import BoardKind, RateName, ShownRate, rates_of

DOTS_AIMED = 240  # of a part; a model that was measured on several devices has more
MOST_DOTS = 480
# How a publication knows of its instructions; the stronger one first.
_EVIDENCE = ("", "dynamic_sass", "ptx_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class GapQuery:
    """Empty words filter nothing. ``part`` counts from 1."""

    provenance: Provenance
    turn_limit: int
    problems: tuple[str, ...]
    language: Language = Language.CUDA
    target: str = ""
    track: str = ""
    part: int = 1


@dataclass(frozen=True, slots=True)
class GapPoint:
    """One model at one problem on one device: the share of correct turns, and of those that executed the family too.

    ``board`` and ``row`` are those of the instruction board; of several entries there it is the one with the largest
    family-correct share, and ``others`` counts the rest.
    """

    board: BoardHead
    row: BoardRow
    correct: ShownRate
    family: ShownRate
    others: int = 0


@dataclass(frozen=True, slots=True)
class GapPart:
    """The points of ``drawn`` models of ``models``, in one of ``parts``; ``cut`` where they are more than MOST_DOTS."""

    points: tuple[GapPoint, ...]
    drawn: int
    models: int
    part: int
    parts: int
    cut: bool


def gap_part(asked: GapQuery) -> GapPart:
    """Read one part of the newest version and judge series of each problem; four queries, however many rows there are.

    Entries whose model is not accepted have no dot: the chart is of models.
    """
    rows = _rows(asked).filter(board__kind=BoardKind.INSTRUCTION)
    boards = newest_boards(rows)
    rows = rows.filter(board__in=boards)
    models = _models(rows)
    parts = -(-len(models) * len(boards) // DOTS_AIMED) or 1
    chosen = models[asked.part - 1 :: parts] if asked.part <= parts else []
    apart = ("model", "devices", "reported_device", "publication")
    best = best_of(rows.filter(model__in=chosen), *apart)
    order = ("board__problem", "board__target", "model__name", "subject")
    found = placed(best.order_by(*order)[: MOST_DOTS + 1])
    correct = _correct(asked, found, chosen)
    points = (_point(one, correct.get(_key(one.board, one.row.subject))) for one in found)
    shown = tuple(one for one in points if one is not None)
    return GapPart(
        points=shown[:MOST_DOTS],
        drawn=len(chosen),
        models=len(models),
        part=asked.part,
        parts=parts,
        cut=len(found) > MOST_DOTS,
    )


def _rows(asked: GapQuery) -> QuerySet[Standing]:
    words = {"board__target": asked.target, "model__track": asked.track}
    return Standing.objects.filter(
        provenance=asked.provenance,
        turn_limit=asked.turn_limit,
        board__language=asked.language,
        board__problem__in=asked.problems,
        model__isnull=False,
        **{name: word for name, word in words.items() if word},
    ).exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)


def _models(rows: QuerySet[Standing]) -> list[int]:
    """Keys in the order of names, which says nothing of how good they are."""
    there = Model.objects.filter(pk__in=rows.order_by().values("model"))
    return list(there.order_by("name", "slug").values_list("pk", flat=True))


_Key = tuple[str, str, int, str, str]


def _correct(
    asked: GapQuery, found: Iterable[PlacedRow], models: list[int]
) -> dict[_Key, ShownRate | None]:
    """The share of correct turns of each subject, from the board of correctness beside that of its instructions."""
    rows = _rows(asked).filter(
        board__kind=BoardKind.CORRECTNESS,
        model__in=models,
        subject__in={one.row.subject for one in found},
    )
    board = ("target", "problem", "problem_version", "judge")
    columns = (*(f"board__{one}" for one in board), "subject", "rates")
    return {
        (target, problem, version, judge, subject): _rate(rates_of(rates), RateName.CORRECT)
        for target, problem, version, judge, subject, rates in rows.values_list(*columns)
    }


def _key(board: BoardHead, subject: str) -> _Key:
    return (board.target, board.problem, board.problem_version, board.judge, subject)


def _point(one: PlacedRow, correct: ShownRate | None) -> GapPoint | None:
    family = _rate(one.row.rates, RateName.FAMILY_CORRECT)
    if correct is None or family is None:
        return None
    return GapPoint(one.board, one.row, correct, family, one.others)


def _rate(rates: Iterable[ShownRate], name: RateName) -> ShownRate | None:
    there = [one for one in rates if one.name == name and one.value is not None]
    return min(there, key=lambda one: _EVIDENCE.index(one.evidence), default=None)
