"""What travels from the prepare half to the GPU half: three artifacts by hash, and the scan's answer."""

from dataclasses import dataclass

from evaluation.core.errors import InvalidInput
from evaluation.core.records import ArtifactRef, Outcome
from evaluation.core.scan.scan_report import FAMILY_FACT
from evaluation.core.verdict import FamilyExecuted, Stage

BULK_FACT = "bulk_copy_rows"  # of the scan's report


@dataclass(frozen=True, slots=True)
class Parts:
    """``facts`` are the cubin's, read in a jail; ``family`` is the scan's answer, which no run has confirmed.

    ``bulk_rows`` counts the scan's rows of copies without a tensor map, which counters cannot tell from TMA transfers.
    """

    plan: ArtifactRef
    cubin: ArtifactRef
    facts: ArtifactRef
    family: FamilyExecuted
    bulk_rows: int = 0

    def __post_init__(self) -> None:
        if self.family not in {FamilyExecuted.ABSENT, FamilyExecuted.UNKNOWN}:
            raise ValueError(f"a scan cannot say that the family is {self.family}")
        if self.bulk_rows < 0:
            raise ValueError("bulk rows are counted from 0")


def parts_of(outcome: Outcome) -> Parts:
    """What a prepare half without a verdict hands over. Raise InvalidInput where it lacks something."""
    last = outcome.reports[-1] if outcome.reports else None
    if last is None or last.stage is not Stage.SCAN or last.ends_run:
        rule = "only a kernel that passed the scan is handed over"
        raise InvalidInput(where="prepare half", key="reports", rule=rule)
    found = {one.name: one for one in outcome.artifacts}
    for name in ("plan", "cubin", "facts"):
        if name not in found:
            raise InvalidInput(where="prepare half", key=f"artifacts.{name}", rule="is missing")
    scanned = {fact.name: fact.value for fact in last.facts}
    absent = scanned.get(FAMILY_FACT) == FamilyExecuted.ABSENT
    return Parts(
        found["plan"],
        found["cubin"],
        found["facts"],
        FamilyExecuted.ABSENT if absent else FamilyExecuted.UNKNOWN,
        int(scanned.get(BULK_FACT, 0)),
    )
