"""The commands that look at a bundle, and what writes one."""

import json
from pathlib import Path

import pytest
from cli_run import Cli, cli_in, obeys_nothing
from fake_adapters import MemoryArtifacts
from judged_bundle import judged, sample_bundle, with_artifact
from sample_run import SOURCE, sample_tools

from evaluation.cli import bundling
from evaluation.cli.files import CannotWrite
from evaluation.core import wire
from evaluation.core.bundle.bundle import unpack
from evaluation.core.bundle.manifest import Manifest
from evaluation.core.compile.build import Failed, FailureKind
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import ToolFailure


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return cli_in(tmp_path, capsys, monkeypatch)


def kept(cli: Cli, content: bytes) -> str:
    (cli.folder / "k.zip").write_bytes(content)
    return "k.zip"


def test_a_whole_bundle_verifies(cli: Cli) -> None:
    ran = cli.run("bundle", "verify", kept(cli, sample_bundle()))
    size = len(sample_bundle())
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("  verified: 11 files with ")
    assert size > 1000


def test_verify_as_json_is_the_manifest(cli: Cli) -> None:
    ran = cli.run("bundle", "verify", kept(cli, sample_bundle()), "--json")
    manifest = wire.decode(Manifest, ran.out.encode(), where="stdout")
    assert [one.name for one in manifest.files] == [
        "build.json",
        "check.json",
        "facts.json",
        "judgement.json",
        "kernel.cu",
        "kernel.cubin",
        "kernel.ptx",
        "libkernel.so",
        "measure.json",
        "plan.json",
        "sass.txt",
    ]


def test_a_bundle_that_was_touched_is_refused_with_a_place(cli: Cli) -> None:
    content = sample_bundle().replace(b"the cubin", b"bad cubin")
    ran = cli.run("bundle", "verify", kept(cli, content))
    assert (ran.code, ran.out) == (65, "")
    assert ran.err.startswith("ptxboard: k.zip: is not what its members are packed to")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("plan", b"{}", "k.zip: plan.json: version: is missing"),
        ("facts", b"{}", "k.zip: facts.json: facts: is missing"),
        ("build", b"[]", "k.zip: build.json: must be an object"),
        ("check_seen", b"", "k.zip: check.json: is not JSON"),
        ("cubin", b"another", "k.zip: plan.json: cubin_sha256: is not the hash"),
    ],
)
def test_a_document_that_is_none_is_refused_however_well_it_is_sealed(
    cli: Cli, name: str, content: bytes, said: str
) -> None:
    ran = cli.run("bundle", "verify", kept(cli, with_artifact(name, content)))
    assert ran.code == 65
    assert said in ran.err


def test_show_says_stages_findings_and_files(cli: Cli) -> None:
    ran = cli.run("bundle", "show", kept(cli, sample_bundle()))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("k.zip  gemm_n7168_k5120 on hopper (h200), by judge 1\n")
    for stage in ("policy", "build", "record", "scan", "check", "probe", "time"):
        assert f"\n  {stage:<7} ok " in ran.out
    assert "\n  verdict      accepted\n" in ran.out
    cubin = "0635878f3bf37143acde12f4e5029705f45e235deb753887052281b11652c9f4"
    assert f"\n  kernel.cubin                    9  {cubin}\n" in ran.out
    assert ran.out.endswith("each with the hash that is stated\n")


def test_show_as_json_is_the_judgement(cli: Cli) -> None:
    ran = cli.run("bundle", "show", kept(cli, sample_bundle()), "--json")
    assert ran.judgement == judged()[0]


def test_a_failed_build_has_a_bundle_with_what_there_is(cli: Cli) -> None:
    failed = Failed(FailureKind.ERROR, "device_compile", HeaderSet.REAL, "error\x1b[2J", 2.0)
    content = sample_bundle(tools=sample_tools(program=failed))
    ran = cli.run("bundle", "show", kept(cli, content))
    assert ran.code == 0
    assert "\n  build   no " in ran.out
    assert obeys_nothing(ran.out)
    names = json.loads(cli.run("bundle", "verify", "k.zip", "--json").out)["files"]
    assert [one["name"] for one in names] == ["build.json", "judgement.json", "kernel.cu"]


def test_a_bundle_may_come_through_a_pipe_and_must_be_there(cli: Cli) -> None:
    ran = cli.run("bundle", "show", "nowhere.zip")
    assert (ran.code, ran.err) == (
        66,
        "ptxboard: cannot read nowhere.zip: No such file or directory\n",
    )


def test_a_written_bundle_is_whole_readable_for_all_and_alone_in_its_folder(cli: Cli) -> None:
    judgement, artifacts = judged()
    file = cli.folder / "out.zip"
    file.write_bytes(b"what was there before")

    bundling.save(file, judgement, SOURCE, artifacts)

    assert unpack(file.read_bytes(), where="out.zip").judgement == judgement
    assert file.stat().st_mode & 0o777 == 0o644
    assert [one.name for one in cli.folder.iterdir()] == ["out.zip"]


def test_a_bundle_that_cannot_be_written_is_said_and_leaves_what_was_there(cli: Cli) -> None:
    judgement, artifacts = judged()
    with pytest.raises(CannotWrite, match=r"cannot write .*/none/out.zip: No such file"):
        bundling.save(cli.folder / "none/out.zip", judgement, SOURCE, artifacts)
    (cli.folder / "folder").mkdir()
    with pytest.raises(CannotWrite, match="Is a directory"):
        bundling.save(cli.folder / "folder", judgement, SOURCE, artifacts)
    assert [one.name for one in cli.folder.iterdir()] == ["folder"]


def test_a_bundle_without_one_of_its_artifacts_is_not_written(cli: Cli) -> None:
    judgement, _ = judged()
    with pytest.raises(ToolFailure, match="is not in memory"):
        bundling.save(cli.folder / "out.zip", judgement, SOURCE, MemoryArtifacts())
    assert list(cli.folder.iterdir()) == []
