"""The messages between the portal and the workers: small, frozen, versioned, checked on arrival.

A worker that is sent another schema or judge version hands the attempt back unjudged; it never guesses.
Sources and results travel as artifact hashes, never inside a message. A report key is a secret of one attempt: it is
compared, never shown or logged.
"""

import re
from dataclasses import dataclass, field

from evaluation.core.measure.parts import Parts
from evaluation.core.measure.seen import DeviceSeen
from evaluation.core.records import ArtifactRef, StageReport
from evaluation.core.verdict import Language, Stage, Target, Verdict

SCHEMA = 2
JUDGE = "1"

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@:\-]{0,127}\Z")
_KEY = re.compile(r"[A-Za-z0-9_\-]{16,128}\Z")
_MOST_PART_BYTES = 256 * 1024 * 1024


def _require(pattern: re.Pattern[str], value: str, what: str) -> None:
    if not pattern.match(value):
        raise ValueError(f"{what} is malformed")


@dataclass(frozen=True, slots=True)
class Versions:
    """Which message schema and which judge wrote this; both must be the reader's own."""

    schema: int = SCHEMA
    judge: str = JUDGE

    @property
    def current(self) -> bool:
        return self.schema == SCHEMA and self.judge == JUDGE


@dataclass(frozen=True, slots=True)
class Attempt:
    """Which try of which run this is about. ``number`` counts the attempts of a run from 1."""

    uuid: str
    number: int
    key: str = field(repr=False)

    def __post_init__(self) -> None:
        _require(_UUID, self.uuid, "the attempt's uuid")
        _require(_KEY, self.key, "the attempt's report key")
        if not 1 <= self.number <= 1000:
            raise ValueError("the attempt's number is not 1 to 1000")


@dataclass(frozen=True, slots=True)
class PrepareJob:
    """Portal to a prepare worker: take this source through policy, build, record and scan."""

    versions: Versions
    attempt: Attempt
    source_sha256: str
    source_bytes: int
    language: Language
    problem: str
    problem_version: int
    target: Target
    device: str  # product of the device table, such as h200

    def __post_init__(self) -> None:
        _require(_SHA256, self.source_sha256, "the source's sha256")
        _require(_WORD, self.problem, "the problem's name")
        _require(_WORD, self.device, "the device's name")
        if self.source_bytes < 0 or self.problem_version < 1:
            raise ValueError("source bytes or problem version is out of range")


@dataclass(frozen=True, slots=True)
class MeasureJob:
    """Portal to a measure worker: take what the prepare half made through check, probe and time.

    ``device`` is the product that the plan was recorded for and the job's queue is of. ``losses`` counts the GPUs and
    workers that were lost while this kernel ran, on any machine (rule T6).
    """

    versions: Versions
    attempt: Attempt
    parts: Parts
    problem: str
    problem_version: int
    target: Target
    device: str
    losses: int = 0

    def __post_init__(self) -> None:
        for part in (self.parts.plan, self.parts.cubin, self.parts.facts):
            _require(_SHA256, part.sha256, "a part's sha256")
            if not 0 <= part.size <= _MOST_PART_BYTES:
                raise ValueError(f"a part's size is not 0 to {_MOST_PART_BYTES} bytes")
        _require(_WORD, self.problem, "the problem's name")
        _require(_WORD, self.device, "the device's name")
        if self.problem_version < 1 or self.losses < 0:
            raise ValueError("problem version or losses is out of range")


@dataclass(frozen=True, slots=True)
class Started:
    """Worker to portal, first of all: binds the attempt to this worker and starts the lease."""

    versions: Versions
    attempt: Attempt
    worker: str


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Worker to portal while a stage runs: extends the lease."""

    versions: Versions
    attempt: Attempt
    worker: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class StageReported:
    """Worker to portal after each stage; ``place`` counts the reports of the attempt from 0."""

    versions: Versions
    attempt: Attempt
    worker: str
    place: int
    report: StageReport


@dataclass(frozen=True, slots=True)
class HalfFinished:
    """Worker to portal, last of all: this half is done; a prepare half without a verdict asks for the GPU half."""

    versions: Versions
    attempt: Attempt
    worker: str
    verdict: Verdict | None
    artifacts: tuple[ArtifactRef, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class HandedBack:
    """Worker to portal: not judged here (another version, a GPU that rests or is taken); nobody is to blame.

    In place of Started; after it where the GPU came to rest while the job waited.
    """

    versions: Versions
    attempt: Attempt
    worker: str
    reason: str


@dataclass(frozen=True, slots=True)
class FailedByUs:
    """Worker to portal: our tool failed at this stage; the kernel is not to blame and a new attempt may follow."""

    versions: Versions
    attempt: Attempt
    worker: str
    stage: Stage
    what: str
    action: str


@dataclass(frozen=True, slots=True)
class KernelNoted:
    """Worker to portal before a kernel's first launch, once the GPU's ledger names it (rule T6).

    ``kernel`` is the SHA-256 of its plan. A worker that is never heard of again after this went down with its machine.
    """

    versions: Versions
    attempt: Attempt
    worker: str
    kernel: str


@dataclass(frozen=True, slots=True)
class KernelLost:
    """Worker to portal at its start: the GPU or the worker was lost while this attempt's kernel ran (rule T6).

    ``kernel`` is the SHA-256 of its plan; ``losses`` counts those of this kernel that this machine has seen.
    """

    versions: Versions
    attempt: Attempt
    worker: str
    kernel: str
    losses: int
    what: str


@dataclass(frozen=True, slots=True)
class DeviceHeartbeat:
    """Measure worker to portal, busy or not: which device it has, and why it takes no work where it takes none.

    ``resting`` is empty while the worker takes work. ``seen`` is None where the device never answered. ``kernel`` is
    the hash of the plan at hand, or empty.
    """

    versions: Versions
    worker: str
    device: str
    seen: DeviceSeen | None
    resting: str
    kernel: str


@dataclass(frozen=True, slots=True)
class CanaryRun:
    """One known kernel and what came of it. ``ratio`` is None where there was none; the band is [low, high].

    Clocks and temperature are the medians of the run's samples, 0 without samples.
    """

    name: str
    well: bool
    said: str
    ratio: float | None
    low: float
    high: float
    sm_mhz: int
    memory_mhz: int
    temperature_c: int
    power_mw: int


@dataclass(frozen=True, slots=True)
class CanaryReported:
    """Measure worker to portal, about once an hour: whether this device still measures known kernels as it should."""

    versions: Versions
    worker: str
    device: str
    runs: tuple[CanaryRun, ...]

    @property
    def well(self) -> bool:
        return all(one.well for one in self.runs)


# Of one attempt; the others are of a worker.
AttemptMessage = (
    Started
    | Heartbeat
    | StageReported
    | HalfFinished
    | HandedBack
    | FailedByUs
    | KernelNoted
    | KernelLost
)
Message = AttemptMessage | DeviceHeartbeat | CanaryReported
