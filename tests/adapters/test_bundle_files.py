"""Bundles of kernels that the real tools have prepared: whole, equal for equal contents, and built again to the same cubin."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from golden_case import Case, cases
from judged_bundle import judgement_of

from evaluation.adapters.bundle import write_bundle
from evaluation.core import wire
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.bundle.bundle import Bundle, unpack
from evaluation.core.bundle.examination import examine
from evaluation.core.bundle.replay import rebuilt
from evaluation.core.compile.build import Built
from evaluation.core.compile.description import Description
from evaluation.core.pipeline import Tools, prepare
from evaluation.core.verdict import Target

pytestmark = pytest.mark.toolchain


@pytest.fixture(scope="module")
def printing() -> Case:
    (found,) = (one for one in cases("hosts") if one.name == "hosts/device_printf_in_function")
    return found


def written(case: Case, tools: Tools, file: Path) -> bytes:
    """The bundle of a prepared kernel; seconds alone differ from run to run and are taken out."""
    job = case.job()
    reports = tuple(replace(one, seconds=0.0) for one in prepare(job, tools, lambda _: None))
    sha256 = hashlib.sha256(job.source).hexdigest()
    judgement = replace(judgement_of(reports), source_sha256=sha256)
    write_bundle(file, judgement, job.source, tools.artifacts)
    return file.read_bytes()


@pytest.fixture(scope="module")
def bundle(printing: Case, tools: Tools, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    file = tmp_path_factory.mktemp("bundles") / "k.zip"
    return unpack(written(printing, tools, file), where="k.zip")


def artifact(bundle: Bundle, name: str) -> bytes:
    content = bundle.artifact(name)
    assert content is not None
    return content


def test_a_real_bundle_stands_the_examination_and_two_of_them_are_equal_bytes(
    bundle: Bundle, printing: Case, tools: Tools, tmp_path: Path
) -> None:
    examine(bundle)
    again = written(printing, tools, tmp_path / "again.zip")
    assert unpack(again, where="k.zip") == bundle


def test_the_measured_cubin_prints_nothing_and_the_unmodified_one_is_beside_it(
    bundle: Bundle,
) -> None:
    assert sorted(read_cubin(artifact(bundle, "cubin")).externs) == ["free", "malloc"]
    assert sorted(read_cubin(artifact(bundle, "unmodified_cubin")).externs) == [
        "__assertfail",
        "free",
        "malloc",
        "vprintf",
    ]
    facts = {fact.name: fact.value for one in bundle.judgement.reports for fact in one.facts}
    for fact, name in (("cubin_sha256", "cubin"), ("unmodified_cubin_sha256", "unmodified_cubin")):
        assert facts[fact] == hashlib.sha256(artifact(bundle, name)).hexdigest()


def test_the_source_in_a_bundle_builds_to_its_cubin_with_the_commands_it_states(
    bundle: Bundle, tools: Tools
) -> None:
    program = tools.compiler.build(bundle.source, Target.HOPPER)
    assert isinstance(program, Built)
    sha256 = hashlib.sha256(program.cubin).hexdigest()
    assert [row.agrees for row in rebuilt(bundle, sha256, tools.toolchain)] == [None, True]

    said = wire.decode(Description, artifact(bundle, "build"), where="build.json")
    assert said.toolchain == tools.toolchain
    assert ("nvidia_cuda_nvcc", "13.0.88") in said.packages
    assert [one.step for one in said.commands if one.part == "assemble"] == [
        "assemble",
        "assemble_measured",
    ]
