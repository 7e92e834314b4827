"""Set-up and steady state (rules L2, L8, L11): what every call does, and what only the first does.

Calls 2 and up must do the same. Call 1 must hold the same steps in the same order; what else it
does, and all that loading did, is set-up.
"""

from dataclasses import dataclass

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.plan.plan import LIMIT_CYCLE, LaunchStep, Space, addresses, framed
from evaluation.core.record.acts import Act, Acts, CallActs
from evaluation.core.record.merging import (
    FIRST_STEADY,
    different_field,
    differs,
    in_first_call,
    merge,
    name_of,
)
from evaluation.core.record.record_refusal import Refusal, refuse
from evaluation.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Split:
    """Acts of loading, those of call 1 alone, and those of every call.

    The last hold cycles and counters, position 0 being call 1.
    """

    loading: tuple[Act, ...]
    first: tuple[Act, ...]
    steady: tuple[Act, ...]


def split(acts: Acts, cubin: CubinFacts) -> Split:
    """Part set-up from steady state. Raise Refusal where calls differ."""
    calls = acts.calls[FIRST_STEADY:]
    if not any(isinstance(act.step, LaunchStep) for call in calls for act in call.acts):
        raise refuse("launches no kernel", rule="L2", verdict=Verdict.NO_KERNEL)
    _refuse_moving_memory(acts)
    for call in calls[1:]:
        _refuse_other_steps(calls[0], call)
    columns = zip(*(call.acts for call in calls), strict=True)
    steady = tuple(merge(column, cubin) for column in columns)
    first = _rest_of_first(acts.calls[1], steady)
    for act in first:
        _refuse_arguments(act)
    return Split(acts.calls[0].acts, first, steady)


def _refuse_moving_memory(acts: Acts) -> None:
    for life in acts.kept:
        if life.freed is not None and life.freed >= FIRST_STEADY:
            raise refuse(
                f"call {life.freed} frees memory that call {life.born} allocated",
                rule="L2",
                instead="free memory in the call that allocated it, or never",
            )
        if life.born > LIMIT_CYCLE:
            raise refuse(
                f"call {life.born} allocates {life.size} bytes and never frees them",
                rule="L2",
                instead="allocate once in the first call, or free in the same call",
            )


def _refuse_other_steps(first: CallActs, other: CallActs) -> None:
    """Refuse a call that takes other steps than call 2; what they point to is compared later."""
    pairs = tuple(zip(first.acts, other.acts, strict=False))
    for here, there in pairs:
        if type(here.step) is not type(there.step):
            what = f"{name_of(there.step)} stands where call 2 has {name_of(here.step)}"
            raise differs(other.number, what)
    mine, theirs = len(first.acts), len(other.acts)
    if mine != theirs:
        longer, verb = (first, "lacks") if mine > theirs else (other, "adds")
        extra = longer.acts[min(mine, theirs)]
        raise differs(other.number, f"it {verb} {name_of(extra.step)}")
    for here, there in pairs:
        field = different_field(framed(here.step), framed(there.step))
        if field:
            raise differs(other.number, f"{field} of {name_of(here.step)}")


def _rest_of_first(first: CallActs, steady: tuple[Act, ...]) -> tuple[Act, ...]:
    """Take the steady steps out of call 1, from its end, and give what is left."""
    rest: list[Act] = []
    left = list(first.acts)
    for act in reversed(steady):
        wanted = in_first_call(act)
        while left and left[-1] != wanted:
            rest.append(left.pop())
        if not left:
            raise _first_differs(first, wanted)
        left.pop()
    return tuple(left + rest[::-1])


def _first_differs(first: CallActs, wanted: Act) -> Refusal:
    """Say what call 1 does in place of a step that all later calls take."""
    name = name_of(wanted.step)
    frame = framed(wanted.step)
    for act in first.acts:
        if name_of(act.step) == name:
            field = different_field(framed(act.step), frame) or "what it passes"
            return differs(first.number, f"{field} of {name}")
    return differs(first.number, f"it lacks {name}")


def _refuse_arguments(act: Act) -> None:
    """Refuse set-up that touches inputs or outputs: no later call would do it for its own (L2)."""
    inside = tuple(address for one in act.maps for address in one.encode.address)
    if any(one.space is Space.ARGUMENT for one in addresses(act.step) + inside):
        raise refuse(
            f"the first call alone uses a pointer to an argument: {name_of(act.step)}",
            rule="L2",
            instead="repeat in every call what depends on an argument",
        )
