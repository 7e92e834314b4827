"""How many entries are read at once: as many as have so many turns together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count

from evaluation.models import Turn
from leaderboard.turns import MOST_TURNS

TURNS_AT_ONCE = 50_000
_ASKED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries by their keys. Those that are not ``countable`` have more turns than a layout may declare."""

    entries: tuple[int, ...]
    countable: tuple[int, ...]


def batches(entries: Sequence[int]) -> Iterator[Batch]:
    for start in range(0, len(entries), _ASKED_AT_ONCE):
        yield from _batches(entries[start : start + _ASKED_AT_ONCE])


def _batches(entries: Sequence[int]) -> Iterator[Batch]:
    sizes = _sizes(entries)
    some: list[int] = []
    turns = 0
    for entry in entries:
        size = min(sizes.get(entry, 0), MOST_TURNS)
        if some and turns + size > TURNS_AT_ONCE:
            yield _batch(some, sizes)
            some, turns = [], 0
        some.append(entry)
        turns += size
    if some:
        yield _batch(some, sizes)


def _batch(entries: Sequence[int], sizes: dict[int, int]) -> Batch:
    countable = tuple(entry for entry in entries if sizes.get(entry, 0) <= MOST_TURNS)
    return Batch(tuple(entries), countable)


def _sizes(entries: Sequence[int]) -> dict[int, int]:
    turns = Turn.objects.filter(trajectory__entry__in=entries).order_by()
    return dict(turns.values_list("trajectory__entry").annotate(turns=Count("pk")))
