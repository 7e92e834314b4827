"""The instruction finding from counted calls: did the family run, by what, and may anybody say so (I2, I7, I9, I11)."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.core.catalogue.problem import Family, Problem
from evaluation.core.measure.seen import ProbeSeen
from evaluation.core.probe.coverage import Shares, disagreements, shares
from evaluation.core.probe.plausible import impossible
from evaluation.core.probe.work import Work, work_of
from evaluation.core.verdict import FamilyExecuted, Target

LEAST_READINGS = 2  # one reading agrees with itself

_WORDS = {
    Family.GMMA: "GMMA",
    Family.TMA: "TMA transfers",
    Family.TCGEN05: "TCGEN05 matrix instructions",
}


@dataclass(frozen=True, slots=True)
class Static:
    """What the scan said of the launched functions.

    ``bulk_rows`` are copies without a tensor map: they are not of the family, and the counters cannot tell them from
    TMA transfers.
    """

    family: FamilyExecuted
    bulk_rows: int = 0


@dataclass(frozen=True, slots=True)
class Clock:
    """The candidate's own time and the best rates measured in FLOP/s; None or 0 for what nobody measured."""

    candidate_ns: int | None = None
    target_flops_per_s: float | None = None
    warp_matrix_flops_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """``reason`` is a sentence for people. ``by`` names what ran; ``shares`` is None where nothing may be said.

    ``differing`` are lines that say how readings contradict each other, ``beyond`` that they contradict the clock.
    """

    family: FamilyExecuted
    reason: str
    by: tuple[Family, ...] = ()
    works: tuple[Work, ...] = ()
    shares: Shares | None = None
    differing: tuple[str, ...] = ()
    beyond: bool = False

    @property
    def tma_only(self) -> bool:
        return self.by == (Family.TMA,)


def find(
    seen: ProbeSeen, problem: Problem, target: Target, static: Static, clock: Clock
) -> Finding:
    """Find out. Raise ToolFailure for a reading that lacks a metric."""
    if static.family is FamilyExecuted.ABSENT:
        reason = "no launched function has the family, so nothing was counted"
        return Finding(FamilyExecuted.ABSENT, reason)
    if len(seen.readings) < LEAST_READINGS:
        if seen.unavailable:
            return _unknown(f"the counters could not be read: {seen.unavailable}")
        return _unknown(f"only {len(seen.readings)} of at least {LEAST_READINGS} readings fitted")
    declared = problem.inputs[0].dtype
    works = tuple(work_of(one, target, declared) for one in seen.readings)
    return _doubt(works, problem, clock) or _counted(works, problem, target, static)


def _doubt(works: tuple[Work, ...], problem: Problem, clock: Clock) -> Finding | None:
    """Say nothing of a kernel whose counters contradict each other or the clock."""
    differing = disagreements(works, problem)
    if differing:
        return _unknown("counted calls differ from each other", works, differing=differing)
    if _beyond(works, clock):
        reason = "more work was counted than the device can do in the time"
        return _unknown(reason, works, beyond=True)
    return None


def _counted(works: tuple[Work, ...], problem: Problem, target: Target, static: Static) -> Finding:
    by = _families(works, problem.families(target))
    found = shares(works, problem)
    if by == (Family.TMA,) and static.bulk_rows > 0:
        reason = "bulk copies ran; whether one of them was a TMA transfer, the counters cannot tell"
        return _unknown(reason, works, found=found)
    if not by:
        reason = "its instructions are in a launched function and did no work in any counted call"
        return Finding(FamilyExecuted.PRESENT_NEVER_EXECUTED, reason, (), works, found)
    reason = f"{' and '.join(_WORDS[one] for one in by)} ran in every counted call"
    return Finding(FamilyExecuted.YES, reason, by, works, found)


def _unknown(
    reason: str,
    works: tuple[Work, ...] = (),
    *,
    found: Shares | None = None,
    differing: tuple[str, ...] = (),
    beyond: bool = False,
) -> Finding:
    return Finding(
        FamilyExecuted.UNKNOWN,
        reason,
        works=works,
        shares=found,
        differing=differing,
        beyond=beyond,
    )


def _families(works: Sequence[Work], asked: tuple[Family, ...]) -> tuple[Family, ...]:
    """Families that ran in every reading. An instruction that computes nothing, as an empty group's, is no run."""
    ran = {
        Family.GMMA: all(one.counting > 0 for one in works),
        Family.TCGEN05: all(one.counting > 0 for one in works),
        Family.TMA: all(one.transfers > 0 for one in works),
    }
    return tuple(one for one in asked if ran[one])


def _beyond(works: Sequence[Work], clock: Clock) -> bool:
    if not clock.candidate_ns or not clock.target_flops_per_s:
        return False
    return any(impossible(one, clock.candidate_ns, clock.target_flops_per_s) for one in works)
