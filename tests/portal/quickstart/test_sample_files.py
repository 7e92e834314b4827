"""What comes with the package as sample data is whole, and is what its reports speak of."""

import hashlib
import json
from pathlib import Path

import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.core.messages import JUDGE
from evaluation.core.verdict import Severity, Stage, Verdict
from portal.quickstart.sample_files import Sample, sample_folder, samples

FOUND = samples(sample_folder())
FOLDER = Path(str(sample_folder()))
KERNELS = Path(__file__).parents[2] / "golden/kernels"
TWICE = {"mha_bwd_wgmma": {"first_measure_seen"}}

pytestmark = pytest.mark.parametrize("sample", FOUND.samples, ids=lambda one: one.name)


def test_a_sample_is_the_golden_kernel_of_its_name(sample: Sample) -> None:
    assert sample.source == (KERNELS / sample.name / "kernel.cu").read_bytes()


def test_a_sample_is_of_a_problem_and_of_a_judge_of_this_release(sample: Sample) -> None:
    assert packaged().problem(sample.problem).version == sample.problem_version
    assert FOUND.judge == JUDGE


def test_every_artifact_that_a_report_names_is_there_byte_for_byte(sample: Sample) -> None:
    named = {one.name: one for one in (*sample.prepare.artifacts, *sample.measure.artifacts)}
    assert {
        name: (len(one), hashlib.sha256(one).hexdigest()) for name, one in sample.artifacts.items()
    } == {name: (one.size, one.sha256) for name, one in named.items()}
    kinds = "build cubin facts ptx library plan sass_evidence check_seen measure_seen"
    assert set(named) - TWICE.get(sample.name, set()) == set(kinds.split())


def test_a_kernel_that_was_measured_twice_has_both_records(sample: Sample) -> None:
    facts = {fact.name for report in sample.measure.reports for fact in report.facts}
    assert ("measured_again" in facts) is (sample.name in TWICE)
    assert ("first_measure_seen" in sample.artifacts) is (sample.name in TWICE)


def test_a_sample_passed_every_stage_and_nothing_holds_it(sample: Sample) -> None:
    stages = [one.stage for one in (*sample.prepare.reports, *sample.measure.reports)]
    assert stages == list(Stage)
    assert sample.prepare.verdict is None
    assert sample.measure.verdict is Verdict.ACCEPTED
    signals = (*sample.prepare.signals, *sample.measure.signals)
    assert [one.kind for one in signals if one.severity is Severity.HOLD] == []


def test_no_record_tells_whose_gpu_it_was(sample: Sample) -> None:
    seen = {name for name in sample.artifacts if name.endswith("_seen")}
    assert seen >= {"check_seen", "measure_seen"}
    for name in seen:
        device = json.loads(sample.artifacts[name])["device"]
        assert (device["uuid"], device["name"]) == ("GPU-0", "NVIDIA H200")
