"""Where everything that a plan can name lies in the launcher's context."""

from collections.abc import Callable
from dataclasses import dataclass, field

from cuda.bindings import driver

from evaluation.adapters.gpu import memory
from evaluation.adapters.gpu.driver_calls import ask
from evaluation.adapters.gpu.memory import Buffer
from evaluation.core.launching.answers import OurFault
from evaluation.core.launching.replay import Locate
from evaluation.core.plan.plan import Address, AllocStep, Plan, PlanArgument, Space, Step
from evaluation.launcher.failures import OurFailure, theirs
from evaluation.launcher.machine import DEVICE


@dataclass(slots=True)
class SharedSets:
    """The judge's buffers as they arrive: by set, then by place among the plan's arguments."""

    buffers: dict[tuple[int, int], Buffer] = field(default_factory=dict)

    def add(self, descriptor: int, *, number: int, place: int, size: int, writable: bool) -> None:
        """Map one. Raise CudaError, or OurFailure for one that is there already."""
        if (number, place) in self.buffers:
            raise OurFailure(OurFault.BUFFERS, place)
        self.buffers[number, place] = memory.import_fd(
            descriptor, size, device=DEVICE, writable=writable
        )

    def by_set(self, arguments: tuple[PlanArgument, ...]) -> tuple[dict[int, Buffer], ...]:
        """Give, for each set, the buffer of each argument by the argument's own index.

        Raise OurFailure unless every set has a buffer of the right size for every argument, and nothing else.
        """
        count, rest = divmod(len(self.buffers), max(len(arguments), 1))
        found = []
        for number in range(count):
            of_set: dict[int, Buffer] = {}
            for place, argument in enumerate(arguments):
                buffer = self.buffers.get((number, place))
                if buffer is None or buffer.size != argument.size:
                    raise OurFailure(OurFault.BUFFERS, place)
                of_set[argument.index] = buffer
            found.append(of_set)
        if rest or not found:
            raise OurFailure(OurFault.BUFFERS)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Places:
    """``kept`` are the set-up's allocations, which hold their contents; ``fresh`` those that every call makes anew."""

    sets: tuple[dict[int, Buffer], ...]
    symbols: dict[str, int]
    kept: dict[int, Buffer] = field(default_factory=dict)
    fresh: dict[int, Buffer] = field(default_factory=dict)

    def locate(self, *, number: int, end_aligned: bool) -> Locate:
        """Addresses for a call on set ``number``. What set-up made never moves: the device may hold pointers to it."""
        arguments = self.sets[number]

        def address(one: Address) -> int:
            if one.space is Space.SYMBOL:
                base = self.symbols[one.name]
            elif one.space is Space.ARGUMENT:
                base = arguments[one.number].address(end_aligned=end_aligned)
            elif one.number in self.kept:
                base = self.kept[one.number].address(end_aligned=True)
            else:
                base = self.fresh[one.number].address(end_aligned=end_aligned)
            return base + one.offset

        return address


Create = Callable[[int], Buffer]
"""Makes an allocation for a number of bytes. Raise CudaError."""


def guarded(size: int) -> Buffer:
    """An allocation between unmapped ranges."""
    return memory.create(size, device=DEVICE)


def allocate(steps: tuple[Step, ...], create: Create = guarded) -> dict[int, Buffer]:
    """Make every allocation of a list of steps at once. Raise StepFailed."""
    made: dict[int, Buffer] = {}
    for number, step in enumerate(steps):
        if isinstance(step, AllocStep):
            with theirs(number):
                made[step.allocation] = create(step.size)
    return made


def symbols_of(plan: Plan, module: int) -> dict[str, int]:
    """Give the address of every symbol that the plan names. Raise CudaError."""
    return {
        one.name: int(ask(driver.cuModuleGetGlobal, module, one.name.encode())[0])
        for one in plan.symbols
    }
