"""ptxboard record and plan show: a plan out, and a plan in words."""

import json
from pathlib import Path

import pytest
from cli_run import ASKED, Cli, cli_in, obeys_nothing
from fake_adapters import FakeCompiler, MemoryArtifacts
from sample_run import recorder, sample_tools

from evaluation.core.errors import ToolFailure
from evaluation.core.plan.plan_json import plan_from_json


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return cli_in(tmp_path, capsys, monkeypatch)


def test_the_plan_is_all_of_standard_output_and_progress_goes_to_standard_error(cli: Cli) -> None:
    ran = cli.record()
    assert ran.code == 0
    plan = plan_from_json(ran.out.removesuffix("\n").encode())
    assert plan.problem == "gemm_n7168_k5120"
    assert (
        ran.err
        == """\
  policy  ok    1.0 s  2 includes, all allowed; 0 signals
  build   ok    1.0 s  compiled for sm_90a
  record  ok    1.0 s  recorded: 1 launch a call, 0 set-up steps
                       k: grid 448 x 64, block 128
"""
    )


def test_a_plan_goes_into_a_file_as_it_is_stored(cli: Cli) -> None:
    ran = cli.record("--out", "plan.json")
    assert (ran.code, ran.out) == (0, "")
    assert plan_from_json(Path("plan.json").read_bytes()).target == "hopper"


def test_a_refused_kernel_has_no_plan_and_the_verdict_s_exit_code(cli: Cli) -> None:
    ran = cli.record("--out", "plan.json", tools=sample_tools(recorded=recorder(launches=0)))
    assert (ran.code, ran.out) == (23, "")
    assert "  record  no    1.0 s  launches no kernel\n" in ran.err
    assert not Path("plan.json").exists()


def test_a_kernel_is_recorded_and_not_scanned(cli: Cli) -> None:
    tools = sample_tools()
    cli.record(tools=tools)
    assert isinstance(tools.artifacts, MemoryArtifacts)
    assert tools.artifacts.names == ["build", "cubin", "facts", "ptx", "library", "plan"]


@pytest.mark.parametrize(
    ("out", "why"),
    [
        (".", "it is a folder"),
        ("missing/plan.json", "the folder does not exist"),
    ],
)
def test_a_place_that_cannot_be_written_is_said_before_anything_is_recorded(
    cli: Cli, out: str, why: str
) -> None:
    tools = sample_tools()
    ran = cli.record("--out", out, tools=tools)
    assert (ran.code, ran.out) == (73, "")
    assert ran.err == f"ptxboard: cannot write {out}: {why}\n"
    assert isinstance(tools.compiler, FakeCompiler)
    assert tools.compiler.asked == []


def test_a_full_disk_is_said_when_it_is_met(cli: Cli) -> None:
    ran = cli.record("--out", "/dev/full")
    assert ran.code == 73
    assert ran.err.endswith("ptxboard: cannot write /dev/full: No space left on device\n")


def test_our_failure_is_no_plan(cli: Cli) -> None:
    ran = cli.record(tools=sample_tools(program=ToolFailure("nvcc is gone")))
    assert (ran.code, ran.out) == (70, "")
    assert ran.err.endswith("ptxboard: nvcc is gone\n")


def test_what_record_prints_is_what_plan_show_reads(cli: Cli) -> None:
    Path("plan.json").write_text(cli.record().out)
    ran = cli.run("plan", "show", "plan.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Launch plan of 'gemm_n7168_k5120' version 1\n")
    assert "  1. launch 'k': grid 448 x 64 x 1, block 128 x 1 x 1, 0 bytes shared\n" in ran.out


def test_a_plan_can_come_by_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("plan.json").write_text(cli.record().out)
    with Path("plan.json").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        ran = cli.run("plan", "show", "-")
    assert ran.code == 0
    assert ran.out.startswith("Launch plan of")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe garbage",
        b"{}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" + b"0," * 2_000_000 + b"0]",
        b'"' + b"x" * 10_000_000 + b'"',
        b'{"version": NaN}',
        b"1" * 100_000,
    ],
    ids=["empty", "bytes", "no_keys", "deep", "deep_keys", "wide", "long", "nan", "digits"],
)
def test_what_is_no_plan_is_refused_in_one_line(cli: Cli, content: bytes) -> None:
    Path("plan.json").write_bytes(content)
    ran = cli.run("plan", "show", "plan.json")
    assert (ran.code, ran.out) == (65, "")
    assert ran.err.startswith("ptxboard: plan.json is no launch plan: ")
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 400


def test_a_plan_larger_than_any_is_not_read_to_its_end(cli: Cli) -> None:
    with Path("plan.json").open("wb") as stream:
        stream.truncate(1 << 40)
    ran = cli.run("plan", "show", "plan.json")
    assert (ran.code, ran.err) == (
        66,
        "ptxboard: cannot read plan.json: it has more than 67108865 bytes\n",
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("device", "h200\x1b[2J"),
        ("toolchain", "\u202efake"),
        ("notes", ["\x9b31m"]),
        ("problem", "\r\x07"),
    ],
)
def test_a_plan_with_a_terminal_s_commands_in_it_is_shown_without_or_refused(
    cli: Cli, key: str, value: object
) -> None:
    document = json.loads(cli.record().out)
    assert key in document
    Path("plan.json").write_text(json.dumps(document | {key: value}, separators=(",", ":")))
    ran = cli.run("plan", "show", "plan.json")
    assert ran.code in (0, 65)
    assert obeys_nothing(ran.out)
    assert obeys_nothing(ran.err)


def test_a_plan_that_is_not_there_cannot_be_read(cli: Cli) -> None:
    ran = cli.run("plan", "show", "plan.json")
    assert (ran.code, ran.err) == (
        66,
        "ptxboard: cannot read plan.json: No such file or directory\n",
    )


def test_record_takes_the_same_words_as_judge(cli: Cli) -> None:
    ran = cli.run("record", cli.source(), *ASKED, "--device", "h100-sxm", "--no-cache")
    assert plan_from_json(ran.out.removesuffix("\n").encode()).device == "h100-sxm"
