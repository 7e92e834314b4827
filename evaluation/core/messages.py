"""The messages between the portal and the workers: small, frozen, versioned, checked on arrival.

A worker that is sent another schema or judge version hands the attempt back unjudged; it never guesses.
Sources and results travel as artifact hashes, never inside a message. A report key is a secret of one attempt: it is
compared, never shown or logged.
"""

import re
from dataclasses import dataclass, field

from evaluation.core.records import ArtifactRef, StageReport
from evaluation.core.verdict import Language, Stage, Target, Verdict

SCHEMA = 1
JUDGE = "1"

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@:\-]{0,127}\Z")
_KEY = re.compile(r"[A-Za-z0-9_\-]{16,128}\Z")


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
    """Worker to portal, last of all: this half is done; without a verdict the GPU half follows."""

    versions: Versions
    attempt: Attempt
    worker: str
    verdict: Verdict | None
    artifacts: tuple[ArtifactRef, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class HandedBack:
    """Worker to portal: not judged here (another version); nobody is to blame."""

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


Message = Started | Heartbeat | StageReported | HalfFinished | HandedBack | FailedByUs
