"""Which call made an allocation and which freed it.

Allocation numbers of a recording get a second reading here: what a call both makes and frees is
numbered from its end, -1 for the last one made, so that it has the same number in every call.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.core.record.recording import Alloc, AllocKind, Call, Free


@dataclass(frozen=True, slots=True)
class Lifetime:
    """``born`` and ``freed`` are numbers of calls; ``label`` is negative inside one call."""

    number: int
    size: int
    born: int
    freed: int | None
    label: int

    @property
    def is_kept(self) -> bool:
        """Say whether it outlives the call that made it."""
        return self.label >= 0


def lifetimes(calls: tuple[Call, ...]) -> Mapping[int, Lifetime]:
    """Give the lifetime of every device allocation by its number in the recording."""
    freed = {
        event.number: call.number
        for call in calls
        for event in call.events
        if isinstance(event, Free)
    }
    found: dict[int, Lifetime] = {}
    for call in calls:
        made = [
            event
            for event in call.events
            if isinstance(event, Alloc) and event.kind is not AllocKind.HOST
        ]
        inside = [one.number for one in made if freed.get(one.number) == call.number]
        labels = {number: index - len(inside) for index, number in enumerate(inside)}
        for one in made:
            label = labels.get(one.number, one.number)
            found[one.number] = Lifetime(
                one.number, one.size, call.number, freed.get(one.number), label
            )
    return found
