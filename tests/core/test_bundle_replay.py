"""A bundle's documents read as what they say, and a kernel made ready to be measured again from them."""

from dataclasses import replace

import pytest
from fake_measurer import FakeMeasurer
from judged_bundle import bundle_of, judged, sample_bundle, with_artifact
from measured import CHECKED, DEVICE, call, output
from sample_run import CUBIN, JOB, KERNEL, PROBLEM, sample_tools

from evaluation.core.bundle.bundle import Bundle, unpack
from evaluation.core.bundle.comparison import Row
from evaluation.core.bundle.examination import examine
from evaluation.core.bundle.replay import (
    compared,
    judged_again,
    parts_to_measure,
    prepare_half,
    prepared_again,
    rebuilt,
)
from evaluation.core.compile.build import Failed, FailureKind
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.seen import Element
from evaluation.core.records import Fact
from evaluation.core.verdict import Correct, FamilyExecuted, Stage, Verdict

DOES_NOT_COMPILE = Failed(FailureKind.ERROR, "device_compile", HeaderSet.REAL, "error", 2.0)
WRONG = output(outside=7, first=Element((0, 3), 1.5, 9.0), worst=Element((0, 3), 1.5, 9.0))
WRONG_KERNEL = FakeMeasurer(checked=replace(CHECKED, calls=(call(0, WRONG),)))


def read(content: bytes) -> Bundle:
    return unpack(content, where="k.zip")


def refused(content: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        examine(read(content))
    return str(caught.value)


def scanned(name: str, value: str | int) -> Bundle:
    """The sample's bundle with another fact in its scan report."""
    judgement, artifacts = judged()
    reports = tuple(
        replace(one, facts=(*one.facts, Fact(name, value))) if one.stage is Stage.SCAN else one
        for one in judgement.reports
    )
    return read(bundle_of(replace(judgement, reports=reports), artifacts))


def test_every_honest_bundle_stands_the_examination() -> None:
    examine(read(sample_bundle()))
    examine(read(sample_bundle(WRONG_KERNEL)))
    examine(read(sample_bundle(tools=sample_tools(program=DOES_NOT_COMPILE))))
    judgement, artifacts = judged()
    bare = replace(judgement, reports=(judgement.reports[0],))
    examine(read(bundle_of(bare, artifacts)))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("plan", b"{}", "k.zip: plan.json: version: is missing"),
        ("facts", b"{}", "k.zip: facts.json: facts: is missing"),
        ("build", b"[]", "k.zip: build.json: must be an object, not list"),
        ("check_seen", b"[]", "k.zip: check.json: must be an object, not list"),
        ("measure_seen", b"[]", "k.zip: measure.json: must be an object, not list"),
        (
            "cubin",
            b"another",
            "k.zip: plan.json: cubin_sha256: is not the hash of the bundle's kernel.cubin",
        ),
    ],
)
def test_a_document_that_is_none_is_named(name: str, content: bytes, said: str) -> None:
    assert refused(with_artifact(name, content)) == said


@pytest.mark.parametrize(
    "changes",
    [{"problem": "gemm_n128_k2048"}, {"problem_version": 9}, {"device": "h100-sxm"}],
)
def test_a_judgement_of_another_kernel_than_the_plan_s_is_refused(
    changes: dict[str, object],
) -> None:
    judgement, artifacts = judged()
    content = bundle_of(replace(judgement, **changes), artifacts)  # type: ignore[arg-type]
    assert refused(content) == (
        "k.zip: plan.json: is for another problem, target or device than the judgement"
    )


def test_a_plan_without_its_cubin_is_refused() -> None:
    judgement, artifacts = judged()
    reports = tuple(
        replace(one, artifacts=tuple(ref for ref in one.artifacts if ref.name != "cubin"))
        for one in judgement.reports
    )
    content = bundle_of(replace(judgement, reports=reports), artifacts)
    assert "is not the hash of the bundle's kernel.cubin" in refused(content)


def test_what_is_measured_again_is_the_bundle_s_plan_and_cubin_with_facts_read_anew() -> None:
    bundle = read(sample_bundle())
    parts = parts_to_measure(bundle)

    prepared = prepared_again(bundle, parts, CUBIN, problem=PROBLEM, device=JOB.device)

    assert (prepared.problem, prepared.cubin, prepared.facts) == (PROBLEM, b"the cubin", CUBIN)
    assert prepared.family is FamilyExecuted.UNKNOWN
    assert prepared.plan.device == "h200"


def test_a_plan_that_does_not_fit_the_facts_is_refused() -> None:
    bundle = read(sample_bundle())
    other = replace(CUBIN, functions=(replace(KERNEL, name="another"),))
    with pytest.raises(InvalidInput, match=r"hand-over: plan"):
        prepared_again(bundle, parts_to_measure(bundle), other, problem=PROBLEM, device=JOB.device)


def test_a_run_that_never_came_to_a_plan_has_nothing_to_measure() -> None:
    bundle = read(sample_bundle(tools=sample_tools(program=DOES_NOT_COMPILE)))
    with pytest.raises(InvalidInput, match=r"k.zip: judgement.json: there is nothing to measure"):
        parts_to_measure(bundle)


@pytest.mark.parametrize("value", ["many", -1])
def test_a_fact_that_is_no_number_is_the_bundle_s_fault(value: str | int) -> None:
    with pytest.raises(InvalidInput, match=r"k.zip: judgement.json: there is nothing to measure"):
        parts_to_measure(scanned("bulk_copy_rows", value))


def test_new_reports_take_the_place_of_the_old_ones_and_decide_every_finding() -> None:
    bundle = read(sample_bundle())
    assert [one.stage for one in prepare_half(bundle).reports] == [
        Stage.POLICY,
        Stage.BUILD,
        Stage.RECORD,
        Stage.SCAN,
    ]
    wrong, _ = judged(WRONG_KERNEL)
    measured = tuple(one for one in wrong.reports if one.stage.needs_gpu)

    again = judged_again(bundle, measured, exit_code=10)

    assert again.verdict is Verdict.WRONG_RESULT
    assert again.correct is Correct.NO
    assert again.speed is None
    assert again.reports == (*prepare_half(bundle).reports, *measured)
    comparison = compared(bundle, again, DEVICE, None)
    assert not comparison.agrees
    assert comparison.rows[0] == Row("verdict", "accepted", "wrong_result", agrees=False)
    assert Row("driver", "580.159.04, CUDA 13.0", "580.159.04, CUDA 13.0") in comparison.rows


def test_a_bundle_of_a_run_without_a_gpu_has_no_device_to_compare() -> None:
    judgement, artifacts = judged()
    half = replace(judgement, reports=judgement.reports[:4])
    comparison = compared(read(bundle_of(half, artifacts)), judgement, DEVICE, None)
    assert Row("driver", "-", "580.159.04, CUDA 13.0") in comparison.rows


def test_a_rebuilt_cubin_is_the_bundle_s_another_or_none() -> None:
    bundle = read(sample_bundle())
    ours = "0635878f3bf37143acde12f4e5029705f45e235deb753887052281b11652c9f4"

    assert rebuilt(bundle, ours, "fake") == (
        Row("toolchain", "fake", "fake"),
        Row("cubin", ours, ours, agrees=True),
    )
    assert rebuilt(bundle, "f" * 64, "other")[1] == Row("cubin", ours, "f" * 64, agrees=False)
    assert rebuilt(bundle, "", "fake")[1] == Row("cubin", ours, "none", agrees=False)
