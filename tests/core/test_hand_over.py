"""From the reports and artifacts of a prepare half to a kernel that a GPU machine may launch, and every way to refuse."""

from dataclasses import replace

import pytest
from sample_run import JOB, PROBLEM, sample_tools, sass

from evaluation.adapters.catalogue import packaged
from evaluation.core import wire
from evaluation.core.binary.facts_json import CubinAnswer, Refusal
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Problem
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.measure.hand_over import facts_document, prepared_from, prepared_of
from evaluation.core.measure.parts import Parts, parts_of
from evaluation.core.measure.prepared import Prepared
from evaluation.core.pipeline import Tools, prepare
from evaluation.core.plan.plan import LaunchStep
from evaluation.core.plan.plan_json import plan_from_json, plan_to_json
from evaluation.core.records import ArtifactRef, Fact, Outcome, StageReport
from evaluation.core.verdict import FamilyExecuted, Stage, Verdict

REF = ArtifactRef("plan", "ab" * 32, 1)


def judged(tools: Tools) -> Outcome:
    return Outcome(tuple(prepare(JOB, tools, lambda _: None)))


class Handed:
    """The bytes that a prepare half of the sample leaves, to be changed one by one."""

    def __init__(self) -> None:
        tools = sample_tools()
        parts = parts_of(judged(tools))
        self.plan, self.cubin, self.facts = (
            tools.artifacts.get(ref.sha256, limit_bytes=1 << 20)
            for ref in (parts.plan, parts.cubin, parts.facts)
        )

    def prepared(self, problem: Problem = PROBLEM, device: Device = JOB.device) -> Prepared:
        return prepared_of(
            problem,
            device,
            plan=self.plan,
            cubin=self.cubin,
            facts=self.facts,
            family=FamilyExecuted.UNKNOWN,
        )


def test_what_was_handed_over_is_read_back_as_it_was_made() -> None:
    prepared = Handed().prepared()
    assert (prepared.problem, prepared.cubin) == (PROBLEM, b"the cubin")
    assert [one.name for one in prepared.facts.functions] == ["k"]
    assert [one.name for one in prepared.plan.functions] == ["k"]
    assert prepared.family is FamilyExecuted.UNKNOWN


def test_the_scan_s_answer_travels_along() -> None:
    assert parts_of(judged(sample_tools())).family is FamilyExecuted.UNKNOWN
    reads = [f"LDC.64 R{2 * i},c[0x0][{0x210 + 8 * i:#x}]" for i in range(4)]
    plain = sass(*reads, "NOP", "EXIT")
    assert parts_of(judged(sample_tools(disassembly=plain))).family is FamilyExecuted.ABSENT


def test_bulk_copies_that_the_scan_counted_travel_along() -> None:
    scanned = StageReport(
        Stage.SCAN,
        "scanned",
        facts=(Fact("family_static", "unknown"), Fact("bulk_copy_rows", 3)),
        artifacts=tuple(replace(REF, name=name) for name in ("plan", "cubin", "facts")),
    )
    assert parts_of(Outcome((scanned,))).bulk_rows == 3
    with pytest.raises(ValueError, match="counted from 0"):
        Parts(REF, REF, REF, FamilyExecuted.UNKNOWN, -1)


@pytest.mark.parametrize("family", [FamilyExecuted.YES, FamilyExecuted.PRESENT_NEVER_EXECUTED])
def test_a_family_that_only_a_run_can_find_is_not_handed_over(family: FamilyExecuted) -> None:
    with pytest.raises(ValueError, match="a scan cannot say that the family is"):
        Parts(REF, REF, REF, family)


@pytest.mark.parametrize(
    "reports",
    [
        (),
        (StageReport(Stage.RECORD, "recorded"),),
        (StageReport(Stage.SCAN, "unreadable", Verdict.BUILD_FAILED),),
    ],
    ids=["nothing", "not_scanned", "refused"],
)
def test_only_a_kernel_that_passed_the_scan_is_handed_over(
    reports: tuple[StageReport, ...],
) -> None:
    with pytest.raises(InvalidInput, match="only a kernel that passed the scan"):
        parts_of(Outcome(reports))


def test_a_half_that_lacks_an_artifact_is_refused_with_its_name() -> None:
    scanned = StageReport(Stage.SCAN, "scanned", artifacts=(REF,))
    with pytest.raises(InvalidInput, match=r"prepare half: artifacts.cubin: is missing"):
        parts_of(Outcome((scanned,)))


def test_another_cubin_than_the_plan_s_is_refused() -> None:
    handed = Handed()
    handed.cubin = b"another cubin"
    with pytest.raises(
        InvalidInput, match=r"hand-over: cubin: has the hash [0-9a-f]{64}, and the plan"
    ):
        handed.prepared()


def test_a_plan_for_another_problem_is_refused() -> None:
    other = packaged().problem("gemm_n128_k2048")
    rule = "is for gemm_n7168_k5120 version 1 on hopper, h200, not for gemm_n128_k2048 version 1"
    with pytest.raises(InvalidInput, match=rule):
        Handed().prepared(problem=other)


def test_a_plan_for_another_version_of_the_problem_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not for gemm_n7168_k5120 version 2 on hopper, h200"):
        Handed().prepared(problem=replace(PROBLEM, version=2))


def test_a_plan_for_another_product_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match="not for gemm_n7168_k5120 version 1 on hopper, h100-sxm"
    ):
        Handed().prepared(device=packaged().device("h100-sxm"))


def test_a_plan_that_launches_what_the_cubin_lacks_is_refused_before_a_launch() -> None:
    handed = Handed()
    facts = wire.decode(CubinAnswer, handed.facts, where="facts").facts
    assert facts is not None
    renamed = replace(facts, functions=(replace(facts.functions[0], name="another"),))
    handed.facts = facts_document(renamed)
    with pytest.raises(InvalidInput, match="hand-over: plan: "):
        handed.prepared()


def test_a_plan_that_was_changed_by_hand_is_refused_by_its_rules() -> None:
    handed = Handed()
    plan = plan_from_json(handed.plan)
    (launch,) = plan.steady
    assert isinstance(launch, LaunchStep)
    handed.plan = plan_to_json(replace(plan, steady=(replace(launch, grid=(0, 1, 1)),)))
    with pytest.raises(InvalidInput, match="hand-over: plan: "):
        handed.prepared()


@pytest.mark.parametrize("plan", [b"", b"{}", b"[" * 100_000])
def test_what_is_no_plan_is_refused(plan: bytes) -> None:
    handed = Handed()
    handed.plan = plan
    with pytest.raises(InvalidInput):
        handed.prepared()


def test_a_refusal_in_place_of_facts_is_refused() -> None:
    handed = Handed()
    handed.facts = wire.encode(CubinAnswer(None, Refusal("sections", "too many")))
    with pytest.raises(InvalidInput, match="too many"):
        handed.prepared()


def test_what_lies_among_the_artifacts_is_rebuilt_by_hash() -> None:
    tools = sample_tools()
    parts = parts_of(judged(tools))
    prepared = prepared_from(PROBLEM, JOB.device, parts, tools.artifacts)
    assert prepared == Handed().prepared()


def test_artifacts_that_do_not_fit_each_other_are_our_failure() -> None:
    tools = sample_tools()
    parts = parts_of(judged(tools))
    swapped = replace(parts, cubin=tools.artifacts.put("cubin", b"another cubin"))
    with pytest.raises(ToolFailure, match="does not fit: hand-over: cubin: has the hash"):
        prepared_from(PROBLEM, JOB.device, swapped, tools.artifacts)


def test_an_artifact_larger_than_it_was_said_to_be_is_our_failure() -> None:
    tools = sample_tools()
    parts = parts_of(judged(tools))
    small = replace(parts, plan=replace(parts.plan, size=3))
    with pytest.raises(ToolFailure, match="is larger than 3 bytes"):
        prepared_from(PROBLEM, JOB.device, small, tools.artifacts)
