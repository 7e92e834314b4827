"""What is left of one build's limits of time, for all tools and both sets of headers together."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from evaluation.core.compile.build import BuildLimits
from evaluation.core.errors import ToolFailure


class Half(Enum):
    """The two sides of a compile; the first one tells the errors of both."""

    DEVICE = "device"
    HOST = "host"


@dataclass(slots=True)
class Budget:
    """Begins when it is made. Each half spends processor time of its own; the wall clock runs for both."""

    limits: BuildLimits
    clock: Callable[[], float]
    _began: float = field(init=False)
    _spent: dict[Half, float] = field(default_factory=lambda: dict.fromkeys(Half, 0.0))

    def __post_init__(self) -> None:
        self._began = self.clock()

    @property
    def seconds(self) -> float:
        """Since the build began."""
        return self.clock() - self._began

    def cpu_seconds(self, half: Half) -> int:
        """What the half may still compute, in whole seconds; below 1 it has used up its time."""
        return int(self.limits.cpu_seconds - self._spent[half])

    def spend(self, half: Half, cpu_seconds: float) -> None:
        self._spent[half] += cpu_seconds

    def wall_seconds(self) -> float:
        """How long the next tools may take. Raise ToolFailure when no time is left."""
        left = self.limits.wall_seconds - self.seconds
        if left <= 0:
            raise overloaded()
        return left


def overloaded() -> ToolFailure:
    """The wall clock of a build has run out, which no source decides."""
    return ToolFailure("a build got too little processor time", action="the host is overloaded")
