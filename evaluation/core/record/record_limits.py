"""Limits of the device that host code sets (rule L10): the stack of a thread and the heap of kernels.

A larger limit changes no result of a kernel that a smaller one was enough for, so a plan has one value of each: the
largest of a recording, set before anything. A limit at or below the device's own is none.
"""

from dataclasses import dataclass

from evaluation.core.plan.plan import Assumption
from evaluation.core.plan.plan_limits import HEAP_DEFAULT_BYTES, STACK_DEFAULT_BYTES
from evaluation.core.record.merging import FIRST_STEADY, differs
from evaluation.core.record.record_refusal import refuse
from evaluation.core.record.recording import Call, Limit, Limited, Recording

_QUESTIONS = ("cudaDeviceGetLimit", "cuCtxGetLimit")
_STACK, _HEAP = 0, 2  # cudaLimitStackSize, cudaLimitMallocHeapSize


@dataclass(frozen=True, slots=True)
class Limits:
    """Bytes; 0 is what the device has of itself."""

    stack_bytes: int
    heap_bytes: int


def device_limits_set(first: Recording, second: Recording) -> Limits:
    """Give the limits a plan needs. Raise Refusal where calls or processes set different ones.

    Loading and call 1 may set others than the calls after them, which all must set the same.
    """
    calls = tuple(_limits(call) for call in first.calls)
    if calls != tuple(_limits(call) for call in second.calls):
        raise refuse(
            "two runs with the same arguments set different limits of the device", rule="L1"
        )
    for number, limits in enumerate(calls[FIRST_STEADY:], start=FIRST_STEADY):
        if limits != calls[FIRST_STEADY]:
            raise differs(number, "the limits of the device that it sets")
    every = [limit for limits in calls for limit in limits]
    return Limits(
        _largest(every, Limited.STACK, STACK_DEFAULT_BYTES),
        _largest(every, Limited.HEAP, HEAP_DEFAULT_BYTES),
    )


def without_limits(told: tuple[Assumption, ...], limits: Limits) -> tuple[Assumption, ...]:
    """Leave out what the device answered about a limit before host code set it: the plan sets it first."""
    set_by_plan = ((_STACK, limits.stack_bytes), (_HEAP, limits.heap_bytes))
    gone = [(number,) for number, size in set_by_plan if size]
    return tuple(one for one in told if one.call not in _QUESTIONS or one.arguments not in gone)


def _limits(call: Call) -> tuple[Limit, ...]:
    return tuple(event for event in call.events if isinstance(event, Limit))


def _largest(limits: list[Limit], what: Limited, own: int) -> int:
    largest = max((one.size for one in limits if one.what is what), default=0)
    return largest if largest > own else 0
