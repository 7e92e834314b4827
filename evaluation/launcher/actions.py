"""Steps of a plan as driver calls that are ready to be made: nothing is computed while the clock runs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from cuda.bindings import driver

from evaluation.adapters.gpu.driver_calls import ask
from evaluation.adapters.gpu.driver_launch import LaunchShape, Parameters, configuration
from evaluation.core.launching.replay import (
    Locate,
    filled_in,
    located,
    map_cycle,
    parameter_block,
    parameters,
)
from evaluation.core.plan.plan import (
    AttributeStep,
    CopyStep,
    LaunchAttribute,
    LaunchStep,
    MapStep,
    MemsetStep,
    PayloadStep,
    Plan,
    Step,
)
from evaluation.launcher import transfers
from evaluation.launcher.failures import theirs
from evaluation.launcher.pinned import Pinned
from evaluation.launcher.places import Places
from evaluation.launcher.tensor_maps import Encoder

FunctionAttribute = driver.CUfunction_attribute


@dataclass(frozen=True, slots=True)
class Action:
    """One driver call. ``kept`` is memory that it needs to stay."""

    step: int
    function: Callable[..., Any]
    arguments: tuple[object, ...]
    kept: object = None

    def enqueue(self) -> None:
        """Raise CudaError."""
        ask(self.function, *self.arguments)


@dataclass(slots=True)
class StepList:
    """Set-up or steady steps of one plan. ``functions`` are the driver's handles by name."""

    plan: Plan
    steps: tuple[Step, ...]
    functions: dict[str, int]
    places: Places
    stream: int
    pinned: Pinned
    encoder: Encoder
    _configurations: dict[int, Any] = field(default_factory=dict)
    _maps: dict[tuple[int, int, bool], dict[int, bytes]] = field(default_factory=dict)

    def prepare(self, call: int, *, number: int, end_aligned: bool) -> tuple[Action, ...]:
        """Make all driver calls of call ``call`` on buffer set ``number`` ready, in order. Raise StepFailed."""
        locate = self.places.locate(number=number, end_aligned=end_aligned)
        key = (call % map_cycle(self.steps), number, end_aligned)
        if key not in self._maps:
            self._maps[key] = self._encoded(call, locate)
        return tuple(self._actions(call, locate, self._maps[key]))

    def _encoded(self, call: int, locate: Locate) -> dict[int, bytes]:
        maps: dict[int, bytes] = {}
        for place, step in enumerate(self.steps):
            if isinstance(step, MapStep):
                with theirs(place):
                    address = located(step.encode.address, call, locate)
                    maps[step.map] = self.encoder.encode(step.encode, address)
        return maps

    def _actions(self, call: int, locate: Locate, maps: dict[int, bytes]) -> Iterator[Action]:
        for place, step in enumerate(self.steps):
            with theirs(place):
                match step:
                    case LaunchStep():
                        yield self._launch(place, step, parameter_block(step, call, locate, maps))
                    case AttributeStep():
                        yield self._attribute(place, step)
                    case MemsetStep():
                        yield Action(place, *transfers.memset(step, call, locate, self.stream))
                    case CopyStep():
                        yield Action(place, *transfers.copy(step, call, locate, self.stream))
                    case PayloadStep():
                        source = self.pinned.hold(filled_in(step.payload, call, locate, maps))
                        made = transfers.payload(step, call, locate, source, self.stream)
                        yield Action(place, *made)
                    case (
                        _
                    ):  # memory is there already, and tensor maps are in the bytes of other steps
                        pass

    def _launch(self, place: int, step: LaunchStep, block: bytes) -> Action:
        if place not in self._configurations:
            first = not any(isinstance(one, LaunchStep) for one in self.steps[:place])
            self._configurations[place] = configuration(shape_of(step, first=first), self.stream)
        function = next(one for one in self.plan.functions if one.name == step.function)
        content = Parameters(parameters(block, function))
        arguments = (self._configurations[place], self.functions[step.function], content.address, 0)
        return Action(place, driver.cuLaunchKernelEx, arguments, kept=content)

    def _attribute(self, place: int, step: AttributeStep) -> Action:
        attribute = FunctionAttribute(step.attribute)
        arguments = (self.functions[step.function], attribute, step.value)
        return Action(place, driver.cuFuncSetAttribute, arguments)


def shape_of(step: LaunchStep, *, first: bool) -> LaunchShape:
    """Give the shape of a launch; the ``first`` of a call never overlaps with what ran before it (rule S8)."""
    found = {one.attribute: one.value for one in step.settings}
    policy = found.get(LaunchAttribute.CLUSTER_POLICY)
    overlap = found.get(LaunchAttribute.PROGRAMMATIC_SERIALIZATION, (0,))
    return LaunchShape(
        grid=step.grid,
        block=step.block,
        shared=step.shared,
        cooperative=step.cooperative,
        cluster=_triple(found.get(LaunchAttribute.CLUSTER)),
        preferred_cluster=_triple(found.get(LaunchAttribute.PREFERRED_CLUSTER)),
        cluster_policy=None if policy is None else policy[0],
        programmatic_serialization=bool(overlap[0]) and not first,
    )


def _triple(sides: tuple[int, ...] | None) -> tuple[int, int, int] | None:
    if sides is None:
        return None
    x, y, z = sides
    return x, y, z
