"""What a referee process and its client say to each other: one JSON line to ask, one to answer.

After the line of an OPEN request come ``plan_bytes`` bytes of the plan and ``cubin_bytes`` bytes of the cubin. The
first line of all is the ``Settings``; the answer to it says which device serves.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from evaluation.core.catalogue.problem import Problem
from evaluation.core.measure.seen import CheckSeen, DeviceSeen, MeasureSeen
from evaluation.core.verdict import FamilyExecuted, Target

LIMIT_LINE_BYTES = 8 << 20
LIMIT_BLOB_BYTES = 256 << 20  # a plan with its payloads in hexadecimal, a cubin
LIMIT_WORDS = 4000  # characters of a failure's description that travel


@dataclass(frozen=True, slots=True)
class Settings:
    """What a referee needs to know once. Paths are absolute; an empty one means that the thing is not there.

    ``device`` counts CUDA's devices from 0. ``unconfined`` starts launchers without a jail, for trying things on a host
    that has none; the verdict must say so.
    """

    device: int
    trusted_cubin: str
    counters: str  # the shared library of evaluation/native/counters
    cupti: str
    home: str  # the state folder: the launchers' jails take their numbers there
    unconfined: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """The facts of a prepared kernel that travel in the line; the bytes of plan and cubin follow it."""

    problem: Problem
    target: Target
    family: FamilyExecuted
    plan_bytes: int
    cubin_bytes: int

    def __post_init__(self) -> None:
        for size in (self.plan_bytes, self.cubin_bytes):
            if not 0 <= size <= LIMIT_BLOB_BYTES:
                raise ValueError(f"a plan and a cubin have at most {LIMIT_BLOB_BYTES} bytes")


@unique
class Act(StrEnum):
    OPEN = "open"
    CHECK = "check"
    MEASURE = "measure"
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Request:
    """``kernel`` comes with OPEN and with nothing else."""

    act: Act
    kernel: Kernel | None = None

    def __post_init__(self) -> None:
        if (self.kernel is not None) != (self.act is Act.OPEN):
            raise ValueError("a kernel comes with the request to open it and with no other")


@dataclass(frozen=True, slots=True)
class Failed:
    """Our fault: what happened, what to do. ``sick``: the GPU does not work any more as far as the referee can tell."""

    what: str
    action: str
    sick: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """Exactly one of these is set; to OPEN and CLOSE it is ``done``."""

    device: DeviceSeen | None = None
    check: CheckSeen | None = None
    measure: MeasureSeen | None = None
    failed: Failed | None = None
    done: bool = False

    def __post_init__(self) -> None:
        said = (self.device, self.check, self.measure, self.failed)
        if sum(one is not None for one in said) + self.done != 1:
            raise ValueError("a reply says exactly one thing")
