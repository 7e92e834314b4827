"""The token ranges of two recordings side by side, and what a value that moved between them means.

Every range has its own base in each process, so the distance a value moved names its range
(rule L1). Nothing here believes the recordings: ranges that overlap are refused.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.core.errors import InvalidInput
from evaluation.core.plan.plan import Space
from evaluation.core.quoting import quoted
from evaluation.core.record.recording import Alloc, AllocKind, Module, Recording
from evaluation.core.strict_json import U32, U64

_SECOND_BYTE = 0xFF00  # of a base: differs between processes, so that a pointer is found by it


@dataclass(frozen=True, slots=True)
class Owner:
    """What a token range stands for. ``buffer_set`` is None for everything but arguments."""

    space: Space
    number: int
    name: str
    buffer_set: int | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """``size`` bytes at ``first`` in the first recording, at ``second`` in the other."""

    owner: Owner
    first: int
    second: int
    size: int

    @property
    def delta(self) -> int:
        return (self.second - self.first) & U64

    def holds_first(self, value: int) -> bool:
        return self.first <= value <= self.first + self.size

    def holds_second(self, value: int) -> bool:
        return self.second <= value <= self.second + self.size


@dataclass(frozen=True, slots=True)
class Spot:
    """A place inside a range; one past its end counts as inside."""

    owner: Owner
    offset: int


@dataclass(frozen=True, slots=True)
class Regions:
    """All device ranges by their first bases, and host memory of the author's process apart."""

    ordered: tuple[Region, ...]
    starts: tuple[int, ...]
    host: tuple[Region, ...]
    names: Mapping[int, str]  # of the arguments, for sentences

    def find(self, first: int, second: int) -> Spot | None:
        """Find what a pointer that was ``first`` and ``second`` points to, if it is one."""
        end = bisect_right(self.starts, first)
        for region in self.ordered[max(end - 2, 0) : end]:  # an end may be the next one's base
            if region.holds_first(first) and (second - first) & U64 == region.delta:
                return Spot(region.owner, first - region.first)
        return None

    def first_at(self, value: int) -> Region | None:
        """Find the range that a value of the first recording lies in."""
        index = bisect_right(self.starts, value) - 1
        if index < 0 or not self.ordered[index].holds_first(value):
            return None
        return self.ordered[index]

    def host_at(self, first: int, second: int) -> Region | None:
        return next(
            (one for one in self.host if one.holds_first(first) and one.holds_second(second)), None
        )

    def describe(self, owner: Owner) -> str:
        """Name a range for a person: ``argument A``, ``allocation 3``, ``symbol 'table'``."""
        if owner.space is Space.SYMBOL:
            return f"symbol {quoted(owner.name)}"
        if owner.space is Space.ARGUMENT:
            return f"argument {self.names.get(owner.number, str(owner.number))}"
        return f"allocation {owner.number}"


def pair_regions(first: Recording, second: Recording, names: Mapping[int, str]) -> Regions:
    """Match the ranges of two recordings by what they are; one that only one of them has is none."""
    there = _by_owner(_ranges(second))
    device = [
        Region(owner, base, there[owner][0], size)
        for owner, (base, size) in _by_owner(_ranges(first)).items()
        if owner in there and there[owner][1] == size
    ]
    device.sort(key=lambda region: region.first)
    if any(not (one.first ^ one.second) & _SECOND_BYTE for one in device):
        raise InvalidInput(where="recording", key="", rule="has bases that did not move")
    _refuse_overlap([(one.first, one.size) for one in device])
    _refuse_overlap(sorted((one.second, one.size) for one in device))
    starts = tuple(one.first for one in device)
    return Regions(tuple(device), starts, _host(first, second), names)


def _by_owner(ranges: Iterable[tuple[Owner, int, int]]) -> dict[Owner, tuple[int, int]]:
    found: dict[Owner, tuple[int, int]] = {}
    for owner, base, size in ranges:
        if owner in found:
            raise InvalidInput(where="recording", key="", rule="has a token range twice")
        found[owner] = (base, size)
    return found


def _ranges(recording: Recording) -> Iterable[tuple[Owner, int, int]]:
    for buffer in recording.buffers:
        owner = Owner(Space.ARGUMENT, buffer.argument, "", buffer.buffer_set)
        yield owner, buffer.base, buffer.size
    for event in recording.events:
        if isinstance(event, Alloc) and event.kind is not AllocKind.HOST:
            yield Owner(Space.ALLOCATION, event.number, ""), event.base, event.size
        elif isinstance(event, Module):
            for symbol in event.symbols:
                yield Owner(Space.SYMBOL, 0, symbol.name), symbol.base, symbol.size


def _host(first: Recording, second: Recording) -> tuple[Region, ...]:
    """Pair plain host memory; its addresses are real ones and may come again after a free."""
    there = {one.number: one for one in second.events if isinstance(one, Alloc)}
    return tuple(
        Region(Owner(Space.ALLOCATION, one.number, ""), one.base, there[one.number].base, one.size)
        for one in first.events
        if isinstance(one, Alloc) and one.kind is AllocKind.HOST and one.number in there
    )


def _refuse_overlap(ranges: Iterable[tuple[int, int]]) -> None:
    end = 0
    for base, size in ranges:
        if base < end:
            raise InvalidInput(where="recording", key="", rule="has token ranges that overlap")
        end = base + size


_EXPLAINED_RANGES = 256  # a sentence for the author is worth no more time than this
_WHOLE_RUN = "a value that differs from run to run, as time, random or uninitialised memory does"


def explain(regions: Regions, words: Iterable[tuple[int, int]]) -> str:
    """Say what a value that differs and is no pointer looks like.

    ``words`` are readings of the place in the first and the second recording, best guess first.
    """
    ordered = regions.ordered[:_EXPLAINED_RANGES]
    pairs = tuple(words)
    for look in (_outside, _swapped, _half, _distance, _computed):
        for first, second in pairs:
            sentence = look(regions, ordered, first, second)
            if sentence:
                return sentence
    return _WHOLE_RUN


def _outside(regions: Regions, ordered: tuple[Region, ...], first: int, second: int) -> str:
    for one in ordered:
        if (second - first) & U64 == one.delta:
            offset = first - one.first
            owner = regions.describe(one.owner)
            return f"a pointer outside {owner}, to byte {offset} of its {one.size}"
    return ""


def _swapped(regions: Regions, ordered: tuple[Region, ...], first: int, second: int) -> str:
    here = next((one for one in ordered if one.holds_first(first)), None)
    there = next((one for one in ordered if one.holds_second(second)), None)
    if here is None or there is None:
        return ""
    if here is there:
        return f"a pointer to {regions.describe(here.owner)} at another offset in each process"
    return (
        f"a pointer to {regions.describe(here.owner)} in one process and to "
        f"{regions.describe(there.owner)} in another, as if pointers were put in order"
    )


def _half(regions: Regions, ordered: tuple[Region, ...], first: int, second: int) -> str:
    low = (second - first) & U32
    for one in ordered:
        upper = (one.first >> 32, one.second >> 32)
        if low == one.delta & U32 or (first & U32, second & U32) == upper:
            return f"half a pointer to {regions.describe(one.owner)}"
    return ""


def _distance(regions: Regions, ordered: tuple[Region, ...], first: int, second: int) -> str:
    moved = (second - first) & U64
    owners = {one.delta: one.owner for one in ordered}
    for one in ordered:
        here = regions.describe(one.owner)
        other = owners.get((one.delta - moved) & U64)
        if other is not None:
            return f"the distance between {here} and {regions.describe(other)}"
        other = owners.get((moved - one.delta) & U64)
        if other is not None:
            return f"the sum of pointers to {here} and {regions.describe(other)}"
    return ""


def _computed(regions: Regions, ordered: tuple[Region, ...], first: int, second: int) -> str:
    """Recognise a pointer without its lowest bits, such as a page number."""
    for one in ordered:
        for bits in range(1, 33):
            if one.holds_first(first << bits) and one.holds_second(second << bits):
                return f"a value computed from a pointer to {regions.describe(one.owner)}"
    return ""
