"""What is there when a step of a plan runs: memory, tensor maps and attributes of earlier steps."""

from dataclasses import dataclass, field

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.plan.plan import (
    Address,
    AllocStep,
    AttributeStep,
    FreeStep,
    LaunchStep,
    MapStep,
    PlanArgument,
    Space,
    Step,
)
from evaluation.core.plan.plan_limits import DeviceLimits
from evaluation.core.quoting import quoted
from evaluation.core.records import Remark

RULE = "T4"


@dataclass(slots=True)
class World:
    """``where`` names the step for a person. ``owned`` are allocations of the list at hand."""

    cubin: CubinFacts
    arguments: dict[int, PlanArgument]
    limits: DeviceLimits
    where: str = ""
    in_setup: bool = True
    alive: dict[int, int] = field(default_factory=dict)
    owned: set[int] = field(default_factory=set)
    allocations: int = 0
    maps: int = 0
    launches: int = 0
    attributes: dict[tuple[str, int], int] = field(default_factory=dict)

    def parameter_base(self, step: Step) -> int:
        """Where byte 0 of a step's bytes lies, for alignment: in a constant bank for parameters, else 0."""
        function = self.cubin.function(step.function) if isinstance(step, LaunchStep) else None
        return function.parameter_base if function else 0

    def start_calls(self) -> None:
        """Pass from set-up to the steps of a call: its maps, memory and launches are its own."""
        self.in_setup = False
        self.owned = set()
        self.maps = 0
        self.launches = 0

    def done(self, step: Step) -> None:
        """Take in what a step leaves behind."""
        match step:
            case AllocStep():
                self.alive[step.allocation] = step.size
                self.owned.add(step.allocation)
                self.allocations += 1
            case FreeStep():
                self.alive.pop(step.allocation, None)
                self.owned.discard(step.allocation)
            case MapStep():
                self.maps += 1
            case LaunchStep():
                self.launches += 1
            case AttributeStep():
                self.attributes[step.function, step.attribute] = step.value
            case _:
                pass

    def size_of(self, address: Address) -> int | None:
        """Give the size of the buffer of an address, or None where there is none."""
        match address.space:
            case Space.ARGUMENT:
                argument = self.arguments.get(address.number)
                return None if argument is None else argument.size
            case Space.ALLOCATION:
                return self.alive.get(address.number)
            case _:
                symbols = self.cubin.symbols
                return next((one.size for one in symbols if one.name == address.name), None)

    def is_input(self, address: Address) -> bool:
        argument = self.arguments.get(address.number)
        is_argument = address.space is Space.ARGUMENT
        return is_argument and argument is not None and not argument.is_output

    def words(self, address: Address) -> str:
        """Name an address for a person: ``argument A + 16``."""
        base = f"{address.space} {address.number}"
        if address.space is Space.SYMBOL:
            base = f"symbol {quoted(address.name)}"
        elif address.space is Space.ARGUMENT and address.number in self.arguments:
            base = f"argument {self.arguments[address.number].name}"
        return f"{base} + {address.offset}"

    def remark(self, message: str, *, instead: str = "") -> Remark:
        return Remark(RULE, f"{self.where} {message}", instead)
