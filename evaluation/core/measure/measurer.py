"""The port to a GPU: a warm referee that takes one prepared kernel at a time."""

from contextlib import AbstractContextManager
from typing import Protocol

from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import CheckSeen, DeviceSeen, MeasureSeen


class Session(Protocol):
    """One kernel at a referee. Both raise ToolFailure for our own faults, within a time limit."""

    def check(self) -> CheckSeen:
        """Make the checked calls; the first one that fails is the last one."""
        ...

    def measure(self) -> MeasureSeen:
        """Make the pairs, slopes and counted calls of a kernel whose checked calls were all right."""
        ...


class Measurer(Protocol):
    @property
    def device(self) -> DeviceSeen: ...

    def open(self, prepared: Prepared) -> AbstractContextManager[Session]:
        """Begin with a kernel. Nothing of it is alive on the GPU when the context ends."""
        ...
