"""A closer look at one kernel with tools that watch a whole process: what can be asked, and what may come of it.

Such a tool patches the kernel's code and takes many times its time. So it explains and warns, and decides no finding:
a kernel that no tool can look at is judged like any other (rules C8, I5, I11). One thing else can be asked: to read the
hardware's counters, which patch nothing, where a launcher cannot.
"""

from dataclasses import dataclass
from enum import StrEnum, unique
from typing import Protocol

from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import Reading
from evaluation.core.probe.sanitizer_report import SanitizerReport
from evaluation.core.probe.sass_evidence import Executed


@unique
class ExaminationKind(StrEnum):
    """The first three are tools of compute-sanitizer, the last is Nsight Compute."""

    MEMCHECK = "memcheck"
    RACECHECK = "racecheck"
    INITCHECK = "initcheck"
    NSIGHT = "nsight"


@unique
class Hindrance(StrEnum):
    """Why an instrumented run says nothing."""

    MISSING = "missing"  # the tool, or something that every run needs, is not installed
    NO_JAIL = "no_jail"  # and without one nothing of a candidate runs
    NO_PERMISSION = "no_permission"
    TOO_SLOW = "too_slow"
    TOO_MUCH = "too_much"  # memory, or a report past its limit
    FAILED = "failed"
    UNREADABLE = "unreadable"  # a report that breaks its format
    NOT_REACHED = "not_reached"  # the kernel failed before


@dataclass(frozen=True, slots=True)
class NotRun:
    """``detail`` is a sentence of ours."""

    why: Hindrance
    detail: str


@dataclass(frozen=True, slots=True)
class ByInstruction:
    """What each instruction that is evidence did in one call of the steady steps, in the order of the code."""

    found: tuple[Executed, ...]


Examined = SanitizerReport | ByInstruction | NotRun


class Examiner(Protocol):
    def examine(self, prepared: Prepared, kind: ExaminationKind) -> Examined:
        """Look at a kernel in a jail, within a minute. Give NSIGHT's answer by instruction, the others' as a report.

        Raise nothing of ours: what goes wrong is a NotRun, since the verdict does not hang on it.
        """
        ...

    def count(self, prepared: Prepared) -> tuple[Reading, ...] | NotRun:
        """Read the probe's counters of some calls that a lone replay makes, within a minute, where no launcher can.

        What these calls left was compared with an uncounted call's (rule I12). Raise nothing of ours here either.
        """
        ...
