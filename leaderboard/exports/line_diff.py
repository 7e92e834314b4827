"""The lines in which two texts differ, by Myers' greedy algorithm, within a bound of steps whatever the texts are.

E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1, 1986. The standard library's matcher takes
minutes for texts that are made for it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

MOST_LINES = 10_000
MOST_EDITS = 600
CONTEXT = 3


class TooDifferent(Exception):
    """The texts are too long, or differ in too much, to be compared line by line; the text says which."""


class Side(StrEnum):
    BOTH = "both"
    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """Numbers count from 1; None on the side that does not have the line."""

    side: Side
    old: int | None
    new: int | None
    text: str


def line_diff(old: Sequence[str], new: Sequence[str]) -> tuple[DiffLine, ...]:
    """Every line of both, in order, with the fewest edits. Raise TooDifferent."""
    if max(len(old), len(new)) > MOST_LINES:
        raise TooDifferent(f"one of them has more than {MOST_LINES:,} lines")
    numbers: dict[str, int] = {}
    before = [numbers.setdefault(line, len(numbers)) for line in old]
    after = [numbers.setdefault(line, len(numbers)) for line in new]
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    kept = [(at, at) for at in range(head)]
    kept += [(x + head, y + head) for x, y in _matches(*middle)]
    kept += [(len(old) - at, len(new) - at) for at in range(tail, 0, -1)]
    return tuple(_lines(old, new, kept))


def hunks(lines: Sequence[DiffLine], context: int = CONTEXT) -> tuple[tuple[DiffLine, ...], ...]:
    """Pieces with what differs and some lines around it; none where nothing differs."""
    found: list[list[DiffLine]] = []
    shown_to = 0
    for at, line in enumerate(lines):
        if line.side is Side.BOTH:
            continue
        start = max(at - context, 0)
        if not found or start > shown_to:
            found.append([])
            shown_to = start
        end = min(at + context + 1, len(lines))
        found[-1].extend(lines[shown_to:end])
        shown_to = max(shown_to, end)
    return tuple(tuple(one) for one in found)


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    """How many lines from the beginning are the same."""
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))


def _matches(old: Sequence[int], new: Sequence[int]) -> list[tuple[int, int]]:
    """The places of lines that both keep. ``furthest`` has for each diagonal x - y the largest x that is reached."""
    furthest = {1: 0}
    steps: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MOST_EDITS) + 1):
        step = {}
        for diagonal in range(-edits, edits + 1, 2):
            x = _start(furthest, diagonal, edits)
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            step[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _traced(len(old), len(new), [*steps, step])
        steps.append(step)
        furthest = step
    raise TooDifferent(f"they differ in more than {MOST_EDITS} lines")


def _start(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    """Where the path to this diagonal begins: a line of ``new`` added, or one of ``old`` left out."""
    added, left_out = furthest.get(diagonal + 1, -1), furthest.get(diagonal - 1, -1)
    if diagonal == -edits or (diagonal != edits and left_out < added):
        return added
    return left_out + 1


def _traced(x: int, y: int, steps: Sequence[dict[int, int]]) -> list[tuple[int, int]]:
    """Go back from the end; what lies on a diagonal is kept."""
    kept: list[tuple[int, int]] = []
    for edits in range(len(steps) - 1, -1, -1):
        before = steps[edits - 1] if edits else {1: 0}
        diagonal = x - y
        start = _start(before, diagonal, edits)
        while x > start and y > start - diagonal:
            x, y = x - 1, y - 1
            kept.append((x, y))
        if not edits:
            break
        is_added = diagonal == -edits or (
            diagonal != edits and before.get(diagonal - 1, -1) < before.get(diagonal + 1, -1)
        )
        x, y = (x, y - 1) if is_added else (x - 1, y)
    return kept[::-1]


def _lines(
    old: Sequence[str], new: Sequence[str], kept: Sequence[tuple[int, int]]
) -> Iterator[DiffLine]:
    x = y = 0
    for at_old, at_new in [*kept, (len(old), len(new))]:
        yield from (DiffLine(Side.OLD, at + 1, None, old[at]) for at in range(x, at_old))
        yield from (DiffLine(Side.NEW, None, at + 1, new[at]) for at in range(y, at_new))
        if at_old < len(old) and at_new < len(new):
            yield DiffLine(Side.BOTH, at_old + 1, at_new + 1, old[at_old])
        x, y = at_old + 1, at_new + 1
