from pathlib import Path

import pytest

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.disassembler import Disassembler
from evaluation.adapters.inspector import Inspector
from evaluation.adapters.nvcc import Nvcc
from evaluation.adapters.recorder import Recorder
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.wiring import prepare_tools
from evaluation.adapters.workspace import Workspace
from evaluation.core.errors import ToolMissing
from evaluation.core.pipeline import Tools


def test_a_state_folder_without_toolchain_is_a_missing_tool(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="the CUDA toolchain is not installed in") as caught:
        prepare_tools(Workspace(tmp_path / "home"))
    assert caught.value.action == "run bin/install-toolchain"
    assert (tmp_path / "home/artifacts").is_dir()


def test_a_state_folder_that_cannot_be_made_says_where_and_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    home = tmp_path / "file/home"
    with pytest.raises(ToolMissing) as caught:
        prepare_tools(Workspace(home))
    assert caught.value.what == f"cannot use the state folder {home}: Not a directory"
    assert "PTXBOARD_HOME" in caught.value.action


@pytest.mark.toolchain
def test_the_real_tools_stand_behind_the_ports(
    tools: Tools, toolchain: Toolchain, workspace: Workspace
) -> None:
    assert isinstance(tools.compiler, Nvcc)
    assert tools.compiler.cache is not None
    assert tools.compiler.slim != ()
    assert isinstance(tools.inspector, Inspector)
    assert isinstance(tools.disassembler, Disassembler)
    assert isinstance(tools.recorder, Recorder)
    assert isinstance(tools.artifacts, LocalArtifacts)
    assert "cudaLaunchKernel" in tools.names
    assert len(tools.toolchain) == 64
    assert tools.clock() <= tools.clock()


@pytest.mark.toolchain
def test_who_wants_no_cache_gets_a_compiler_without_one(
    toolchain: Toolchain, workspace: Workspace
) -> None:
    compiler = prepare_tools(workspace, cached=False).compiler
    assert isinstance(compiler, Nvcc)
    assert compiler.cache is None
