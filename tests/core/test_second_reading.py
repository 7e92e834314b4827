"""Where the launcher has no counters: when Nsight Compute is asked, what becomes of its answer, and what is said of it."""

from dataclasses import replace

import pytest
from fake_adapters import FakeClock, MemoryArtifacts
from fake_examiner import FakeExaminer
from fake_measurer import MEASURED_WITH_COUNTERS, READINGS, FakeMeasurer
from measured import MEASURED, call, output, pair
from sample_run import a_prepared_kernel

from evaluation.core import wire
from evaluation.core.findings import Findings, findings_of
from evaluation.core.launching.port import Counting, CountingStep, Unavailable, is_the_hosts
from evaluation.core.measure.examination import Hindrance, NotRun
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import MeasureSeen, ProbeSeen, Purpose, Reading
from evaluation.core.pipeline_measure import MeasureTools, measure
from evaluation.core.records import Outcome, StageReport
from evaluation.core.verdict import FamilyExecuted, MatrixPath, Stage, Verdict

DARK = replace(
    MEASURED_WITH_COUNTERS, probe=ProbeSeen((), "refused (CUPTI status 35 at step switch on)")
)
# What the launcher's own counters say elsewhere: 8192 * 7168 * 5120 products of WGMMA, two operations each.
FULL = READINGS.readings
WGMMA = "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum"


def scaled(reading: Reading, share: float) -> Reading:
    values = tuple(
        (name, int(value * share) if name == WGMMA else value) for name, value in reading.values
    )
    return replace(reading, values=values)


class Run:
    """The GPU half of one run over a GPU that saw ``seen``, with an examiner that answers so, or with none."""

    def __init__(
        self,
        seen: MeasureSeen,
        answer: tuple[Reading, ...] | NotRun | None,
        kernel: Prepared | None = None,
    ) -> None:
        self.examiner = None if answer is None else FakeExaminer({}, readings=answer)
        self.artifacts = MemoryArtifacts()
        tools = MeasureTools(self.artifacts, FakeClock(), None, self.examiner)
        prepared = a_prepared_kernel() if kernel is None else kernel
        measurer = FakeMeasurer(measured=(seen,))
        self.all = tuple(measure(prepared, measurer, tools, lambda _: None))
        self.reports = {one.stage: one for one in self.all}

    @property
    def counted(self) -> int:
        return 0 if self.examiner is None else self.examiner.counted

    @property
    def probe(self) -> StageReport:
        return self.reports[Stage.PROBE]

    @property
    def facts(self) -> dict[str, str | int]:
        return {one.name: one.value for one in self.probe.facts}

    @property
    def found(self) -> Findings:
        return findings_of(Outcome(self.all))


def test_readings_of_nsight_stand_in_where_the_launcher_had_none_and_the_report_says_so() -> None:
    run = Run(DARK, FULL)
    assert run.counted == 1
    assert run.found.instruction.family is FamilyExecuted.YES
    assert run.found.instruction.matrix_path is MatrixPath.YES
    assert run.found.instruction.executed_share == 1.0
    assert run.facts["counted_by"] == "Nsight Compute, in calls beside the timed ones"
    assert run.facts["reading_failed"] == "refused (CUPTI status 35 at step switch on)"
    assert run.probe.headline.endswith("coverage 1.0000, by Nsight Compute")
    assert run.probe.log.startswith("by Nsight Compute, in calls of a process of their own:\n")


def test_what_nsight_read_is_kept_beside_what_was_measured() -> None:
    run = Run(DARK, FULL)
    (kept,) = run.probe.artifacts
    assert kept.name == "nsight_seen"
    content = run.artifacts.get(kept.sha256, limit_bytes=1 << 20)
    assert wire.decode(ProbeSeen, content, where="artifact") == ProbeSeen(FULL)
    (measured,) = run.reports[Stage.TIME].artifacts
    content = run.artifacts.get(measured.sha256, limit_bytes=1 << 20)
    assert wire.decode(MeasureSeen, content, where="artifact") == DARK


def test_time_and_clocks_are_judged_without_the_counts_of_calls_that_were_not_timed() -> None:
    alone, with_nsight = Run(DARK, None), Run(DARK, FULL)
    assert replace(with_nsight.reports[Stage.TIME], seconds=0.0) == replace(
        alone.reports[Stage.TIME], seconds=0.0
    )


def test_the_rules_of_readings_hold_for_those_of_nsight() -> None:
    half = Run(DARK, tuple(scaled(one, 0.5) for one in FULL))
    assert half.found.instruction.executed_share == 0.5
    differing = Run(DARK, (FULL[0], scaled(FULL[1], 0.5), FULL[2]))
    assert differing.found.instruction.family is FamilyExecuted.UNKNOWN
    assert [one.kind for one in differing.probe.signals] == ["counted_calls_differ"]
    slow = replace(DARK, roofs=replace(MEASURED.roofs, matrix_flops_per_s=2.0e14))
    beyond = Run(slow, FULL)
    assert [one.kind for one in beyond.probe.signals] == ["counters_implausible"]
    one = Run(DARK, FULL[:1])
    assert one.facts["family_reason"] == "only 1 of at least 2 readings fitted"


@pytest.mark.parametrize(
    ("why", "detail"),
    [
        (Hindrance.MISSING, "Nsight Compute is not installed on this host"),
        (Hindrance.NO_PERMISSION, "the driver does not permit counters to Nsight Compute"),
    ],
)
def test_where_neither_can_count_the_finding_is_unknown_and_both_reasons_are_said(
    why: Hindrance, detail: str
) -> None:
    run = Run(DARK, NotRun(why, detail))
    assert run.found.instruction.family is FamilyExecuted.UNKNOWN
    assert run.found.instruction.matrix_path is MatrixPath.UNKNOWN
    assert run.facts["family_reason"] == (
        "the counters could not be read: refused (CUPTI status 35 at step switch on); "
        f"Nsight Compute: {why}, {detail}"
    )
    assert "counted_by" not in run.facts
    assert run.probe.artifacts == ()
    assert run.reports[Stage.TIME].verdict is Verdict.ACCEPTED


def test_without_an_examiner_the_launchers_reason_stands_alone() -> None:
    run = Run(DARK, None)
    assert run.facts["family_reason"] == (
        "the counters could not be read: refused (CUPTI status 35 at step switch on)"
    )


@pytest.mark.parametrize(
    ("seen", "kernel"),
    [
        (MEASURED_WITH_COUNTERS, a_prepared_kernel()),
        (replace(DARK, probe=ProbeSeen(FULL[:1], "incomplete")), a_prepared_kernel()),
        (replace(DARK, probe=ProbeSeen((), "")), a_prepared_kernel()),
        (
            replace(DARK, probe=ProbeSeen((), "refused (CUPTI status 9 at step read)")),
            a_prepared_kernel(),
        ),
        (replace(DARK, probe=ProbeSeen((), "incomplete (at step read)")), a_prepared_kernel()),
        (
            replace(DARK, probe=ProbeSeen((), "not_wanted")),
            replace(a_prepared_kernel(), family=FamilyExecuted.ABSENT),
        ),
        (DARK, replace(a_prepared_kernel(), family=FamilyExecuted.ABSENT)),
    ],
    ids=[
        "all were read",
        "one was read",
        "none fitted in",
        "reading failed when the kernel ran",
        "what was read is no count",
        "the family is absent",
        "the family is absent and the host has no counters",
    ],
)
def test_nsight_is_asked_only_where_counters_cannot_be_had(
    seen: MeasureSeen, kernel: Prepared
) -> None:
    run = Run(seen, FULL, kernel)
    assert run.counted == 0
    assert "counted_by" not in run.facts


@pytest.mark.parametrize(
    ("counting", "hosts"),
    [
        (Counting(0, Unavailable.NO_LIBRARY, 0, CountingStep.OPEN), True),
        (Counting(0, Unavailable.UNKNOWN_METRIC, 13, CountingStep.CHOOSE), True),
        (Counting(0, Unavailable.NOT_PERMITTED, 35, CountingStep.SWITCH_ON), True),
        (Counting(0, Unavailable.REFUSED, 9, CountingStep.BEGIN), False),
        (Counting(0, Unavailable.REFUSED, 9, CountingStep.END), False),
        (Counting(0, Unavailable.REFUSED, 9, CountingStep.SWITCH_OFF), False),
        (Counting(0, Unavailable.INCOMPLETE, 0, CountingStep.READ), False),
        (Counting(0, Unavailable.INCOMPLETE), False),
        (Counting(3), False),
    ],
    ids=lambda one: one.reason.replace(" ", "_") if isinstance(one, Counting) else "",
)
def test_only_what_fails_before_a_launcher_has_its_kernel_is_the_host_s(
    counting: Counting, hosts: bool
) -> None:
    """A kernel can write wherever the profiler keeps what it counts, and so can make a reading fail."""
    assert is_the_hosts(counting.reason) is hosts


@pytest.mark.parametrize(("candidate_ns", "asked"), [(1_500_000_000, 1), (1_500_000_001, 0)])
def test_a_kernel_too_slow_for_the_tool_is_not_counted(candidate_ns: int, asked: int) -> None:
    pairs = tuple(pair(0, place, candidate=candidate_ns) for place in range(3))
    run = Run(replace(DARK, pairs=pairs, slopes=()), FULL)
    assert run.counted == asked
    if not asked:
        reason = str(run.facts["family_reason"])
        assert reason.endswith("Nsight Compute: too_slow, a call takes too long for it")


def test_a_kernel_whose_time_is_not_known_is_counted() -> None:
    run = Run(replace(DARK, pairs=(), slopes=(), asked_pairs=0), FULL)
    assert run.counted == 1


def test_a_kernel_that_is_wrong_later_is_not_counted() -> None:
    wrong = (call(0, output(outside=7, fourfold=7), purpose=Purpose.PAIR),)
    run = Run(replace(DARK, calls=wrong), FULL)
    assert run.reports[Stage.TIME].verdict is Verdict.WRONG_RESULT
    assert (run.counted, list(run.reports)) == (0, [Stage.CHECK, Stage.TIME])
