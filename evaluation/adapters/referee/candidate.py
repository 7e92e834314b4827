"""A kernel in one launcher: its calls are numbered, timed from outside, and end in a value or in ``Stopped``."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NoReturn

from evaluation.core.launching.port import BufferSet, Called, Died, Launcher, SetUp, Waiting
from evaluation.core.measure.bench import Place
from evaluation.core.measure.seen import Fault, Timed

Clock = Callable[[], int]
"""Monotonic nanoseconds."""


NOTHING = SetUp(gpu_ns=0, bytes=0)


class Stopped(Exception):
    """The candidate's work ended: with a fault, or with a call whose outputs are wrong (then ``fault`` is None)."""

    def __init__(self, fault: Fault | None) -> None:
        super().__init__("the candidate has stopped")
        self.fault = fault


class LauncherDied(Exception):
    """The process is gone without a CUDA error; once is no proof against the kernel, twice is ``fault``."""

    def __init__(self, fault: Fault) -> None:
        super().__init__("the launcher died")
        self.fault = fault


@dataclass(slots=True)
class Candidate:
    """``place`` numbers the launcher among those of this kernel from 0. ``made`` counts its calls."""

    launcher: Launcher
    place: int
    clock: Clock
    made: int = 0
    set_up_seen: SetUp = NOTHING

    def set_up(self, plan: bytes, cubin: bytes, sets: tuple[BufferSet, ...]) -> None:
        """Load the kernel and run the set-up steps of its plan."""
        answer = self.launcher.set_up(plan, cubin, sets)
        if isinstance(answer, SetUp):
            self.set_up_seen = answer
        else:
            self._stop(answer)

    def call(self, place: Place, *, counted: bool = False) -> Timed:
        """Make one cold call."""
        number, began = self._next(), self.clock()
        answer = self.launcher.call(
            number, set=place.number, end_aligned=place.end_aligned, counted=counted, cold=True
        )
        return Timed(self._event_ns(answer), self.clock() - began)

    def prepare(self, sets: tuple[int, ...]) -> None:
        """Have warm calls back to back made ready, start aligned; ``go`` comes next."""
        answer = self.launcher.prepare(tuple(self._next() for _ in sets), sets)
        if not isinstance(answer, Waiting):
            self._stop(answer)

    def go(self) -> int:
        """Let them run; nanoseconds by the referee's clock, from the word to the answer."""
        began = self.clock()
        answer = self.launcher.go()
        took = self.clock() - began
        self._event_ns(answer)
        return took

    def _next(self) -> int:
        self.made += 1
        return self.made - 1

    def _event_ns(self, answer: Called | Fault | Died) -> int:
        if isinstance(answer, Called):
            return answer.event_ns
        return self._stop(answer)

    def _stop(self, answer: Fault | Died) -> NoReturn:
        if isinstance(answer, Died):
            raise LauncherDied(replace(answer.as_fault(), launcher=self.place))
        raise Stopped(replace(answer, launcher=self.place))
