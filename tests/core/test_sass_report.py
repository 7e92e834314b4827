"""Evidence by address beside the counters: shown where they agree, and no finding where they do not."""

from dataclasses import replace

from probed import hopper

from evaluation.adapters.catalogue import packaged
from evaluation.core.measure.seen import ProbeSeen
from evaluation.core.probe.finding import Clock, Static
from evaluation.core.probe.probe import judge_probe
from evaluation.core.probe.sass_counts import SassCounts
from evaluation.core.probe.sass_evidence import executed
from evaluation.core.probe.sass_report import with_evidence
from evaluation.core.records import StageReport
from evaluation.core.scan.evidence import EvidenceRow
from evaluation.core.scan.opcodes import MatrixWork, NumberFormat, OpcodeKind
from evaluation.core.verdict import FamilyExecuted, Target

GEMM = packaged().problem("gemm_n7168_k5120")
SEEN = hopper(bf16=601_295_421_440)
ROW = EvidenceRow(
    function="gemm",
    address=0x40,
    predicate="",
    opcode="HGMMA.64x128x16.F32.BF16",
    operands="R24",
    kind=OpcodeKind.GMMA,
    work=MatrixWork(NumberFormat.BF16, sparse=False, products=131_072),
    idle=False,
    why="",
)


def judged(seen: ProbeSeen, threads: int) -> StageReport:
    report = judge_probe(seen, GEMM, Target.HOPPER, Static(FamilyExecuted.UNKNOWN), Clock())
    found = executed(SassCounts(1, (("gemm", 0x40, threads),)), (ROW,))
    return with_evidence(report, seen, found, GEMM, Target.HOPPER)


def facts(report: StageReport) -> dict[str, str | int]:
    return {one.name: one.value for one in report.facts}


def test_evidence_that_agrees_is_added_and_changes_nothing() -> None:
    report = judged(SEEN, 293_601_280)
    assert facts(report)["family"] == "yes"
    assert facts(report)["instrumented_products"] == 300_647_710_720
    assert report.signals == ()
    assert report.log.endswith(
        "gemm+0x0040 HGMMA.64x128x16.F32.BF16 R24  [293601280 threads, 300647710720 products]"
    )


def test_evidence_that_contradicts_makes_the_finding_unknown() -> None:
    report = judged(SEEN, 128)
    said = facts(report)
    assert (said["family"], said["matrix_path"]) == ("unknown", "unknown")
    assert said["family_reason"] == "the kernel behaves differently when instrumented"
    assert not {"coverage", "executed_share"} & said.keys()
    assert [one.kind for one in report.signals] == ["instrumented_differs"]


def test_without_counters_there_is_nothing_to_contradict() -> None:
    report = judged(replace(SEEN, readings=(), unavailable="no_permission"), 128)
    assert facts(report)["family"] == "unknown"
    assert report.signals == ()
    assert report.log.startswith("gemm+0x0040")
