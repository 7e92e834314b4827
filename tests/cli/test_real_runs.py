"""The command line as it is installed, with the real tools: bin/ptxboard from a file to an exit code."""

import signal
import subprocess
import uuid
from pathlib import Path

import pytest
from process_tree import descendants, jailed, living, wait_for
from program import on_terminal

from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.workspace import Workspace
from evaluation.core import wire
from evaluation.core.judgement import Judgement
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.verdict import Stage, Verdict

pytestmark = pytest.mark.toolchain

REPOSITORY = Path(__file__).parents[2]
PTXBOARD = str(REPOSITORY / "bin/ptxboard")
NAIVE = REPOSITORY / "tests/golden/kernels/gemm_naive/kernel.cu"
ASKED = ("--problem", "gemm_n7168_k5120", "--target", "hopper")
SECONDS = 250.0


@pytest.fixture(autouse=True)
def home(workspace: Workspace, toolchain: Toolchain) -> Path:
    """The state folder of this machine; ``toolchain`` skips where there is none in it."""
    if not (REPOSITORY / ".venv/bin/python").exists():
        pytest.skip("bin/ptxboard needs the virtual environment that bin/setup makes")
    assert toolchain.root.is_relative_to(workspace.home)
    return workspace.home


def ptxboard(*words: str, source: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        (PTXBOARD, *words), input=source, capture_output=True, check=False, timeout=SECONDS
    )


def test_an_honest_kernel_is_judged_as_far_as_the_scan_with_one_json_document(
    tmp_path: Path,
) -> None:
    done = ptxboard("judge", str(NAIVE), *ASKED, "--json", "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stderr) == (3, b"")
    judgement = wire.decode(Judgement, done.stdout.removesuffix(b"\n"), where="stdout")
    assert judgement.exit_code == 3
    assert [one.stage for one in judgement.reports] == [
        Stage.POLICY,
        Stage.BUILD,
        Stage.RECORD,
        Stage.SCAN,
    ]
    plan = plan_from_json((tmp_path / "out/plan.json").read_bytes())
    assert [one.name for one in plan.functions] == ["_Z10gemm_naivePK13__nv_bfloat16S1_PS_iii"]
    assert (tmp_path / "out/kernel.cubin").read_bytes().startswith(b"\x7fELF")


def test_a_recorded_plan_is_shown_in_words_through_a_pipe() -> None:
    recorded = ptxboard("record", str(NAIVE), *ASKED)
    assert recorded.returncode == 0, recorded.stderr
    shown = ptxboard("plan", "show", "-", source=recorded.stdout)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"1. launch '_Z10gemm_naive" in shown.stdout


def test_a_source_that_does_not_compile_shows_the_compiler_s_words_without_its_commands(
    tmp_path: Path,
) -> None:
    """A terminal shows it; the source has a terminal's commands where an error message quotes it."""
    source = '#include <cuda_runtime.h>\nint x = "\x1b]0;owned\x07\u202e" + ;\n'.encode()
    (tmp_path / "hostile.cu").write_bytes(source)
    shown = on_terminal(tmp_path, PTXBOARD, "judge", "hostile.cu", *ASKED, NO_COLOR="1")
    assert shown.code == 20, shown.text
    assert "kernel.cu(2): error: " in shown.text
    assert "\x1b]" not in shown.text
    assert "\x07" not in shown.text
    assert "\u202e" not in shown.text


def test_a_rejected_source_is_not_compiled() -> None:
    done = ptxboard("judge", "-", *ASKED, "--json", source=b"#include <cublas_v2.h>\n")
    judgement = wire.decode(Judgement, done.stdout.removesuffix(b"\n"), where="stdout")
    assert (done.returncode, judgement.verdict) == (21, Verdict.POLICY_REJECTED)
    assert len(judgement.reports) == 1


def test_ctrl_c_in_a_compile_leaves_no_process_and_gives_130(tmp_path: Path) -> None:
    source = tmp_path / "kernel.cu"
    source.write_bytes(NAIVE.read_bytes() + f"// {uuid.uuid4()}\n".encode())
    process = subprocess.Popen(
        (PTXBOARD, "judge", str(source), *ASKED),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    line = ""
    while not line.startswith("  policy"):
        line = process.stdout.readline()
        assert line, "it ended before the build"
    assert wait_for(lambda: bool(jailed(descendants(process.pid))))
    below = descendants(process.pid)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert said.startswith("ptxboard: interrupted: no verdict.")
    assert living(below) == set()


def test_a_machine_without_toolchain_says_what_to_do(tmp_path: Path) -> None:
    done = ptxboard("--home", str(tmp_path), "judge", str(NAIVE), *ASKED, "--json")
    assert (done.returncode, done.stdout) == (69, b"")
    assert done.stderr.endswith(b"          run bin/install-toolchain\n")


def test_no_module_is_imported_from_the_folder_that_it_is_started_in(tmp_path: Path) -> None:
    """Candidates come in folders of their own making, and ``json.py`` is a fine name for a file."""
    for name in ("json", "argparse", "evaluation"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(99)\n")
    done = subprocess.run(
        (PTXBOARD, "problems"), cwd=tmp_path, capture_output=True, check=False, timeout=SECONDS
    )
    assert (done.returncode, done.stderr) == (0, b"")
