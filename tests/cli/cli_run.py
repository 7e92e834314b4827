"""Runs the command line in this process with fakes behind the pipeline's ports."""

import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest
from sample_run import SOURCE, sample_tools

from evaluation.adapters.measure_wiring import Gpu
from evaluation.adapters.workspace import Workspace
from evaluation.cli.main import main
from evaluation.core import wire
from evaluation.core.errors import ToolMissing
from evaluation.core.judgement import Judgement
from evaluation.core.pipeline import Tools

ASKED = ("--problem", "gemm_n7168_k5120", "--target", "hopper")


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def judgement(self) -> Judgement:
        """The one JSON document on standard output."""
        assert self.out.count("\n") == 1
        return wire.decode(Judgement, self.out.encode(), where="stdout")


@dataclass
class Cli:
    """``run`` gives exit code and both outputs; ``tools`` are what the command is handed."""

    capsys: pytest.CaptureFixture[str]
    folder: Path

    def run(self, *words: str, tools: Tools | Exception | None = None) -> Ran:
        def open_tools(workspace: Workspace, *, cached: bool) -> Tools:
            if isinstance(tools, Exception):
                raise tools
            return sample_tools() if tools is None else tools

        code = main(words, open_tools=open_tools, find_gpu=_no_gpu)
        return Ran(code, *self.capsys.readouterr())

    def judge(self, *words: str, tools: Tools | Exception | None = None) -> Ran:
        """Judge the sample's source."""
        return self.run("judge", self.source(), *ASKED, *words, tools=tools)

    def record(self, *words: str, tools: Tools | Exception | None = None) -> Ran:
        return self.run("record", self.source(), *ASKED, *words, tools=tools)

    def source(self, content: bytes = SOURCE) -> str:
        (self.folder / "kernel.cu").write_bytes(content)
        return "kernel.cu"


def _no_gpu(number: int) -> Gpu:
    raise ToolMissing("the CUDA driver cannot be loaded", action="install the NVIDIA driver")


def cli_in(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Cli:
    """The command line with an empty folder as its working directory."""
    monkeypatch.chdir(folder)
    return Cli(capsys, folder)


def obeys_nothing(text: str) -> bool:
    """Whether a terminal would only print it: no control, format or private character but the end of a line."""
    return all(c == "\n" or unicodedata.category(c)[0] != "C" for c in text)
