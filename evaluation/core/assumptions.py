"""What the host code asked about the device and was told (rule L6): the plan holds only there."""

import json
from collections import Counter

from evaluation.core.plan import Assumption
from evaluation.core.plan_limits import ASSUMPTIONS
from evaluation.core.quoting import quoted
from evaluation.core.record_refusal import refuse
from evaluation.core.recording import Query, Recording
from evaluation.core.regions import Regions

# What these tell is about the author's own pointers, and true of every launcher's buffers.
_ABOUT_POINTERS = frozenset(
    {"cudaPointerGetAttributes", "cuPointerGetAttribute", "cuPointerGetAttributes"}
)


def assumptions(first: Recording, second: Recording, regions: Regions) -> tuple[Assumption, ...]:
    """List every question with its answer once, in an order of its own.

    Raise Refusal if two processes asked or were told different things.
    """
    mine, theirs = _queries(first), _queries(second)
    if len(mine) != len(theirs):
        raise _unsteady(max(mine, theirs, key=len)[min(len(mine), len(theirs))])
    found = set()
    for here, there in zip(mine, theirs, strict=True):
        if here == there:
            found.add(Assumption(here.call, here.arguments, here.answer))
        elif not _differ_by_pointers(here, there, regions):
            raise _unsteady(here)
    found = _of_the_device(found)
    if len(found) > ASSUMPTIONS:
        raise refuse(f"asks more than {ASSUMPTIONS} different questions of the device", rule="L6")
    return tuple(sorted(found, key=_order))


def _of_the_device(found: set[Assumption]) -> set[Assumption]:
    """Leave out a question with two answers: it asks about what the host code itself had set."""
    times = Counter((one.call, one.arguments) for one in found)
    return {one for one in found if times[one.call, one.arguments] == 1}


def _queries(recording: Recording) -> list[Query]:
    return [
        event
        for event in recording.events
        if isinstance(event, Query) and event.call not in _ABOUT_POINTERS
    ]


def _differ_by_pointers(here: Query, there: Query, regions: Regions) -> bool:
    if here.call != there.call or len(here.arguments) != len(there.arguments):
        return False
    pairs = zip(here.arguments, there.arguments, strict=True)
    moved = [(one, other) for one, other in pairs if one != other]
    return bool(moved) and all(
        isinstance(one, int) and isinstance(other, int) and regions.find(one, other) is not None
        for one, other in moved
    )


def _unsteady(query: Query) -> Exception:
    return refuse(
        f"two runs with the same arguments ask the device different things: {quoted(query.call)}",
        rule="L6",
        instead="let host code depend on nothing but the arguments of run",
    )


def _order(one: Assumption) -> str:
    return json.dumps([one.call, one.arguments, one.answer])
