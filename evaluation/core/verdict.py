"""The closed word lists of the judge. Every other module, table, page and test takes its words from here."""

from enum import StrEnum


class Stage(StrEnum):
    """The stages of a run in their order; the first four need no GPU."""

    POLICY = "policy"
    BUILD = "build"
    RECORD = "record"
    SCAN = "scan"
    CHECK = "check"
    PROBE = "probe"
    TIME = "time"

    @property
    def needs_gpu(self) -> bool:
        return self in {Stage.CHECK, Stage.PROBE, Stage.TIME}


class Verdict(StrEnum):
    """What a finished run says about a kernel. Every one but ACCEPTED counts as not correct."""

    ACCEPTED = "accepted"
    WRONG_RESULT = "wrong_result"
    MEMORY_FAULT = "memory_fault"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    BUILD_FAILED = "build_failed"
    POLICY_REJECTED = "policy_rejected"
    NOT_RECORDABLE = "not_recordable"
    NO_KERNEL = "no_kernel"


class RunState(StrEnum):
    WAITING = "waiting"
    PREPARING = "preparing"
    READY = "ready"
    MEASURING = "measuring"
    FINISHED = "finished"
    ABANDONED = "abandoned"
    CANCELLED = "cancelled"


class Correct(StrEnum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class FamilyExecuted(StrEnum):
    """The instruction finding by the paper's rule; a scan alone can say ABSENT or UNKNOWN, never YES."""

    YES = "yes"
    PRESENT_NEVER_EXECUTED = "present_never_executed"
    ABSENT = "absent"
    UNKNOWN = "unknown"


class MatrixPath(StrEnum):
    """Whether the target's matrix instructions did the work of the problem: coverage of 0.9 or more."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Integrity(StrEnum):
    CLEAR = "clear"
    HELD = "held"
    STRUCK = "struck"


class Lane(StrEnum):
    """RECORDED: no author's host code ever ran beside a GPU. LIVE: it did, jailed."""

    RECORDED = "recorded"
    LIVE = "live"


class Language(StrEnum):
    CUDA = "cuda"
    TRITON = "triton"


class Target(StrEnum):
    """What a kernel is compiled for. Correct and instruction findings hold for a target."""

    HOPPER = "hopper"
    BLACKWELL = "blackwell"

    @property
    def gencode(self) -> str:
        """Exact nvcc -gencode value; no PTX is kept in the image."""
        return {
            Target.HOPPER: "arch=compute_90a,code=sm_90a",
            Target.BLACKWELL: "arch=compute_100a,code=sm_100a",
        }[self]

    @property
    def sm(self) -> str:
        return {Target.HOPPER: "sm_90a", Target.BLACKWELL: "sm_100a"}[self]


class Severity(StrEnum):
    """NOTE is shown. HOLD keeps kernel, problem and target off every board until a person clears it."""

    NOTE = "note"
    HOLD = "hold"
