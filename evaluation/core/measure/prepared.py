"""What the prepare half hands to the GPU half: all that a GPU machine needs to judge one kernel."""

from dataclasses import dataclass, field

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.catalogue.problem import Problem
from evaluation.core.plan.plan import Plan
from evaluation.core.verdict import FamilyExecuted


@dataclass(frozen=True, slots=True)
class Prepared:
    """A kernel that passed the scan. ``plan`` was validated against ``facts``; ``cubin`` hashes to the plan's own hash.

    ``family`` is the scan's answer for the launched functions: ABSENT needs no dynamic probe (rule I11).
    """

    problem: Problem
    plan: Plan
    cubin: bytes = field(repr=False)
    facts: CubinFacts
    family: FamilyExecuted
