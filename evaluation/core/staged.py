"""What a stage is to a pipeline: it is begun aloud, its work is done, its report says how long that took."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage

Begin = Callable[[Stage], None]
Product = TypeVar("Product")


def staged(
    stage: Stage,
    clock: Callable[[], float],
    begin: Begin,
    work: Callable[[], tuple[StageReport, Product]],
) -> tuple[StageReport, Product]:
    """Do the work of a stage; give its report with the seconds by ``clock``, and what else came of it."""
    begin(stage)
    began = clock()
    report, product = work()
    return replace(report, seconds=clock() - began), product
