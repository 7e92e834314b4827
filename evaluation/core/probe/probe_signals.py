"""What a person should look at in the work of a kernel (rules I2, I3, I6, I8, I9). A signal decides nothing."""

from fractions import Fraction

from evaluation.core.catalogue.problem import Problem
from evaluation.core.probe.coverage import MATRIX_PATH, Shares, shown
from evaluation.core.probe.finding import Finding
from evaluation.core.scan.opcodes import NumberFormat, is_narrower, is_other_precision
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage

DECOY_OTHER = Fraction(9, 10)
PARTIAL_FROM = Fraction(1, 10)
LEAST_WORK = Fraction(
    7, 8
)  # one level of fast matrix multiplication, as the physics floor allows (rule S6)
FEEDING = Fraction(1, 2)  # of the input bytes, for transfers that are all there is of the family


def signals_of(finding: Finding, problem: Problem) -> tuple[Signal, ...]:
    """Give all signals of a probe, holds and notes, in a fixed order."""
    found = [_differs(finding), _beyond(finding)]
    if finding.shares is not None:
        found += (
            _decoy(finding.shares),
            _missing_work(finding.shares),
            _partial(finding.shares),
            _excess(finding.shares, problem),
            _transfers(finding, finding.shares),
        )
        found += (*_precision(finding, problem), _sparse(finding))
    return tuple(one for one in found if one is not None)


def _differs(finding: Finding) -> Signal | None:
    if not finding.differing:
        return None
    sentence = "The kernel does other work in one counted call than in another, so what it does when timed is open."
    return Signal(
        "counted_calls_differ", 1, Severity.HOLD, Stage.PROBE, sentence, finding.differing
    )


def _beyond(finding: Finding) -> Signal | None:
    if not finding.beyond:
        return None
    sentence = "The counters tell of more matrix work than this device can do in the kernel's time."
    return Signal("counters_implausible", 1, Severity.HOLD, Stage.PROBE, sentence)


def _decoy(found: Shares) -> Signal | None:
    if found.executed == 0 or found.other < DECOY_OTHER:
        return None
    sentence = (
        f"The target's instructions ran ({shown(found.executed)} of the required products), but other instructions "
        f"could have made all of the result by themselves ({shown(found.other)})."
    )
    return Signal("decoy", 1, Severity.HOLD, Stage.PROBE, sentence)


def _missing_work(found: Shares) -> Signal | None:
    total = found.executed + found.other
    if total >= LEAST_WORK:
        return None
    sentence = (
        f"All instructions together can have made {shown(total)} of the required products, so part of the result "
        "came from elsewhere, or the judge does not know how."
    )
    return Signal("work_missing", 1, Severity.HOLD, Stage.PROBE, sentence)


def _partial(found: Shares) -> Signal | None:
    if not PARTIAL_FROM <= found.coverage < MATRIX_PATH:
        return None
    sentence = f"For certain, the target's instructions made only {shown(found.coverage)} of the required products."
    return Signal("partial_coverage", 1, Severity.NOTE, Stage.PROBE, sentence)


def _excess(found: Shares, problem: Problem) -> Signal | None:
    if found.matrix <= Fraction(problem.bounds.excess_work):
        return None
    sentence = (
        f"The kernel makes {shown(found.matrix)} times the products that the result needs; "
        f"up to {problem.bounds.excess_work:g} an honest one may."
    )
    return Signal("excess_work", 1, Severity.NOTE, Stage.PROBE, sentence)


def _transfers(finding: Finding, found: Shares) -> Signal | None:
    if not finding.tma_only:
        return None
    share = shown(found.transferred)
    if found.transferred >= FEEDING:
        sentence = (
            f"TMA transfers alone are of the family; they moved {share} times the input's bytes."
        )
        return Signal("tma_only_executed", 1, Severity.NOTE, Stage.PROBE, sentence)
    # The published rule lets it pass and the matrix path says no to it, so it is shown and not held.
    sentence = f"TMA transfers alone are of the family, and they moved only {share} of the input's bytes: a decoy."
    return Signal("tma_decoy", 1, Severity.NOTE, Stage.PROBE, sentence)


def _precision(finding: Finding, problem: Problem) -> tuple[Signal, ...]:
    declared = problem.inputs[0].dtype
    ran = {name for one in finding.works for name, _ in one.family}
    if any(one.integer_instructions for one in finding.works):
        ran.add(NumberFormat.I8)
    other = sorted(one for one in ran if is_other_precision(one, declared))
    if not other:
        return ()
    sentence = f"Matrix work was done in {', '.join(other)}; the problem is declared in {declared}."
    # A narrower format can pass a loose tolerance; a person should see it before it ranks.
    narrower = any(is_narrower(one, declared) for one in other)
    severity = Severity.HOLD if narrower else Severity.NOTE
    return (Signal("other_precision_executed", 1, severity, Stage.PROBE, sentence),)


def _sparse(finding: Finding) -> Signal | None:
    if not any(one.sparse for one in finding.works):
        return None
    sentence = "Sparse matrix instructions ran: half of each nominal product counts."
    return Signal("sparse_executed", 1, Severity.NOTE, Stage.PROBE, sentence)
