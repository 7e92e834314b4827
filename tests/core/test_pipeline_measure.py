"""The GPU half: the order of check, probe and time, every way out of it, and what is kept of it."""

from dataclasses import replace

import pytest
from fake_adapters import FakeClock, MemoryArtifacts
from fake_measurer import MEASURED_WITH_COUNTERS, FakeMeasurer
from measured import CHECKED, MEASURED, call, output
from sample_run import PROBLEM, a_prepared_kernel

from evaluation.core import wire
from evaluation.core.errors import ToolFailure
from evaluation.core.findings import findings_of
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import (
    CheckSeen,
    Element,
    Fault,
    FaultKind,
    MeasureSeen,
    Purpose,
)
from evaluation.core.pipeline_measure import MeasureTools, measure
from evaluation.core.records import Outcome, StageReport
from evaluation.core.timing.expectation import DeviceExpectations, Expectation
from evaluation.core.verdict import (
    Correct,
    FamilyExecuted,
    Integrity,
    MatrixPath,
    Stage,
    Verdict,
)

WRONG = output(
    outside=7,
    first=Element((0, 3), 1.5, 9.0),
    worst=Element((0, 3), 1.5, 9.0),
    cells=(1, 2, (7, 0)),
)


class Ran:
    """One run of the GPU half with a given GPU."""

    def __init__(
        self,
        measurer: FakeMeasurer,
        kernel: Prepared | None = None,
        expectations: DeviceExpectations | None = None,
        bulk_rows: int = 0,
    ) -> None:
        self.measurer = measurer
        self.artifacts = MemoryArtifacts()
        self.begun: list[Stage] = []
        tools = MeasureTools(self.artifacts, FakeClock(), expectations)
        self.reports = []
        for report in measure(
            a_prepared_kernel() if kernel is None else kernel,
            measurer,
            tools,
            self.begun.append,
            bulk_rows=bulk_rows,
        ):
            self.reports.append(report)

    @property
    def stages(self) -> list[Stage]:
        return [one.stage for one in self.reports]

    def of(self, stage: Stage) -> StageReport:
        (found,) = (one for one in self.reports if one.stage is stage)
        return found

    def facts(self, stage: Stage) -> dict[str, str | int]:
        return {one.name: one.value for one in self.of(stage).facts}


def test_an_honest_kernel_is_checked_measured_and_accepted_with_three_findings() -> None:
    ran = Ran(FakeMeasurer())
    assert ran.stages == [Stage.CHECK, Stage.PROBE, Stage.TIME]
    assert [one.verdict for one in ran.reports] == [None, None, Verdict.ACCEPTED]
    assert ran.measurer.said == ["open", "check", "measure", "close"]
    found = findings_of(Outcome(tuple(ran.reports)))
    assert found.correct is Correct.YES
    assert found.instruction.family is FamilyExecuted.YES
    assert found.instruction.matrix_path is MatrixPath.YES
    assert found.instruction.executed_share == 1.0
    assert found.speed is not None
    assert found.speed.ratio == 0.78
    assert (found.speed.candidate_ns, found.speed.vendor_ns) == (1_000_000, 780_000)
    assert found.speed_reason == ""
    assert found.integrity is Integrity.CLEAR


def test_what_was_seen_is_kept_as_it_came() -> None:
    ran = Ran(FakeMeasurer())
    assert ran.artifacts.names == ["check_seen", "measure_seen"]
    (checked,), (timed,) = ran.of(Stage.CHECK).artifacts, ran.of(Stage.TIME).artifacts
    content = ran.artifacts.get(checked.sha256, limit_bytes=1 << 20)
    assert wire.decode(CheckSeen, content, where="artifact") == CHECKED
    content = ran.artifacts.get(timed.sha256, limit_bytes=1 << 20)
    assert wire.decode(MeasureSeen, content, where="artifact") == MEASURED_WITH_COUNTERS


def test_a_wrong_output_ends_the_run_with_a_picture_and_is_not_timed() -> None:
    ran = Ran(FakeMeasurer(checked=replace(CHECKED, calls=(call(0, WRONG),))))
    assert ran.stages == ran.begun == [Stage.CHECK]
    assert ran.of(Stage.CHECK).verdict is Verdict.WRONG_RESULT
    assert ran.measurer.said == ["open", "check", "close"]
    assert ran.artifacts.names == ["check_seen", "error_map.C"]
    picture = ran.of(Stage.CHECK).artifacts[1]
    assert ran.artifacts.get(picture.sha256, limit_bytes=1 << 20).startswith(b"\x89PNG")
    found = findings_of(Outcome(tuple(ran.reports)))
    assert (found.correct, found.speed) == (Correct.NO, None)
    assert found.speed_reason == "only a correct kernel has a speed"


def test_a_fault_in_a_checked_call_ends_the_run() -> None:
    fault = Fault(FaultKind.TIMED_OUT, 0, 1, -1, 0, "", 10.0)
    ran = Ran(FakeMeasurer(checked=replace(CHECKED, calls=(call(0),), fault=fault)))
    assert ran.of(Stage.CHECK).verdict is Verdict.TIMEOUT
    assert "measure" not in ran.measurer.said


def test_a_wrong_output_in_a_timed_call_ends_the_run_without_a_probe() -> None:
    later = (call(0, output(outside=7, fourfold=7), purpose=Purpose.PAIR),)
    ran = Ran(FakeMeasurer(measured=(replace(MEASURED, calls=later),)))
    assert ran.stages == [Stage.CHECK, Stage.TIME]
    assert ran.of(Stage.TIME).verdict is Verdict.WRONG_RESULT
    assert findings_of(Outcome(tuple(ran.reports))).correct is Correct.NO


def test_without_the_family_in_the_code_nothing_is_counted_and_the_kernel_is_timed() -> None:
    kernel = replace(a_prepared_kernel(), family=FamilyExecuted.ABSENT)
    ran = Ran(FakeMeasurer(measured=(MEASURED,)), kernel)
    assert ran.facts(Stage.PROBE)["family"] == "absent"
    assert ran.facts(Stage.PROBE)["matrix_path"] == "no"
    assert ran.of(Stage.TIME).verdict is Verdict.ACCEPTED


def test_counters_that_could_not_be_read_leave_the_second_finding_unknown() -> None:
    dark = replace(
        MEASURED, probe=replace(MEASURED.probe, readings=(), unavailable="no_permission")
    )
    ran = Ran(FakeMeasurer(measured=(dark,)))
    found = findings_of(Outcome(tuple(ran.reports)))
    assert found.instruction.family is FamilyExecuted.UNKNOWN
    assert found.instruction.matrix_path is MatrixPath.UNKNOWN
    assert (found.instruction.coverage, found.instruction.executed_share) == (None, None)
    assert found.correct is Correct.YES
    assert "no_permission" in ran.of(Stage.PROBE).headline.replace(" ", "_")


def test_more_counted_work_than_the_device_can_do_is_not_believed() -> None:
    """The kernel's time and the device's measured roof stand against the counters."""
    slow = replace(MEASURED.roofs, matrix_flops_per_s=2.0e14)
    ran = Ran(FakeMeasurer(measured=(replace(MEASURED_WITH_COUNTERS, roofs=slow),)))
    assert ran.facts(Stage.PROBE)["family"] == "unknown"


def test_a_measurement_beside_a_slowed_vendor_is_made_once_more_and_then_counts_alone() -> None:
    slowed = replace(
        MEASURED_WITH_COUNTERS, vendor_before_ns=(700_000,) * 10, vendor_after_ns=(700_000,) * 10
    )
    ran = Ran(FakeMeasurer(measured=(slowed, MEASURED_WITH_COUNTERS)))
    assert ran.measurer.said == ["open", "check", "measure", "measure", "close"]
    assert ran.artifacts.names == ["check_seen", "first_measure_seen", "measure_seen"]
    assert "slower beside this kernel" in str(ran.facts(Stage.TIME)["measured_again"])
    assert ran.of(Stage.TIME).signals == ()


def test_a_measurement_is_not_made_a_third_time() -> None:
    slowed = replace(
        MEASURED_WITH_COUNTERS, vendor_before_ns=(700_000,) * 10, vendor_after_ns=(700_000,) * 10
    )
    ran = Ran(FakeMeasurer(measured=(slowed, slowed, MEASURED)))
    assert ran.measurer.said.count("measure") == 2
    assert ran.of(Stage.TIME).signals != ()


@pytest.mark.parametrize(("vendor_ns", "signals"), [(778_000, 0), (400_000, 1)])
def test_the_vendor_is_compared_with_what_is_expected_of_this_product(
    vendor_ns: int, signals: int
) -> None:
    known = DeviceExpectations(
        "h200", "measured 2026-11-30", "580", "torch", (Expectation(PROBLEM.name, vendor_ns),)
    )
    ran = Ran(FakeMeasurer(), expectations=known)
    assert len(ran.of(Stage.TIME).signals) == signals


def test_a_stage_is_announced_before_its_work_and_the_probe_s_work_is_the_time_s() -> None:
    ran = Ran(FakeMeasurer())
    assert ran.begun == [Stage.CHECK, Stage.TIME]
    assert [one.seconds for one in ran.reports] == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("which", ["check", "measure"])
def test_our_failure_passes_through_and_the_kernel_is_put_away(which: str) -> None:
    failure = ToolFailure("the referee ended")
    measurer = (
        FakeMeasurer(checked=failure) if which == "check" else FakeMeasurer(measured=(failure,))
    )
    with pytest.raises(ToolFailure, match="the referee ended"):
        Ran(measurer)
    assert measurer.said[-1] == "close"


@pytest.mark.parametrize("calls", [CHECKED.calls, (call(0, WRONG),)], ids=["right", "wrong"])
def test_a_gpu_that_is_sick_after_a_kernel_has_no_verdict_for_it(calls: tuple[object, ...]) -> None:
    sick = GpuSick("Xid 79 during the kernel")
    measurer = FakeMeasurer(checked=replace(CHECKED, calls=calls), at_close=sick)  # type: ignore[arg-type]
    reports = measure(
        a_prepared_kernel(),
        measurer,
        MeasureTools(MemoryArtifacts(), FakeClock(), None),
        lambda _: None,
    )
    seen: list[StageReport] = []
    with pytest.raises(GpuSick):
        seen.extend(reports)
    assert [one.verdict for one in seen] in ([], [None])


def test_who_stops_after_the_check_pays_for_no_measurement() -> None:
    measurer = FakeMeasurer()
    tools = MeasureTools(MemoryArtifacts(), FakeClock(), None)
    reports = measure(a_prepared_kernel(), measurer, tools, lambda _: None)
    assert next(reports).stage is Stage.CHECK
    reports.close()  # type: ignore[attr-defined]
    assert measurer.said == ["open", "check", "close"]
