"""Set-up of one kernel: from the documents that the judge sent to a kernel that can be called.

The order is part of the contract. Whatever is our fault shows before anything of the candidate runs on the device.
"""

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.adapters.gpu.driver import find_function, load_module, set_function_attribute
from evaluation.adapters.gpu.driver_calls import CudaError
from evaluation.core.errors import InvalidInput
from evaluation.core.launching.answers import OurFault
from evaluation.core.launching.port import NO_STEP, SetUp
from evaluation.core.plan.plan import AttributeStep, Plan, Step
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.plan.plan_measures import allocated_bytes
from evaluation.launcher.actions import StepList
from evaluation.launcher.failures import OurFailure, StepFailed, ours, theirs
from evaluation.launcher.machine import Machine, forget_persisting_lines, set_limits
from evaluation.launcher.pinned import Pinned
from evaluation.launcher.places import (
    Create,
    Places,
    SharedSets,
    allocate,
    guarded,
    symbols_of,
)
from evaluation.launcher.questions import check_device, check_fresh
from evaluation.launcher.replay import OwnKernels, Replay, fill
from evaluation.launcher.tensor_maps import Encoder
from evaluation.launcher.window import Window

_NO_IMAGE_FOR_THIS_DEVICE = 209  # CUDA_ERROR_NO_BINARY_FOR_GPU


@dataclass(frozen=True, slots=True)
class Documents:
    """What the judge sent; the plan is the document that the prepare half wrote and validated."""

    plan: bytes
    cubin: bytes
    shared: SharedSets


def read_plan(documents: Documents) -> Plan:
    """Raise OurFailure for a plan that nobody of us wrote, or that belongs to another image."""
    try:
        plan = plan_from_json(documents.plan)
    except InvalidInput as error:
        raise OurFailure(OurFault.PLAN) from error
    if hashlib.sha256(documents.cubin).hexdigest() != plan.cubin_sha256:
        raise OurFailure(OurFault.CUBIN)
    return plan


def set_up(
    documents: Documents, machine: Machine, own: OwnKernels, create: Create = guarded
) -> tuple[Replay, SetUp]:
    """Load a kernel and run its set-up steps; ``create`` makes the plan's own allocations.

    Raise OurFailure or StepFailed.
    """
    plan = read_plan(documents)
    sets = documents.shared.by_set(plan.arguments)
    check_fresh(plan.assumptions)
    with theirs(NO_STEP):
        set_limits(stack_bytes=plan.stack_bytes, heap_bytes=plan.heap_bytes)
        module = _load(documents.cubin)
        functions = {one.name: find_function(module, one.name) for one in plan.functions}
        symbols = symbols_of(plan, module)
    _set_attributes(plan.setup, functions)
    with _before_any_call():
        _set_attributes(plan.steady, functions)
    check_device(plan.assumptions, functions)
    places = Places(sets, symbols, kept=allocate(plan.setup, create))
    with _before_any_call():
        places.fresh.update(allocate(plan.steady, create))
    with ours(OurFault.IMAGE):
        fill(own, machine, places.kept)

    def listed(steps: tuple[Step, ...]) -> StepList:
        return StepList(plan, steps, functions, places, machine.stream, pinned, encoder)

    pinned, encoder, window = Pinned(), Encoder(), Window(machine.stream)
    actions = listed(plan.setup).prepare(0, number=0, end_aligned=True)
    spent = window.time(actions, held=False)
    with theirs(NO_STEP):
        forget_persisting_lines()
    replay = Replay(machine, own, window, listed(plan.steady))
    return replay, SetUp(spent, allocated_bytes(plan.setup))


def _load(cubin: bytes) -> int:
    try:
        return load_module(cubin)
    except CudaError as error:
        if error.code == _NO_IMAGE_FOR_THIS_DEVICE:
            raise OurFailure(OurFault.DEVICE, error.code) from error
        raise


def _set_attributes(steps: tuple[Step, ...], functions: dict[str, int]) -> None:
    """Bring the kernels into the state in which the plan's assumptions hold."""
    for place, step in enumerate(steps):
        if isinstance(step, AttributeStep):
            with theirs(place):
                set_function_attribute(functions[step.function], step.attribute, step.value)


@contextlib.contextmanager
def _before_any_call() -> Iterator[None]:
    """A steady step that fails in set-up is no step of the set-up."""
    try:
        yield
    except StepFailed as error:
        raise StepFailed(NO_STEP, error.code) from error
