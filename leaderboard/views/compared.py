"""What stands side by side, and what is said where something that was named is not there."""

from dataclasses import dataclass

from evaluation.selectors import NotVisible
from leaderboard.views.compare_question import Comparison


@dataclass(frozen=True, slots=True)
class Subject:
    """What stands at the head of a column; ``without`` is the comparison of the others."""

    key: str
    name: str
    note: str
    without: str


class NotCompared(NotVisible):
    """One of what was named is not there for this visitor; nothing tells what is hidden from what never was.

    ``others`` are those named beside it that the visitor may see, or that nobody has looked for.
    """

    def __init__(self, key: str, others: Comparison) -> None:
        super().__init__(key)
        self.key = key
        self.others = others


def without(asked: Comparison, key: str) -> str:
    """The address of the comparison of all others."""
    return asked.of(*(one for one in asked.keys if one != key))
