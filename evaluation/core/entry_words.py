"""The closed words of what was handed in: who wrote it, who may see it, how it ended, what of it is missing."""

from enum import StrEnum


class Track(StrEnum):
    """What kind of author wrote the kernels."""

    HUMAN = "human"
    AGENT = "agent"
    MODEL = "model"


class Authorship(StrEnum):
    """How well it is known who wrote the kernels, best first. PROJECT: the project wrote and handed them in."""

    PROJECT = "project"
    ATTESTED = "attested"
    HARNESS_LOG = "harness_log"
    UPLOADER = "uploader"


class Visibility(StrEnum):
    """EMBARGOED is private until its date and public from then on."""

    PRIVATE = "private"
    EMBARGOED = "embargoed"
    PUBLIC = "public"


class Ending(StrEnum):
    """Why a trajectory took no further turn."""

    TURNS_USED = "turns_used"
    TARGET_MET = "target_met"
    OUR_FAULT = "our_fault"
    STOPPED = "stopped"
    UNKNOWN = "unknown"


class Missing(StrEnum):
    """Why a turn has no kernel that can be judged. SCRUBBED keeps the changed kernel; the others keep none."""

    NO_CODE = "no_code"
    SOURCE_MISSING = "source_missing"
    SCRUBBED = "scrubbed"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"

    @property
    def keeps_kernel(self) -> bool:
        return self is Missing.SCRUBBED


class PaperMetric(StrEnum):
    """A published value. The first three are of trajectories, the last two of turns."""

    SOLVED_BY = "solved_by"
    TARGET_SOLVED_BY = "target_solved_by"
    BEST_SPEEDUP = "best_speedup"
    CORRECT_AT = "correct_at"
    TARGET_CORRECT_AT = "target_correct_at"
