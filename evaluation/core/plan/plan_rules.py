"""Validation of a plan (rule T4): the author's word against cubin, problem and device.

Safety and fairness of a replay rest on this closed vocabulary, never on the recorder having told
the truth. Each rule of docs/plan.md, section Rules, is one remark here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.catalogue.device import DEVICE_MEMORY_BYTES
from evaluation.core.plan.plan import (
    AttributeStep,
    LaunchStep,
    MapStep,
    Plan,
    PlanArgument,
    Step,
)
from evaluation.core.plan.plan_limits import (
    ASSUMPTIONS,
    HEAP_DEFAULT_BYTES,
    HEAP_UNIT_BYTES,
    LOCAL_MEMORY_HOLD_BYTES,
    PAYLOAD_BYTES,
    RELOCATIONS,
    SETUP_STEPS,
    STACK_DEFAULT_BYTES,
    STACK_UNIT_BYTES,
    STEADY_LAUNCHES,
    STEADY_STEPS,
    DeviceLimits,
)
from evaluation.core.plan.plan_measures import device_bytes, hole_count, local_bytes, payload_bytes
from evaluation.core.plan.plan_names import (
    function_names,
    state_functions,
    state_symbols,
    symbol_names,
)
from evaluation.core.plan.plan_rules_launch import attribute_remarks, launch_remarks
from evaluation.core.plan.plan_rules_maps import map_remarks, reach_bytes
from evaluation.core.plan.plan_rules_memory import memory_remarks, unfreed_remarks
from evaluation.core.plan.plan_world import RULE, World
from evaluation.core.record.recording_events import STACK_LIMIT_BYTES
from evaluation.core.records import Remark
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage

LIMIT_REMARKS = 20


@dataclass(frozen=True, slots=True)
class Review:
    """A plan without remarks may be replayed; signals decide nothing."""

    remarks: tuple[Remark, ...]
    signals: tuple[Signal, ...]


def validate_plan(
    plan: Plan, cubin: CubinFacts, arguments: tuple[PlanArgument, ...], limits: DeviceLimits
) -> Review:
    """Check every rule; at most 20 remarks are given, in the order of the plan."""
    remarks = tuple(islice(_remarks(plan, cubin, arguments, limits), LIMIT_REMARKS))
    return Review(remarks, () if remarks else _signals(plan, cubin, arguments, limits))


def _remarks(
    plan: Plan, cubin: CubinFacts, arguments: tuple[PlanArgument, ...], limits: DeviceLimits
) -> Iterator[Remark]:
    yield from _sizes(plan)
    yield from _limits(plan)
    yield from _identity(plan, cubin, arguments)
    world = World(cubin, {one.index: one for one in arguments}, limits)
    broken: set[int] = set()  # steps of a call, by number
    for word, steps in (("set-up", plan.setup), ("call", plan.steady)):
        if word == "call":
            world.start_calls()
        for number, step in enumerate(steps, start=1):
            world.where = f"{word} step {number}"
            yield from memory_remarks(step, world)
            found = list(_by_kind(step, world))
            yield from found
            if found and word == "call":
                broken.add(number)
            world.done(step)
    yield from unfreed_remarks(world)
    yield from _second_call(plan.steady, broken, world)
    needed = device_bytes(plan, cubin, limits)
    if needed > DEVICE_MEMORY_BYTES:
        yield Remark(RULE, f"needs {needed} bytes of device memory; {DEVICE_MEMORY_BYTES} at most")


def _second_call(steady: tuple[Step, ...], broken: set[int], world: World) -> Iterator[Remark]:
    """Check the launches once more, with the attributes that the first call left; ``broken`` steps are known."""
    world.start_calls()
    for number, step in enumerate(steady, start=1):
        world.where = f"step {number} of the second call"
        if isinstance(step, LaunchStep) and number not in broken:
            yield from launch_remarks(step, world)
        world.done(step)


def _by_kind(step: Step, world: World) -> Iterator[Remark]:
    match step:
        case LaunchStep():
            yield from launch_remarks(step, world)
        case AttributeStep():
            yield from attribute_remarks(step, world)
        case MapStep():
            yield from map_remarks(step, world)
        case _:
            pass


def _sizes(plan: Plan) -> Iterator[Remark]:
    launches = sum(isinstance(step, LaunchStep) for step in plan.steady)
    counts = (
        ("set-up steps", len(plan.setup), SETUP_STEPS),
        ("steps a call", len(plan.steady), STEADY_STEPS),
        ("launches a call", launches, STEADY_LAUNCHES),
        ("bytes of payload", payload_bytes(plan.steps), PAYLOAD_BYTES),
        ("pointers and tensor maps", hole_count(plan.steps), RELOCATIONS),
        ("assumptions", len(plan.assumptions), ASSUMPTIONS),
    )
    for name, count, most in counts:
        if count > most:
            yield Remark(RULE, f"has {count} {name}; {most} at most")
    if not launches:
        yield Remark(RULE, "launches no kernel in a call")


def _limits(plan: Plan) -> Iterator[Remark]:
    """Check the limits of the device: 0, or above its own in whole units, and the stack not above its cap."""
    for name, size, own, unit, most in (
        ("stack", plan.stack_bytes, STACK_DEFAULT_BYTES, STACK_UNIT_BYTES, STACK_LIMIT_BYTES),
        ("heap", plan.heap_bytes, HEAP_DEFAULT_BYTES, HEAP_UNIT_BYTES, DEVICE_MEMORY_BYTES),
    ):
        sets = f"sets the {name} limit to {size} bytes"
        if size > most:
            yield Remark(RULE, f"{sets}; {most} at most")
        elif 0 < size <= own:
            yield Remark(RULE, f"{sets}; a plan states it above the device's own {own} alone")
        elif size % unit:
            yield Remark(RULE, f"{sets}, which is no multiple of {unit}")


def _identity(
    plan: Plan, cubin: CubinFacts, arguments: tuple[PlanArgument, ...]
) -> Iterator[Remark]:
    """Check what the plan says of others: arguments, kernels and symbols, each exactly once."""
    if plan.arguments != arguments:
        yield Remark(RULE, "states other arguments than the problem")
    if plan.functions != state_functions(cubin, function_names(plan.steps)):
        yield Remark(RULE, "states other kernels or parameters than it uses of the cubin")
    if plan.symbols != state_symbols(cubin, symbol_names(plan.steps)):
        yield Remark(RULE, "states other symbols than it uses of the cubin")


def _signals(
    plan: Plan, cubin: CubinFacts, arguments: tuple[PlanArgument, ...], limits: DeviceLimits
) -> tuple[Signal, ...]:
    """Report what is allowed and worth a look, of a plan that breaks no rule."""
    found = []
    local = local_bytes(plan, cubin, limits)
    if local > LOCAL_MEMORY_HOLD_BYTES:
        sentence = "The stacks of the kernel's threads take more than 8 GiB of device memory."
        line = f"{local} bytes of local memory"
        found.append(
            Signal("large_local_memory", 1, Severity.HOLD, Stage.RECORD, sentence, (line,))
        )
    beyond = tuple(_beyond(plan, cubin, arguments, limits))
    if beyond:
        sentence = "A tensor map reaches beyond its buffer; the device may read what lies there."
        found.append(Signal("map_beyond_buffer", 1, Severity.NOTE, Stage.RECORD, sentence, beyond))
    return tuple(found)


def _beyond(
    plan: Plan, cubin: CubinFacts, arguments: tuple[PlanArgument, ...], limits: DeviceLimits
) -> Iterator[str]:
    world = World(cubin, {one.index: one for one in arguments}, limits)
    for step in plan.steps:
        if isinstance(step, MapStep):
            reach = reach_bytes(step.encode)
            for address in step.encode.address:
                size = world.size_of(address)
                if size is not None and address.offset + reach > size:
                    yield f"tensor map of {world.words(address)}: {reach} bytes of {size}"
        world.done(step)
