"""What an import hands over to be stored: an entry first, then its trajectories one by one."""

from dataclasses import dataclass
from datetime import datetime

from evaluation.core.entry_words import Authorship, Ending, Missing, Visibility
from evaluation.core.verdict import Language, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEntry:
    """``digest`` is the SHA-256 of what was handed in. ``model`` is the slug of an accepted model, or empty."""

    owner: str
    digest: str
    language: Language
    model: str = ""
    proposed_model: str = ""
    harness: str = ""
    harness_version: str = ""
    pack: str = ""
    reasoning_effort: str = ""
    prompts: int = 1
    trajectories: int = 1
    turns: int = 1
    authorship: Authorship = Authorship.UPLOADER
    visibility: Visibility = Visibility.PRIVATE
    embargo_until: datetime | None = None
    licence: str = ""
    single_kernel: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReported:
    """What the upload says of a turn; times in microseconds."""

    status: str
    correct: bool | None = None
    speedup: float | None = None
    latency_us: float | None = None
    reference_us: float | None = None
    device: str = ""
    workloads: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTurn:
    """``number`` counts from 0. ``kernel`` is None exactly where ``missing`` says that none is kept."""

    number: int
    kernel: bytes | None = None
    missing: Missing | None = None
    missing_said: str = ""
    event: str = ""
    reply: bytes | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    at: datetime | None = None
    reported: NewReported | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTrajectory:
    """``prompt`` and ``number`` count from 0 within the entry's layout; ``document`` is the scrubbed original."""

    problem: str
    problem_version: int
    target: Target
    turns: tuple[NewTurn, ...]
    reported_device: str = ""
    prompt: int = 0
    number: int = 0
    ending: Ending = Ending.UNKNOWN
    document: bytes | None = None
