"""The rules of the probe over what hardware counters of a jailed launcher said in real runs (fixtures/h200/README.md).

Shares are worked out by hand from the first reading: products are operations / 2, mma.sync makes 2048 products an
instruction, and of the required products the rest is what nothing else could have done.
"""

from dataclasses import dataclass, replace

import pytest
from recorded_run import FOLDER, facts, holds, measured, problem_of

from evaluation.core.measure.seen import MeasureSeen, Reading
from evaluation.core.probe.finding import Clock, Static
from evaluation.core.probe.probe import judge_probe
from evaluation.core.records import StageReport
from evaluation.core.timing.ranked import ranked
from evaluation.core.verdict import FamilyExecuted, Target

YES, NEVER = FamilyExecuted.YES, FamilyExecuted.PRESENT_NEVER_EXECUTED


@dataclass(frozen=True, slots=True)
class Counted:
    """``executed`` and ``coverage`` are shares of the required products; ``path`` says that the main work is theirs."""

    family: FamilyExecuted
    executed: float
    coverage: float
    path: str
    holds: tuple[str, ...] = ()


COUNTED = {
    # 8192 * 7168 * 5120 products required and made; 351,697,152 other multiply-adds are 0.00117 of them.
    "gemm_wgmma_tma": Counted(YES, 1.0, 0.99883, "yes"),
    # 824,633,720,832 required; 10,155,189,312 others.
    "mha_fwd_wgmma": Counted(YES, 1.0, 0.98769, "yes"),
    # 100,663,296 * 4097 required below the diagonal, 425,201,762,304 made in whole tiles, 5,814,052,608 others.
    "mha_fwd_wgmma_causal": Counted(YES, 1.03100, 0.98590, "yes"),
    # 5/2 * 100,663,296 * 8192 required and made; 17,734,239,232 others are 0.008602 of them.
    "mha_bwd_wgmma": Counted(YES, 1.0, 0.991398, "yes"),
    # 5/2 * 100,663,296 * 4097 required below the diagonal, 1,063,004,405,760 made in whole tiles, 9,755,018,912 others.
    "mha_bwd_wgmma_causal": Counted(YES, 1.030998, 0.990539, "yes"),
    # 13,376,421,440 others, and 3,221,225,472 that may make two products each: one more.
    "probabilities_in_fp8": Counted(YES, 1.0, 0.97987, "yes"),
    # Half of 824,633,720,832; mma.sync 201,326,592 times, which is the other half; 12,840,909,888 others.
    "half_by_wgmma": Counted(YES, 0.5, 0.48443, "no"),
    # Four instructions, 8,192 products, and all work by 146,800,640 of mma.sync.
    "token_instruction": Counted(YES, 0.0, 0.0, "no", ("decoy",)),
    # As many products as required, thrown away, and as many by mma.sync.
    "inflated_work": Counted(YES, 1.0, 0.0, "no", ("decoy",)),
    # 2,318,401,536 of 8828 * 128 * 2048 = 2,314,207,232 required, and 2,823,791,616 multiply-adds beside them.
    "side_kernel": Counted(YES, 1.00181, 0.0, "no", ("decoy",)),
    # 2,315,255,808, and mma.sync issued 1,130,496 times, which would be as many.
    "mma_switched_off": Counted(YES, 1.00045, 0.0, "no", ("decoy",)),
    "instruction_never_reached": Counted(NEVER, 0.0, 0.0, "no"),
}
NOT_COUNTED = {
    "gemm_mma_sync",
    "gemm_naive",
    "mha_bwd_plain",
    "mha_bwd_plain_causal",
    "empty_group",
    "prints_from_the_device",
    "inputs_kept_in_l2",
}


def probed(case: str, seen: MeasureSeen, family: FamilyExecuted) -> StageReport:
    found = ranked(seen)
    assert found is not None
    clock = Clock(found.candidate_ns, seen.roofs.matrix_flops_per_s)
    return judge_probe(seen.probe, problem_of(case), Target.HOPPER, Static(family), clock)


@pytest.mark.parametrize("case", COUNTED)
def test_what_ran_and_how_much_of_the_work_was_its_follows_from_the_counters(case: str) -> None:
    wanted = COUNTED[case]
    report = probed(case, measured(case), FamilyExecuted.UNKNOWN)
    found = facts(report)
    assert (found["family"], found["matrix_path"]) == (wanted.family, wanted.path)
    assert float(found["executed_share"]) == pytest.approx(wanted.executed, abs=1e-4)
    assert float(found["coverage"]) == pytest.approx(wanted.coverage, abs=1e-4)
    assert tuple(holds(report)) == wanted.holds


@pytest.mark.parametrize("case", COUNTED)
def test_two_readings_at_two_of_three_places_were_enough(case: str) -> None:
    seen = measured(case)
    assert (len(seen.probe.readings), seen.probe.unavailable) == (2, "")
    assert sum(pair.counted for pair in seen.pairs) == 2 * 3  # passes


@pytest.mark.parametrize("case", sorted(NOT_COUNTED))
def test_a_kernel_without_the_family_is_not_counted(case: str) -> None:
    seen = measured(case)
    assert (seen.probe.readings, seen.probe.unavailable) == ((), "not_wanted")
    report = probed(case, seen, FamilyExecuted.ABSENT)
    assert (facts(report)["family"], facts(report)["matrix_path"]) == ("absent", "no")
    assert holds(report) == []


def test_every_measured_record_is_judged_here() -> None:
    accepted = {path.parent.name for path in FOLDER.glob("*/measure_seen.json")}
    assert accepted - {"right_in_first_calls"} == {*COUNTED} | NOT_COUNTED


# The same records with one thing changed.


def changed(case: str, place: int, metric: str, value: int) -> MeasureSeen:
    """One metric of one reading says something else."""
    seen = measured(case)
    readings = list(seen.probe.readings)
    values = {**dict(readings[place].values), metric: value}
    readings[place] = Reading(0, readings[place].call, tuple(values.items()))
    return replace(seen, probe=replace(seen.probe, readings=tuple(readings)))


def test_a_second_reading_without_the_work_of_the_first_leaves_no_finding() -> None:
    metric = "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum"
    seen = changed("gemm_wgmma_tma", 1, metric, 0)
    report = probed("gemm_wgmma_tma", seen, FamilyExecuted.UNKNOWN)
    assert facts(report)["family"] != YES
    assert "coverage" not in facts(report)


def test_without_its_second_reading_nothing_is_said() -> None:
    seen = measured("gemm_wgmma_tma")
    alone = replace(seen, probe=replace(seen.probe, readings=seen.probe.readings[:1]))
    report = probed("gemm_wgmma_tma", alone, FamilyExecuted.UNKNOWN)
    assert facts(report)["family"] == FamilyExecuted.UNKNOWN
