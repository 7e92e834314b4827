"""The README shows real output: every command of it is run again and must print what stands there."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from evaluation.core.pipeline import Tools

REPOSITORY = Path(__file__).parents[1]
BLOCK = re.compile(r"^```console\n\$ (.+)\n((?:.*\n)*?)```$", re.MULTILINE)
# What differs from run to run or machine to machine: seconds, the toolchain id, which covers the host's compiler, and
# the cubin's hash: its line table knows the host's headers.
SECONDS = re.compile(r" +\d+\.\d s")
TOOLCHAIN = re.compile(r"toolchain '[0-9a-f]{64}'")
CUBIN = re.compile(r"^cubin [0-9a-f]{64}$", re.MULTILINE)


def _settled(text: str) -> str:
    settled = TOOLCHAIN.sub("toolchain '…'", SECONDS.sub(" … s", text)).rstrip()
    return CUBIN.sub("cubin …", settled)


def _blocks() -> list[tuple[str, str]]:
    return BLOCK.findall((REPOSITORY / "README.md").read_text())


def test_the_readme_shows_a_judgement_a_plan_and_a_refusal() -> None:
    assert [command.split()[:2] for command, _ in _blocks()] == [
        ["bin/ptxboard", "judge"],
        ["bin/ptxboard", "plan"],
        ["bin/ptxboard", "judge"],
    ]


@pytest.mark.toolchain
def test_every_command_of_the_readme_prints_what_stands_there(tools: Tools, tmp_path: Path) -> None:
    assert tools.toolchain
    for command, shown in _blocks():
        words = shlex.split(command.replace("build/demo", str(tmp_path)))
        ran = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        printed = ran.stdout.replace(str(tmp_path), "build/demo")
        assert _settled(printed) == _settled(shown), ran.stderr
