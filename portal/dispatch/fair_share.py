"""Who is next: the highest priority, then the owner who had the least lately, then who waits longest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class OwnerLine:
    """The runs of one owner that wait at the front: their highest priority, and since when the oldest waits."""

    owner: str
    priority: int
    oldest: datetime


def next_owner(lines: Iterable[OwnerLine], used_seconds: Mapping[str, float]) -> OwnerLine | None:
    """``used_seconds`` is what each owner's attempts took of this kind of worker lately; none is 0."""
    return min(
        lines,
        key=lambda one: (
            -one.priority,
            used_seconds.get(one.owner, 0.0),
            one.oldest,
            one.owner,
        ),
        default=None,
    )
