"""The port to a launcher: one process with one context that replays one kernel's plan and owns nothing else (rule T2).

Every answer comes within a deadline that is given when the launcher is made. What the candidate caused comes back as
a value; a fault of ours is a ToolFailure.
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Protocol

from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import Fault, FaultKind

LAUNCHER_DIED = "LAUNCHER_DIED"
"""The name of a fault for which there is no CUresult: the process ended while it handled the candidate's work."""

IN_SET_UP = -1
NO_STEP = -1


@dataclass(frozen=True, slots=True)
class Gpu:
    """The GPU a launcher gets. ``minor`` numbers its node /dev/nvidia<minor>; ``uuid`` is NVML's (``GPU-...``)."""

    minor: int
    uuid: str


@dataclass(frozen=True, slots=True)
class SharedBuffer:
    """Memory that the referee made and shares by descriptor. It keeps ``fd`` and closes it when it likes.

    ``size`` is what was asked for when it was made, in bytes; inputs are not ``writable``.
    """

    fd: int
    size: int
    writable: bool


BufferSet = tuple[SharedBuffer, ...]
"""One buffer for each argument of the plan, in the plan's order."""


@dataclass(frozen=True, slots=True)
class SetUp:
    """The plan's set-up steps ran. ``gpu_ns``: between events around them; ``bytes``: what they allocate."""

    gpu_ns: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Called:
    """A call, or a row of calls, has ended. ``event_ns``: from before the first step to after the last, by events."""

    event_ns: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A row of calls is enqueued as far as it can be, and nothing of it has begun."""


@dataclass(frozen=True, slots=True)
class Died:
    """The process ended by itself while it handled the candidate's work: the driver fell over, or the GPU was lost.

    One such end proves nothing about the kernel. The referee decides what it means when a second launcher dies alike.
    """

    call: int  # IN_SET_UP in set-up
    exit_code: int | None
    signal: int | None
    seconds: float

    def as_fault(self) -> Fault:
        """Give the fault that stands for it once it is held to be the candidate's."""
        return Fault(
            kind=FaultKind.CUDA_ERROR,
            launcher=0,
            call=self.call,
            step=NO_STEP,
            code=0,
            name=LAUNCHER_DIED,
            seconds=self.seconds,
        )


@unique
class Unavailable(StrEnum):
    """Why there are no hardware counters, in words that a report may show."""

    NO_LIBRARY = "no_library"  # the judge's counter library or CUPTI is not installed
    NOT_PERMITTED = "no_permission"  # the driver lets administrators count only
    UNKNOWN_METRIC = "unknown_metric"  # the device does not have one of them
    REFUSED = "refused"  # by CUPTI, for any other reason
    INCOMPLETE = "incomplete"  # fewer calls than passes, or a value that is no count


@unique
class CountingStep(StrEnum):
    """What was being done with the counters when they failed."""

    OPEN = "open"
    CHOOSE = "choose metrics"
    SWITCH_ON = "switch on"
    BEGIN = "begin a pass"
    END = "end a pass"
    SWITCH_OFF = "switch off"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Counting:
    """Counted calls needed for one reading, from 1; 0 where counters are ``unavailable``.

    Then ``step`` says at what, where that is known, and ``status`` is the CUptiResult, 0 where CUPTI said nothing.
    """

    passes: int
    unavailable: Unavailable | None = None
    status: int = 0
    step: CountingStep | None = None

    @property
    def reason(self) -> str:
        """Say why there are no counters, for a report; empty where there are."""
        if self.unavailable is None:
            return ""
        said = f"CUPTI status {self.status}" if self.status else ""
        where = f"at step {self.step}" if self.step else ""
        known = " ".join(one for one in (said, where) if one)
        return f"{self.unavailable} ({known})" if known else str(self.unavailable)


_BEFORE_ANY_CALL = (CountingStep.OPEN, CountingStep.CHOOSE, CountingStep.SWITCH_ON)


def is_the_hosts(reason: str) -> bool:
    """Say whether a ``Counting.reason`` is of a host that has no counters for any kernel.

    These steps are taken before a launcher has its kernel. What fails later may have failed by what the kernel did.
    """
    return any(reason.endswith(f"at step {step})") for step in _BEFORE_ANY_CALL)


class GpuStuck(ToolFailure):
    """A killed process does not die, so its GPU serves nobody until a person has looked at it (rule T8)."""


class Launcher(Protocol):
    """One launcher. ``set_up`` comes first and once; after a Fault or Died nothing but ``end`` and ``kill``.

    In a Fault ``launcher`` is 0: the referee alone counts them.
    """

    def set_up(
        self, plan: bytes, cubin: bytes, sets: tuple[BufferSet, ...]
    ) -> SetUp | Fault | Died:
        """Load the cubin, import the buffers and do the plan's set-up steps."""
        ...

    def call(
        self,
        number: int,
        *,
        set: int,  # noqa: A002 - the builtin is not needed here, and a set of buffers is called a set everywhere
        end_aligned: bool,
        counted: bool,
        cold: bool,
    ) -> Called | Fault | Died:
        """Do the plan's steady steps once on buffer set ``set``; ``number`` counts the calls of this launcher from 0.

        ``cold``: the flush kernel runs before the window opens. ``counted``: hardware counters are on.
        """
        ...

    def prepare(self, numbers: tuple[int, ...], sets: tuple[int, ...]) -> Waiting | Fault | Died:
        """Make a row of calls ready, back to back and warm, start aligned, each on its own set; a call came before.

        What the row reads may change until ``go``, which is the only thing that can be asked next, beside ``end``.
        """
        ...

    def go(self) -> Called | Fault | Died:
        """Let the row that was prepared run, and wait for its end; one span around all of it."""
        ...

    def count(self, metrics: tuple[str, ...]) -> Counting:
        """Say which counters the counted calls from now on read. An idle launcher may be asked too, to be ready sooner.

        The profiler goes on with the first counted call of a reading, and off with its last or with any other call.
        """
        ...

    def read_counters(self) -> tuple[tuple[str, int], ...] | Counting:
        """Give the counters' values, in the order of ``metrics``, after as many counted calls as there are passes.

        A Counting says why they could not be read after all.
        """
        ...

    def leave(self) -> None:
        """Ask the process to go and return at once; ``end`` follows. Several launchers take leave at the same time."""
        ...

    def end(self) -> None:
        """Ask the process to go, if nobody has, and kill it if it does not. Raise GpuStuck if it cannot be killed."""
        ...

    def kill(self) -> None:
        """Kill the process. Does nothing if it is gone. Raise GpuStuck if it cannot be killed (rule T8)."""
        ...


class Launchers(Protocol):
    def start(self, gpu: Gpu) -> Launcher:
        """Start a process with a fresh context on a GPU and wait until it is ready; it knows no kernel yet."""
        ...
