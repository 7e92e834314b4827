"""What an importer understood: values that name no framework and no table."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language, Target
from portal.uploads.reading.scrub import Found

LIMIT_NAME_CHARACTERS = 200
LIMIT_WORD_CHARACTERS = 40


class Format(StrEnum):
    MINI_SWE_AGENT = "mini_swe_agent"
    RUN_DIRECTORY = "run_directory"
    SINGLE_KERNEL = "single_kernel"
    OWN_JSON = "own_json"
    ATIF = "atif"
    FLASHINFER = "flashinfer"


class Ending(StrEnum):
    """The endings of evaluation that an upload can say: never that it was our fault."""

    TURNS_USED = "turns_used"
    TARGET_MET = "target_met"
    STOPPED = "stopped"
    UNKNOWN = "unknown"


class Trouble(StrEnum):
    """Kinds of named problems: what could not be understood, or contradicts itself."""

    NOT_A_TRAJECTORY = "not_a_trajectory"
    BROKEN_FIELD = "broken_field"
    CONTRADICTION = "contradiction"
    NO_FEEDBACK = "no_feedback"
    FEEDBACK_WITHOUT_EVENT = "feedback_without_event"
    UNUSUAL_FENCE = "unusual_fence"
    NO_CODE_SAID = "no_code_said"
    OTHER_KERNEL_IN_SUCCESS = "other_kernel_in_success"
    SEVERAL_SOURCES = "several_sources"
    SEVERAL_PROBLEMS = "several_problems"
    UNKNOWN_PROBLEM = "unknown_problem"
    OTHER_WORKLOAD = "other_workload"
    NO_PROBLEM = "no_problem"
    NO_TARGET = "no_target"
    NO_PLACE = "no_place"
    MORE_TURNS_THAN_DECLARED = "more_turns_than_declared"
    UNUSED_RESULT = "unused_result"


@dataclass(frozen=True, slots=True)
class NamedProblem:
    """One thing that was not understood; ``where`` is a member, a turn or a place in it. Both are safe to show."""

    kind: Trouble
    sentence: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class ReadReported:
    """What a source says about one turn, unchecked and never ranked. Times in microseconds; None is not said."""

    status: str
    correct: bool | None = None
    speedup: float | None = None
    latency_us: float | None = None
    reference_us: float | None = None
    device: str = ""
    workloads: tuple[str, ...] = ()  # uuids in the order of the source


@dataclass(frozen=True, slots=True)
class Usage:
    """What the model's reply cost, as the source says; None is not said."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """One turn, 0-based. A kernel is there exactly when ``missing`` is None or SCRUBBED. Texts are scrubbed."""

    number: int
    kernel: str | None
    missing: Missing | None = None
    missing_said: str = ""
    event: str = ""
    reply: str = ""
    usage: Usage = Usage()
    at: datetime | None = None
    reported: ReadReported | None = None
    problems: tuple[NamedProblem, ...] = ()
    secrets: tuple[Found, ...] = ()  # places in the kernel

    def __post_init__(self) -> None:
        if (self.kernel is None) != (self.missing not in (None, Missing.SCRUBBED)):
            raise ValueError("a turn has a kernel exactly when none is missing")


@dataclass(frozen=True, slots=True)
class Proposed:
    """Who wrote it and with what, as the source says and the uploader may correct; empty is not said."""

    model: str = ""
    harness: str = ""
    harness_version: str = ""
    reasoning_effort: str = ""
    language: Language = Language.CUDA


@dataclass(frozen=True, slots=True)
class Layout:
    """What was declared before the first turn; None is not said."""

    prompts: int | None = None
    trajectories: int | None = None  # of each prompt
    turns: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a trajectory stands in the layout, both 0-based, and the prompt's own name."""

    prompt: int = 0
    number: int = 0
    prompt_tag: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """The whole trajectory as it may be stored: scrubbed, and where something was removed (the first places)."""

    content: bytes
    found: tuple[Found, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class ReadTrajectory:
    """One trajectory. ``member`` is its name in the upload and the key by which an import is resumed."""

    member: str
    format: Format
    proposed: Proposed
    turns: tuple[ReadTurn, ...]
    problem: str = ""  # a definition's name, as the source says
    target: Target | None = None
    device: str = ""  # a product (H100), as the source says
    layout: Layout = Layout()
    place: Place = Place()
    ending: Ending = Ending.UNKNOWN
    document: Document | None = None
    problems: tuple[NamedProblem, ...] = ()
