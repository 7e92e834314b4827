"""What is being recorded: the kernel's artifacts and the world its plan is made for."""

from dataclasses import dataclass

from evaluation.core.binary.facts import CubinFacts, KernelReads
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Argument
from evaluation.core.plan.plan import PlanArgument
from evaluation.core.plan.plan_limits import DeviceLimits
from evaluation.core.verdict import Target


@dataclass(frozen=True, slots=True)
class Subject:
    """One kernel for one problem and one target.

    ``toolchain`` names everything that compiled it; ``calls`` is how many calls of ``run`` the
    recorder asked for in each process, at least 8. ``table`` is what answered its questions.
    """

    problem: str
    problem_version: int
    target: Target
    table: Device
    toolchain: str
    cubin_sha256: str
    cubin: CubinFacts
    reads: tuple[KernelReads, ...]
    arguments: tuple[PlanArgument, ...]
    limits: DeviceLimits
    calls: int

    def reads_of(self, function: str) -> KernelReads | None:
        return next((one for one in self.reads if one.function == function), None)


def plan_arguments(arguments: tuple[Argument, ...]) -> tuple[PlanArgument, ...]:
    """Give the tensors among the arguments of ``run``; scalars travel by value."""
    return tuple(
        PlanArgument(index, one.name, one.is_output, one.size_bytes)
        for index, one in enumerate(arguments)
        if one.shape is not None
    )
