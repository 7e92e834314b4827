"""One kernel in the launcher's context after its set-up: calls of the plan's steady steps."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from evaluation.adapters.gpu.driver import synchronise
from evaluation.adapters.gpu.memory import Buffer
from evaluation.core.launching.answers import OurFault
from evaluation.core.launching.port import NO_STEP
from evaluation.launcher.actions import Action, StepList
from evaluation.launcher.failures import OurFailure, ours, theirs
from evaluation.launcher.machine import Machine, forget_persisting_lines
from evaluation.launcher.window import Window

_KEY_BYTES = 8


class OwnKernels(Protocol):
    """What the launcher needs of adapters/gpu/trusted.py. All raise CudaError."""

    def bits(self, stream: int, address: int, size: int, *, key: int) -> None: ...

    def load(self, stream: int) -> None: ...

    def flush(self, stream: int) -> None: ...


@dataclass(slots=True)
class Replay:
    """Everything is in place; calls and rows may follow in any number. All raise StepFailed and OurFailure."""

    machine: Machine
    own: OwnKernels
    window: Window
    steady: StepList
    warm: bool = False  # a first call has run: nothing is left that the driver gets only once
    row_waits: bool = False

    def call(
        self,
        call: int,
        *,
        number: int,
        end_aligned: bool,
        cold: bool,
        counted: Callable[[Callable[[], int]], int] | None,
    ) -> int:
        """Make call ``call`` on set ``number`` and give its nanoseconds; ``counted`` wraps the timed part."""
        self._known(number)
        actions = self.steady.prepare(call, number=number, end_aligned=end_aligned)
        self._before(cold=cold)
        if counted is None:
            spent = self.window.time(actions, held=self.warm)
        else:  # the counters would count the flush, and their own clock the wait for the flag
            with ours(OurFault.IMAGE):
                synchronise()
            spent = counted(lambda: self.window.time(actions, held=False))
        self._after()
        return spent

    def prepare_row(self, row: tuple[tuple[int, int], ...]) -> None:
        """Enqueue (call, set) after (call, set), warm and without a gap, behind the flag; ``go`` must come next."""
        if not self.warm:
            raise OurFailure(OurFault.ORDER)
        actions: list[Action] = []
        for call, number in row:
            self._known(number)
            actions.extend(self.steady.prepare(call, number=number, end_aligned=False))
        self._before(cold=False)
        self.window.open(actions, held=True)
        self.row_waits = True

    def go(self) -> int:
        """Let the row run, and give the nanoseconds of all its calls together."""
        self.row_waits = False
        spent = self.window.close()
        self._after()
        return spent

    def _known(self, number: int) -> None:
        if not 0 <= number < len(self.steady.places.sets):
            raise OurFailure(OurFault.BUFFERS)

    def _before(self, *, cold: bool) -> None:
        """Memory that a call makes holds random bits (rules C5, T9); a cold call finds nothing in the L2 cache.

        The load and the flush are the vendor's too, in this order (rules S4, S10).
        """
        with ours(OurFault.IMAGE):
            fill(self.own, self.machine, self.steady.places.fresh)
            if cold:
                self.own.load(self.machine.stream)
                self.own.flush(self.machine.stream)

    def _after(self) -> None:
        self.warm = True
        with theirs(NO_STEP):
            forget_persisting_lines()


def fill(own: OwnKernels, machine: Machine, buffers: Mapping[int, Buffer]) -> None:
    """Enqueue random bits for everything that is mapped for some buffers. Raise CudaError."""
    for buffer in buffers.values():
        key = int.from_bytes(os.urandom(_KEY_BYTES), "little")
        own.bits(machine.stream, buffer.base, buffer.mapped, key=key)
