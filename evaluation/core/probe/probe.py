"""The probe stage: whether the target's instructions ran and how much of the work was theirs, as a report."""

from statistics import median_low

from evaluation.core.catalogue.problem import Problem
from evaluation.core.catalogue.work import required_products
from evaluation.core.measure.seen import ProbeSeen
from evaluation.core.probe.coverage import Shares, shown
from evaluation.core.probe.finding import Clock, Finding, Static, find
from evaluation.core.probe.plausible import faster_than_warp_matrix
from evaluation.core.probe.probe_signals import FEEDING, signals_of
from evaluation.core.probe.work import Work
from evaluation.core.records import Fact, StageReport
from evaluation.core.timing.units import NS
from evaluation.core.verdict import FamilyExecuted, MatrixPath, Stage, Target

FAMILY_FACT = "family"  # the fact whose value is a FamilyExecuted
MATRIX_PATH_FACT = "matrix_path"  # a MatrixPath


def judge_probe(
    seen: ProbeSeen,
    problem: Problem,
    target: Target,
    static: Static,
    clock: Clock = Clock(),  # noqa: B008 - frozen, and nothing measured is what it says
) -> StageReport:
    """Judge what the counters said. A probe never ends a run: correct and speed are findings of their own.

    The caller gives it only to a kernel whose counted calls had right outputs (rule I2). Raise ToolFailure for a
    reading that lacks a metric.
    """
    finding = find(seen, problem, target, static, clock)
    return StageReport(
        stage=Stage.PROBE,
        headline=_headline(finding),
        signals=signals_of(finding, problem),
        facts=(*_facts(finding), *_failed(seen), *_second_proof(problem, clock)),
        log=_log(seen),
    )


def _headline(finding: Finding) -> str:
    if finding.family is FamilyExecuted.YES and finding.shares is not None:
        if finding.tma_only:
            return f"TMA only, {shown(finding.shares.transferred)} times the input's bytes"
        return (
            f"executed {shown(finding.shares.executed)} of the required products, "
            f"coverage {shown(finding.shares.coverage)}"
        )
    return f"{finding.family}: {finding.reason}".replace("_", " ")


def _facts(finding: Finding) -> tuple[Fact, ...]:
    facts = [
        Fact(FAMILY_FACT, str(finding.family)),
        Fact("family_reason", finding.reason),
        Fact(MATRIX_PATH_FACT, str(_matrix_path(finding))),
        Fact("readings", len(finding.works)),
    ]
    if finding.by:
        facts.insert(2, Fact("family_by", " and ".join(finding.by)))
    if finding.shares is not None:
        facts += _share_facts(finding.shares, tma_only=finding.tma_only)
    if finding.works:
        facts += _work_facts(finding.works)
    return tuple(facts)


def _failed(seen: ProbeSeen) -> tuple[Fact, ...]:
    """Say why there are fewer readings than were asked for, where the others are enough."""
    if not (seen.unavailable and seen.readings):
        return ()
    return (Fact("reading_failed", seen.unavailable),)


def _matrix_path(finding: Finding) -> MatrixPath:
    if finding.family is FamilyExecuted.ABSENT:
        return MatrixPath.NO
    if finding.shares is None:
        return MatrixPath.UNKNOWN
    return MatrixPath.YES if finding.shares.matrix_path else MatrixPath.NO


def _share_facts(found: Shares, *, tma_only: bool) -> list[Fact]:
    facts = [
        Fact("executed_share", shown(found.executed)),
        Fact("coverage", shown(found.coverage)),
        Fact("other_work", shown(found.other)),
        Fact("matrix_work", shown(found.matrix)),
        Fact("transfer_share", shown(found.transferred)),
    ]
    if tma_only:
        facts.append(Fact("label", "TMA only" if found.transferred >= FEEDING else "decoy"))
    return facts


def _work_facts(works: tuple[Work, ...]) -> list[Fact]:
    """What the first reading says, with which all others agree: products by format, and the rest as bounds."""
    one = works[0]
    return [
        *(Fact(f"products.{name}", int(products)) for name, products in one.family),
        Fact("products_of_mma_sync_at_most", int(one.warp_matrix)),
        Fact("products_of_other_pipes_at_most", int(one.scalar)),
        Fact("gmma_instructions", one.gmma_instructions),
        Fact("bulk_transfers", one.transfers),
        Fact("bulk_loaded", one.transfer_bytes, "bytes"),
        *_busy([each.busy_ns for each in works if each.busy_ns is not None]),
    ]


def _busy(times: list[int]) -> tuple[Fact, ...]:
    return (Fact("counted_busy", median_low(times), NS),) if times else ()


def _second_proof(problem: Problem, clock: Clock) -> tuple[Fact, ...]:
    if clock.candidate_ns is None or clock.warp_matrix_flops_per_s is None:
        return ()
    required = required_products(problem)
    faster = faster_than_warp_matrix(required, clock.candidate_ns, clock.warp_matrix_flops_per_s)
    return (Fact("faster_than_mma_sync", "yes" if faster else "no"),)


def _log(seen: ProbeSeen) -> str:
    lines = []
    for place, reading in enumerate(seen.readings):
        lines.append(f"reading {place}: launcher {reading.launcher}, up to call {reading.call}")
        lines += (f"  {name} {value}" for name, value in reading.values)
    return "\n".join(lines)
