"""A closer look at a kernel: when memcheck runs unasked, what each tool's answer becomes, and that none decides."""

from dataclasses import replace
from fractions import Fraction

import pytest
from fake_adapters import FakeClock, MemoryArtifacts
from fake_examiner import FakeExaminer
from fake_measurer import FakeMeasurer
from measured import CHECKED, call, output
from sample_run import a_prepared_kernel

from evaluation.core import wire
from evaluation.core.measure.examination import (
    ByInstruction,
    ExaminationKind,
    Examined,
    Hindrance,
    NotRun,
)
from evaluation.core.measure.examination_report import is_memory_fault
from evaluation.core.measure.examination_run import Contents
from evaluation.core.measure.seen import CheckSeen, Element, Fault, FaultKind
from evaluation.core.pipeline_measure import MeasureTools, measure
from evaluation.core.probe.sanitizer_report import SanitizerReport
from evaluation.core.probe.sass_evidence import Executed
from evaluation.core.records import StageReport
from evaluation.core.scan.evidence import EvidenceRow
from evaluation.core.scan.opcodes import MatrixWork, NumberFormat, OpcodeKind
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage, Verdict

MEMCHECK, RACECHECK, INITCHECK, NSIGHT = ExaminationKind
ILLEGAL = Fault(FaultKind.CUDA_ERROR, 0, 1, -1, 700, "CUDA_ERROR_ILLEGAL_ADDRESS", 0.2)
CLEAN = SanitizerReport(0, ())
FOUND = SanitizerReport(3, ("'Invalid __global__ read of size 16 bytes' in 'k'",))


class Run:
    """The GPU half of one run with an examiner that gives these answers, or with none."""

    def __init__(
        self,
        answers: dict[ExaminationKind, Examined] | None,
        *asked: ExaminationKind,
        fault: Fault | None = None,
    ) -> None:
        self.examiner = None if answers is None else FakeExaminer(answers)
        calls = CHECKED.calls if fault is None else CHECKED.calls[:1]
        self.measurer = FakeMeasurer(checked=replace(CHECKED, calls=calls, fault=fault))
        self.artifacts = MemoryArtifacts()
        tools = MeasureTools(self.artifacts, FakeClock(), None, self.examiner)
        stages = measure(a_prepared_kernel(), self.measurer, tools, lambda _: None, examine=asked)
        self.reports = {one.stage: one for one in stages}

    @property
    def check(self) -> StageReport:
        return self.reports[Stage.CHECK]

    @property
    def asked(self) -> list[ExaminationKind]:
        return [] if self.examiner is None else self.examiner.asked

    def facts(self, stage: Stage = Stage.CHECK) -> dict[str, str | int]:
        return {one.name: one.value for one in self.reports[stage].facts}


def test_a_memory_fault_is_explained_by_memcheck_in_remarks_and_in_what_is_kept() -> None:
    run = Run({MEMCHECK: FOUND}, fault=ILLEGAL)
    assert run.asked == [MEMCHECK]
    assert run.check.verdict is Verdict.MEMORY_FAULT
    (line,) = (one.message for one in run.check.remarks if one.rule == "C8")
    assert line.startswith("memcheck: ")
    assert "Invalid __global__ read of size 16 bytes" in line
    assert run.facts()["examined.memcheck"] == 3
    assert run.check.signals == ()
    content = run.artifacts.get(run.check.artifacts[0].sha256, limit_bytes=1 << 20)
    kept = wire.decode(CheckSeen, content, where="artifact").fault
    assert kept is not None
    assert kept.memcheck == FOUND.lines


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (CLEAN, 0),
        (
            NotRun(Hindrance.TOO_SLOW, "compute-sanitizer did not end within 60 s"),
            "not run, too_slow: compute-sanitizer did not end within 60 s",
        ),
    ],
)
def test_a_fault_that_memcheck_cannot_explain_stays_a_fault(
    answer: Examined, told: str | int
) -> None:
    run = Run({MEMCHECK: answer}, fault=ILLEGAL)
    assert run.check.verdict is Verdict.MEMORY_FAULT
    assert run.facts()["examined.memcheck"] == told
    assert [one for one in run.check.remarks if one.rule == "C8"] == []


def test_without_an_examiner_a_fault_is_a_fault_and_nothing_is_said() -> None:
    run = Run(None, fault=ILLEGAL)
    assert run.check.verdict is Verdict.MEMORY_FAULT
    assert not [one for one in run.facts() if one.startswith("examined")]


def test_who_asks_where_nobody_can_look_is_told_so() -> None:
    run = Run(None, NSIGHT)
    assert run.facts()["examined.nsight"] == "not run, missing: this machine is not set up for it"


@pytest.mark.parametrize(
    ("fault", "wants"),
    [
        (None, False),
        (ILLEGAL, True),
        (replace(ILLEGAL, code=716, name="CUDA_ERROR_MISALIGNED_ADDRESS"), True),
        (replace(ILLEGAL, code=715, name="CUDA_ERROR_ILLEGAL_INSTRUCTION"), False),
        (replace(ILLEGAL, code=0, name="LAUNCHER_DIED"), False),
        (Fault(FaultKind.TIMED_OUT, 0, 1, -1, 0, "", 10.0), False),
    ],
)
def test_memcheck_runs_unasked_for_memory_faults_alone(fault: Fault | None, wants: bool) -> None:
    assert is_memory_fault(fault) is wants


def test_a_kernel_that_does_not_end_is_not_run_again() -> None:
    run = Run({MEMCHECK: FOUND}, MEMCHECK, fault=Fault(FaultKind.TIMED_OUT, 0, 1, -1, 0, "", 10.0))
    assert run.asked == []
    told = run.facts()["examined.memcheck"]
    assert told == "not run, not_reached: a call of the kernel failed before"


def test_a_kernel_that_faults_has_no_counts_and_every_other_tool_looks_once() -> None:
    run = Run({MEMCHECK: FOUND, RACECHECK: CLEAN}, RACECHECK, NSIGHT, MEMCHECK, fault=ILLEGAL)
    assert run.asked == [MEMCHECK, RACECHECK]
    assert run.facts()["examined.racecheck"] == 0
    assert str(run.facts()["examined.nsight"]).startswith("not run, not_reached")


@pytest.mark.parametrize(
    ("kind", "signal", "severity"),
    [
        (MEMCHECK, "access_outside", Severity.HOLD),
        (RACECHECK, "race_found", Severity.HOLD),
        (INITCHECK, "uninitialised_read", Severity.NOTE),
    ],
)
def test_what_a_tool_finds_in_a_right_kernel_is_a_signal_and_no_verdict(
    kind: ExaminationKind, signal: str, severity: Severity
) -> None:
    run = Run({kind: FOUND}, kind, kind)
    assert run.asked == [kind]
    (found,) = run.check.signals
    assert isinstance(found, Signal)
    assert (found.kind, found.severity, found.evidence) == (signal, severity, FOUND.lines)
    assert run.check.verdict is None
    assert run.reports[Stage.TIME].verdict is Verdict.ACCEPTED
    assert run.facts()[f"examined.{kind}"] == 3


def test_a_tool_that_finds_nothing_leaves_a_fact_and_no_signal() -> None:
    run = Run({RACECHECK: CLEAN}, RACECHECK)
    assert run.facts()["examined.racecheck"] == 0
    assert run.check.signals == ()


def test_a_wrong_kernel_is_looked_at_too() -> None:
    wrong = output(
        outside=7,
        first=Element((0, 3), 1.5, 9.0),
        worst=Element((0, 3), 1.5, 9.0),
        cells=(1, 2, (7, 0)),
    )
    examiner = FakeExaminer({RACECHECK: FOUND})
    measurer = FakeMeasurer(checked=replace(CHECKED, calls=(call(0, wrong),)))
    tools = MeasureTools(MemoryArtifacts(), FakeClock(), None, examiner)
    (report,) = measure(a_prepared_kernel(), measurer, tools, lambda _: None, examine=(RACECHECK,))
    assert report.verdict is Verdict.WRONG_RESULT
    assert [one.kind for one in report.signals] == ["race_found"]


ROW = EvidenceRow(
    function="k",
    address=64,
    predicate="",
    opcode="HGMMA.64x16x16.F32.BF16",
    operands="R24",
    kind=OpcodeKind.GMMA,
    work=MatrixWork(NumberFormat.BF16, sparse=False, products=64 * 16 * 16),
    idle=False,
    why="",
)
PRODUCTS = 8192 * 7168 * 5120


@pytest.mark.parametrize(("products", "held"), [(PRODUCTS, False), (PRODUCTS // 2, True)])
def test_counts_by_instruction_stand_against_the_counters_in_the_probe(
    products: int,
    held: bool,
) -> None:
    found = ByInstruction((Executed(ROW, 128, Fraction(products)),))
    run = Run({NSIGHT: found}, NSIGHT)
    assert run.facts(Stage.PROBE)["instrumented_products"] == products
    assert "HGMMA" in run.reports[Stage.PROBE].log
    kinds = [one.kind for one in run.reports[Stage.PROBE].signals]
    assert ("instrumented_differs" in kinds) is held
    assert not [one for one in run.facts() if one.startswith("examined")]


def test_the_words_of_a_lone_run_are_what_its_program_reads() -> None:
    assert [str(one) for one in Contents] == ["random", "untouched"]
