"""What travels from the prepare half to the GPU half: three artifacts by hash, and the scan's answer."""

from dataclasses import dataclass

from evaluation.core.errors import InvalidInput
from evaluation.core.records import ArtifactRef, Outcome
from evaluation.core.scan.scan_report import FAMILY_FACT
from evaluation.core.verdict import FamilyExecuted, Stage


@dataclass(frozen=True, slots=True)
class Parts:
    """``facts`` are the cubin's, read in a jail; ``family`` is the scan's answer, which no run has confirmed."""

    plan: ArtifactRef
    cubin: ArtifactRef
    facts: ArtifactRef
    family: FamilyExecuted

    def __post_init__(self) -> None:
        if self.family not in {FamilyExecuted.ABSENT, FamilyExecuted.UNKNOWN}:
            raise ValueError(f"a scan cannot say that the family is {self.family}")


def parts_of(outcome: Outcome) -> Parts:
    """What a prepare half without a verdict hands over. Raise InvalidInput where it lacks something."""
    if outcome.verdict is not None or not any(one.stage is Stage.SCAN for one in outcome.reports):
        rule = "only a kernel that passed the scan is handed over"
        raise InvalidInput(where="prepare half", key="reports", rule=rule)
    found = {one.name: one for one in outcome.artifacts}
    for name in ("plan", "cubin", "facts"):
        if name not in found:
            raise InvalidInput(where="prepare half", key=f"artifacts.{name}", rule="is missing")
    return Parts(found["plan"], found["cubin"], found["facts"], _family(outcome))


def _family(outcome: Outcome) -> FamilyExecuted:
    words = [
        one.value for report in outcome.reports for one in report.facts if one.name == FAMILY_FACT
    ]
    absent = words == [str(FamilyExecuted.ABSENT)]
    return FamilyExecuted.ABSENT if absent else FamilyExecuted.UNKNOWN
