"""ptxboard judge: what a user reads, what a program reads, and the exit codes of both."""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cli_run import ASKED, Cli, cli_in, obeys_nothing
from fake_adapters import FakeCompiler, FakeRecorder, recording
from fake_cli import HOSTILE
from sample_run import LIBRARY, SOURCE, journal, recorder, sample_tools

from evaluation.cli import exit_codes
from evaluation.core.compile.build import Failed, FailureKind
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import CannotJail, ToolFailure, ToolMissing
from evaluation.core.judgement import Instruction
from evaluation.core.pipeline import Tools
from evaluation.core.verdict import Correct, FamilyExecuted, Stage, Verdict


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return cli_in(tmp_path, capsys, monkeypatch)


DOES_NOT_COMPILE = Failed(
    FailureKind.ERROR, "device_compile", HeaderSet.REAL, "kernel.cu(1): error: no", 2.0
)


def ended(**ending: object) -> Tools:
    """Tools whose recorded processes end in this way."""
    text = journal().partition(b'{"e": "call"')[0]
    return sample_tools(recorded=FakeRecorder(recording(text, **ending), recording(text, **ending)))


# Tools, exit code and verdict of everything that a machine without a GPU can come to.
ENDS: dict[str, tuple[Callable[[], Tools], int, Verdict | None]] = {
    "nothing against it": (sample_tools, 3, None),
    "build failed": (lambda: sample_tools(program=DOES_NOT_COMPILE), 20, Verdict.BUILD_FAILED),
    "binary rule": (
        lambda: sample_tools(library=replace(LIBRARY, needed=("libcublas.so.13",))),
        21,
        Verdict.POLICY_REJECTED,
    ),
    "no kernel": (lambda: sample_tools(recorded=recorder(launches=0)), 23, Verdict.NO_KERNEL),
    "timeout": (lambda: ended(timed_out=True, exit_code=None), 13, Verdict.TIMEOUT),
    "out of memory": (lambda: ended(memory_exhausted=True), 12, Verdict.RUNTIME_ERROR),
    "too large": (lambda: ended(dropped=1), 22, Verdict.NOT_RECORDABLE),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("words", [(), ("--json",)], ids=["text", "json"])
def test_the_exit_code_is_the_verdict_s_with_and_without_json(
    cli: Cli, end: str, words: tuple[str, ...]
) -> None:
    tools, code, _ = ENDS[end]
    assert cli.judge(*words, tools=tools()).code == code


@pytest.mark.parametrize("end", ENDS)
def test_json_is_one_document_that_says_the_same_and_nothing_else_is_written(
    cli: Cli, end: str
) -> None:
    tools, code, verdict = ENDS[end]
    ran = cli.judge("--json", tools=tools())
    assert ran.err == ""
    assert (ran.judgement.exit_code, ran.judgement.verdict) == (code, verdict)
    missing = [one.stage for one in ran.judgement.missing]
    assert missing == ([] if verdict else [Stage.CHECK, Stage.PROBE, Stage.TIME])
    assert ran.judgement.correct is (Correct.NO if verdict else Correct.UNKNOWN)


def test_json_names_source_problem_target_and_device(cli: Cli) -> None:
    judgement = cli.judge("--json").judgement
    assert judgement.source == "kernel.cu"
    assert judgement.source_sha256 == hashlib.sha256(SOURCE).hexdigest()
    assert (judgement.problem, judgement.problem_version) == ("gemm_n7168_k5120", 1)
    assert (judgement.target, judgement.device) == ("hopper", "h200")
    assert [one.stage for one in judgement.reports] == ["policy", "build", "record", "scan"]
    assert judgement.instruction == Instruction(FamilyExecuted.UNKNOWN)


def test_every_verdict_has_an_exit_code_of_its_own() -> None:
    assert {verdict: exit_codes.of_verdict(verdict) for verdict in Verdict} == {
        Verdict.ACCEPTED: 0,
        Verdict.WRONG_RESULT: 10,
        Verdict.MEMORY_FAULT: 11,
        Verdict.RUNTIME_ERROR: 12,
        Verdict.TIMEOUT: 13,
        Verdict.BUILD_FAILED: 20,
        Verdict.POLICY_REJECTED: 21,
        Verdict.NOT_RECORDABLE: 22,
        Verdict.NO_KERNEL: 23,
    }
    assert exit_codes.of_verdict(None) == 3


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (
            ToolMissing("the CUDA toolchain is not installed", action="run bin/install-toolchain"),
            69,
        ),
        (CannotJail("this host cannot jail", action="allow user namespaces"), 69),
        (ToolFailure("the disk is full", action="make room"), 70),
    ],
)
@pytest.mark.parametrize("words", [(), ("--json",)], ids=["text", "json"])
def test_what_is_our_fault_is_said_on_standard_error_with_what_to_do(
    cli: Cli, failure: ToolFailure, code: int, words: tuple[str, ...]
) -> None:
    ran = cli.judge(*words, tools=failure)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err == f"ptxboard: {failure.what}\n          {failure.action}\n"


def test_a_failure_of_ours_in_a_stage_is_shown_as_no_verdict(cli: Cli) -> None:
    ran = cli.judge(tools=sample_tools(program=ToolFailure("nvcc is gone")))
    assert ran.code == 70
    assert (
        "  build   ??           the judge failed here, not the kernel; there is no verdict\n"
        in ran.out
    )
    assert "verdict      " not in ran.out
    assert ran.err == "ptxboard: nvcc is gone\n"


def test_a_failure_of_ours_leaves_json_readers_an_empty_output(cli: Cli) -> None:
    ran = cli.judge("--json", tools=sample_tools(program=ToolFailure("nvcc is gone")))
    assert (ran.code, ran.out, ran.err) == (70, "", "ptxboard: nvcc is gone\n")


def test_the_report_of_a_kernel_that_came_through_reads_from_top_to_bottom(cli: Cli) -> None:
    ran = cli.judge()
    assert (
        ran.out
        == """\
kernel.cu  for gemm_n7168_k5120 on hopper (device table h200)

  policy  ok    1.0 s  2 includes, all allowed; 0 signals
  build   ok    1.0 s  compiled for sm_90a
  record  ok    1.0 s  recorded: 1 launch a call, 0 set-up steps
                       k: grid 448 x 64, block 128
  scan    ok    1.0 s  HGMMA in 1 of 1 launched functions (1 rows)
  check   -            needs a GPU; ptxboard doctor says why this machine has none to judge on
  probe   -            needs a GPU; ptxboard doctor says why this machine has none to judge on
  time    -            needs a GPU; ptxboard doctor says why this machine has none to judge on

  correct      unknown: no GPU stage ran
  instruction  unknown: present, but only a run on a GPU can show that it executes
  speed        none: not measured

  verdict      none yet: check, probe, time are to come
"""
    )


def test_the_report_of_a_kernel_that_does_not_compile_shows_the_log(cli: Cli) -> None:
    ran = cli.judge(tools=sample_tools(program=DOES_NOT_COMPILE))
    assert ran.out.endswith("""\
  build   no    1.0 s  does not compile: the device compiler reports errors

  build: build_error
    instead: mend what the compiler's log names; the log is part of this report

  what the build stage's tool said
    kernel.cu(1): error: no

  correct      no
  instruction  unknown: the run ended before the machine code was scanned
  speed        none: only a correct kernel has a speed

  verdict      build_failed
""")


def test_a_rejection_names_line_column_rule_and_what_to_do(cli: Cli) -> None:
    source = cli.source(b"// one\n  #include <cublas_v2.h>\n")
    ran = cli.run("judge", source, *ASKED)
    assert ran.code == 21
    assert "  policy: line 2, column " in ran.out
    assert "    instead: " in ran.out


def test_a_long_refusal_is_shown_to_its_end(cli: Cli) -> None:
    name = "cudaGraph" + "Launch" * 30
    text = b"".join(line + b"\n" for line in journal().splitlines()[:7])
    text += b'{"e":"call","n":1,"set":0}\n'
    text += json.dumps({"e": "refused", "call": name[:100], "why": "the end"}).encode() + b"\n"
    ran = cli.judge(tools=sample_tools(recorded=FakeRecorder(recording(text), recording(text))))
    shown = "".join(ran.out.split())
    assert f"cannotrecord'{name[:100]}'incall1:'theend'" in shown
    assert max(map(len, ran.out.splitlines())) <= 120


def test_signals_are_shown_with_severity_sentence_and_some_evidence(cli: Cli) -> None:
    images = tuple(f"cubin in .data{n}" for n in range(9))
    ran = cli.judge(tools=sample_tools(library=replace(LIBRARY, images=images)))
    assert "  hold: embedded_image\n" in ran.out
    assert "      cubin in .data5\n      and " in ran.out
    assert "cubin in .data6" not in ran.out


def test_a_long_log_is_cut_and_says_where_the_rest_is(cli: Cli) -> None:
    log = "\n".join(f"line {n}" for n in range(100))
    ran = cli.judge(tools=sample_tools(program=replace(DOES_NOT_COMPILE, log=log)))
    assert "    line 39\n    and 60 more lines (the whole log is in --json)\n" in ran.out


def test_nothing_that_a_candidate_writes_is_obeyed_by_a_terminal(cli: Cli) -> None:
    tools = sample_tools(program=replace(DOES_NOT_COMPILE, log=HOSTILE))
    ran = cli.judge(tools=tools)
    assert "end" in ran.out
    assert obeys_nothing(ran.out)


def test_evidence_and_messages_of_a_library_are_cleaned_too(cli: Cli) -> None:
    library = replace(LIBRARY, needed=(f"lib{HOSTILE}.so",), images=(HOSTILE,))
    ran = cli.judge(tools=sample_tools(library=library))
    assert "which may not be linked" in ran.out
    assert "hold: embedded_image" in ran.out
    assert obeys_nothing(ran.out)


def test_a_file_name_is_cleaned_before_it_is_shown(cli: Cli) -> None:
    path = cli.folder / f"k{HOSTILE.replace('/', '')}.cu"
    path.write_bytes(SOURCE)
    ran = cli.run("judge", str(path), *ASKED)
    assert obeys_nothing(ran.out)
    assert obeys_nothing(cli.run("judge", f"{path}2", *ASKED).err)


def test_a_file_name_that_is_no_utf_8_is_shown_and_kept(cli: Cli) -> None:
    path = os.fsencode(cli.folder) + b"/k\xff.cu"
    Path(os.fsdecode(path)).write_bytes(SOURCE)
    assert cli.run("judge", os.fsdecode(path), *ASKED).code == 3
    ran = cli.run("judge", os.fsdecode(path), *ASKED, "--json")
    assert os.fsencode(ran.judgement.source) == path


def test_a_kernel_can_come_by_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(cli.source()).open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        ran = cli.run("judge", "-", *ASKED)
    assert ran.code == 3
    assert ran.out.startswith("standard input  for gemm_n7168_k5120")


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("/nonexistent/kernel.cu", "No such file or directory"),
        ("/tmp", "Is a directory"),  # noqa: S108
        ("/proc/self/mem", "Input/output error"),
        ("/dev/zero", "it has more than 4194304 bytes"),
        ("kernel\0.cu", "embedded null byte"),
    ],
)
def test_an_input_that_cannot_be_read_says_why(cli: Cli, file: str, why: str) -> None:
    tools = sample_tools()
    ran = cli.run("judge", file, *ASKED, "--json", tools=tools)
    assert (ran.code, ran.out) == (66, "")
    assert ran.err.startswith("ptxboard: cannot read ")
    assert ran.err.endswith(f": {why}\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_input_that_one_may_not_read_says_so(cli: Cli) -> None:
    Path(cli.source()).chmod(0)
    ran = cli.run("judge", str(cli.folder / "kernel.cu"), *ASKED)
    assert ran.code == 66
    assert ran.err.endswith("Permission denied\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--problem", "gemm_n7168_k512", "--target", "hopper"),
            "--problem: gemm_n7168_k512: there is no such problem; did you mean gemm_n7168_k5120? There are: gemm_",
        ),
        (
            ("--problem", "softmax", "--target", "hopper"),
            "--problem: softmax: there is no such problem; there are: gemm_",
        ),
        (
            (*ASKED, "--device", "v100"),
            "--device: v100: there is no such device table",
        ),
        (
            (*ASKED, "--device", "b200"),
            "--device: b200: is a blackwell product, not a hopper one",
        ),
    ],
)
def test_a_name_that_is_none_is_answered_with_the_ones_there_are(
    cli: Cli, words: tuple[str, ...], said: str
) -> None:
    ran = cli.run("judge", cli.source(), *words)
    assert (ran.code, ran.out) == (65, "")
    assert ran.err.startswith(f"ptxboard: {said}")
    assert ran.err.count("\n") == 1


def test_out_keeps_every_artifact_and_the_report(cli: Cli) -> None:
    folder = cli.folder / "new" / "out"
    ran = cli.judge("--out", str(folder))
    assert f"  written      {folder}\n" in ran.out
    assert sorted(one.name for one in folder.iterdir()) == [
        "build.json",
        "facts.json",
        "kernel.cubin",
        "kernel.ptx",
        "libkernel.so",
        "plan.json",
        "report.json",
        "sass.txt",
    ]
    assert (folder / "kernel.cubin").read_bytes() == b"the cubin"
    assert json.loads((folder / "report.json").read_bytes())["exit_code"] == 3


def test_out_of_a_refused_kernel_keeps_what_there_is(cli: Cli) -> None:
    folder = cli.folder / "out"
    cli.judge("--out", str(folder), tools=sample_tools(program=DOES_NOT_COMPILE))
    assert sorted(one.name for one in folder.iterdir()) == ["build.json", "report.json"]


def test_an_out_folder_that_cannot_be_made_is_said_before_anything_is_judged(cli: Cli) -> None:
    (cli.folder / "file").write_bytes(b"")
    tools = sample_tools()
    ran = cli.judge("--out", str(cli.folder / "file/out"), tools=tools)
    assert (ran.code, ran.out) == (73, "")
    assert ran.err == f"ptxboard: cannot make the folder {cli.folder}/file/out: Not a directory\n"
    assert isinstance(tools.compiler, FakeCompiler)
    assert tools.compiler.asked == []


def test_an_out_file_that_cannot_be_written_is_said_after_the_report(cli: Cli) -> None:
    (cli.folder / "out/plan.json").mkdir(parents=True)
    ran = cli.judge("--out", str(cli.folder / "out"))
    assert ran.code == 73
    assert ran.err == f"ptxboard: cannot write {cli.folder}/out/plan.json: Is a directory\n"
