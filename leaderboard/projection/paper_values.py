"""Reads the values of publications that stand on boards."""

from collections.abc import Iterator

from evaluation.models import PaperCell
from leaderboard.projection.past import PaperFact


def paper_facts() -> Iterator[PaperFact]:
    columns = (
        "publication",
        "model_id",
        "model__slug",
        "target",
        "device",
        "problem",
        "metric",
        "turn_limit",
        "numerator",
        "denominator",
        "value",
        "evidence",
    )
    for row in PaperCell.objects.filter(main=True).order_by("pk").values_list(*columns):
        yield PaperFact(*row)
