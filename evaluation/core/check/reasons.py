"""What a plan says about why a kernel may be wrong here and was right elsewhere (rules C5, L3)."""

from evaluation.core.plan.plan import AllocStep, LaunchStep, Plan
from evaluation.core.quoting import counted, quoted
from evaluation.core.records import Remark

_LAUNCHES_NAMED = 4


def reasons(plan: Plan) -> tuple[Remark, ...]:
    """Give the remarks that belong to every failing report of this plan."""
    found = []
    allocations = sum(isinstance(step, AllocStep) for step in plan.steps)
    if allocations:
        found.append(
            Remark(
                rule="C5",
                message=f"the kernel allocates {counted(allocations, 'workspace')}, and new device memory holds "
                "random bits here",
                instead="cudaMemsetAsync what must be zero; cudaMalloc promises no contents",
            )
        )
    noisy = [step for step in plan.steps if isinstance(step, LaunchStep) and step.undetermined]
    found.extend(
        Remark(
            rule="L3",
            message=f"bytes of the arguments of {quoted(step.function)} were never set by the host code "
            "and are zero here",
            instead="initialise every field of a struct that is passed to a kernel",
        )
        for step in noisy[:_LAUNCHES_NAMED]
    )
    return tuple(found)
