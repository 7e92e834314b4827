"""One turn as a page shows it: what we found, and beside it what the upload reported."""

from dataclasses import dataclass
from datetime import datetime

from evaluation.core.findings import Findings
from evaluation.core.judgement import Speed
from evaluation.core.run_words import TurnState


@dataclass(frozen=True, slots=True)
class Reported:
    """What the upload said; times in microseconds."""

    status: str
    correct: bool | None
    speedup: float | None
    latency_us: float | None
    reference_us: float | None
    device: str
    workloads: int


@dataclass(frozen=True, slots=True)
class DeviceSpeed:
    """The speed on one device by its newest run, or why there is none."""

    device: str
    run: str
    speed: Speed | None
    reason: str


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn as a viewer may see it. To others than its owner a held turn is one without a verdict.

    ``findings`` are those of the newest run that counts, on whichever device of the target; ``run`` is its uid, or the
    uid of the pending one, which only the owner and staff are told. A turn without a verdict shows others nothing of
    the kernel.
    """

    number: int
    state: TurnState
    kernel: str
    missing: str
    missing_said: str
    verdict: str
    findings: Findings | None
    speeds: tuple[DeviceSpeed, ...]
    reported: Reported | None
    run: str
    run_state: str
    waits_for: str
    judge: str
    event: str
    reply: str
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    at: datetime | None

    @property
    def has_ended(self) -> bool:
        return self.state not in {TurnState.OPEN, TurnState.HELD}
