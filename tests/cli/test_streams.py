"""The command line as other programs meet it: pipes that close, disks that fill, streams that are not there, signals."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from process_tree import descendants, living, wait_for
from program import ASKED, SECONDS, command, environment
from sample_run import SOURCE

from evaluation.core import wire
from evaluation.core.judgement import Judgement

JUDGE = ("judge", "kernel.cu", *ASKED)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernel.cu").write_bytes(SOURCE)
    return tmp_path


def shell(folder: Path, script: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run a line of bash in which $PTXBOARD is the command line with fakes."""
    program = " ".join(command("honest"))
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment(PTXBOARD=program, **more),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )


JUDGE_LINE = f"$PTXBOARD {' '.join(JUDGE)}"


@pytest.mark.parametrize("words", ["problems", "problems --json", " ".join(JUDGE)])
def test_a_reader_that_goes_away_gets_no_traceback_and_leaves_the_code_of_any_tool(
    folder: Path, words: str
) -> None:
    done = shell(folder, f"$PTXBOARD {words} | sleep 0; echo ${{PIPESTATUS[0]}}")
    assert done.stdout.splitlines()[-1] in ("141", "3" if "judge" in words else "0")
    assert done.stderr == ""


def test_a_reader_that_is_gone_before_the_first_line_is_code_141(folder: Path) -> None:
    """Bash has no way to start with a broken pipe, so this is done by hand."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command("honest", "problems"),
        cwd=folder,
        env=environment(),
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
        timeout=SECONDS,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


def test_both_streams_into_a_pipe_that_is_gone_end_quietly_too(folder: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command("honest", "judge", "missing.cu", *ASKED),
        cwd=folder,
        env=environment(),
        stdout=write,
        stderr=write,
        check=False,
        timeout=SECONDS,
    )
    os.close(write)
    assert done.returncode == 66


def test_a_full_disk_under_standard_output_is_said(folder: Path) -> None:
    done = shell(folder, f"{JUDGE_LINE} --json > /dev/full")
    assert done.returncode == 73
    assert done.stderr == (
        "ptxboard: No space left on device\n          check free space and permissions\n"
    )


def test_with_standard_output_closed_a_kernel_is_still_judged(folder: Path) -> None:
    done = shell(folder, f"{JUDGE_LINE} >&-")
    assert (done.returncode, done.stderr) == (3, "")


def test_with_standard_error_closed_the_exit_code_still_speaks(folder: Path) -> None:
    assert shell(folder, "$PTXBOARD problems softmax 2>&-").returncode == 65


def test_with_standard_input_closed_there_is_no_kernel_in_it(folder: Path) -> None:
    done = shell(folder, f"$PTXBOARD judge - {' '.join(ASKED)} <&-")
    assert done.returncode == 23
    assert "the source holds no code" in done.stdout


def test_a_stream_that_takes_ascii_alone_still_gets_every_line(folder: Path) -> None:
    (folder / "kernel.cu").rename(folder / "k\N{SNOWMAN}.cu")
    script = f"$PTXBOARD judge k*.cu {' '.join(ASKED)}"
    done = shell(folder, script, PYTHONIOENCODING="ascii:strict")
    assert done.returncode == 3
    assert done.stdout.startswith("k?.cu  for gemm_n7168_k5120")


def test_json_through_a_pipe_is_the_document_and_a_line_end(folder: Path) -> None:
    done = shell(folder, f"cat kernel.cu | $PTXBOARD judge - {' '.join(ASKED)} --json | cat")
    judgement = wire.decode(Judgement, done.stdout.removesuffix("\n").encode(), where="stdout")
    assert judgement.source == "-"
    assert done.stderr == ""


@pytest.mark.parametrize("both", [False, True], ids=["the program alone", "its whole group"])
def test_ctrl_c_ends_the_tools_that_run_and_gives_130(folder: Path, both: bool) -> None:
    process = subprocess.Popen(
        command("sleeper", *JUDGE),
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr
    pids = [int(re.sub(r"\D", "", process.stderr.readline())) for _ in range(2)]
    assert wait_for(lambda: {pid for pid, _ in descendants(process.pid)} >= set(pids))
    below = descendants(process.pid)
    (os.killpg if both else os.kill)(process.pid, signal.SIGINT)
    assert process.wait(timeout=SECONDS) == 130
    assert process.stderr.read() == (
        "ptxboard: interrupted: no verdict. What finished stages made stays in the state folder\n"
    )
    process.stderr.close()
    assert living(below) == set()


def test_a_program_that_was_told_to_ignore_ctrl_c_does(folder: Path) -> None:
    done = shell(folder, f"trap '' INT; {JUDGE_LINE} & wait $!")
    assert done.returncode == 3
