"""How much a plan allocates, fills and needs, in bytes."""

from collections.abc import Iterable

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.plan.plan import (
    AllocStep,
    CopyStep,
    FreeStep,
    LaunchStep,
    MemsetStep,
    PayloadStep,
    Plan,
    Step,
    template_of,
)
from evaluation.core.plan.plan_limits import DeviceLimits


def allocated_bytes(steps: Iterable[Step]) -> int:
    """Add up all allocations, also those that are freed again."""
    return sum(step.size for step in steps if isinstance(step, AllocStep))


def payload_bytes(steps: Iterable[Step]) -> int:
    return sum(len(step.payload.content) for step in steps if isinstance(step, PayloadStep))


def hole_count(steps: Iterable[Step]) -> int:
    """Count the pointers and tensor maps in the bytes of all steps."""
    templates = (template_of(step) for step in steps)
    return sum(len(one.relocations) + len(one.maps) for one in templates if one is not None)


def written_bytes(steps: Iterable[Step]) -> int:
    """Add up what payloads, memsets and copies write; what launches write no plan can say."""
    total = 0
    for step in steps:
        match step:
            case PayloadStep(columns=columns, rows=rows) | CopyStep(columns=columns, rows=rows):
                total += columns * rows
            case MemsetStep(columns=columns, rows=rows, width=width):
                total += columns * rows * width
            case _:
                pass
    return total


def peak_bytes(plan: Plan) -> int:
    """Give the most bytes that are allocated at a time through set-up and one call."""
    alive: dict[int, int] = {}
    peak = 0
    for step in plan.steps:
        if isinstance(step, AllocStep):
            alive[step.allocation] = step.size
            peak = max(peak, sum(alive.values()))
        elif isinstance(step, FreeStep):
            alive.pop(step.allocation, None)
    return peak


def local_bytes(plan: Plan, cubin: CubinFacts, limits: DeviceLimits) -> int:
    """Give the local memory: the stack limit or the hungriest kernel's bytes a thread, times resident threads."""
    needs = [
        function.local_bytes
        for step in plan.steps
        if isinstance(step, LaunchStep)
        for function in cubin.functions
        if function.name == step.function
    ]
    return max([plan.stack_bytes, *needs]) * limits.resident_threads


def device_bytes(plan: Plan, cubin: CubinFacts, limits: DeviceLimits) -> int:
    """Give all device memory a plan needs beside its arguments (rule T4)."""
    local = local_bytes(plan, cubin, limits)
    return peak_bytes(plan) + cubin.global_bytes + plan.heap_bytes + local
