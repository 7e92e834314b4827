"""The names that the shim defines, against the headers, the built library and each other (rules R1 and R5)."""

import ast
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.adapters.native import Native
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.binary import shim_names
from evaluation.core.binary.shim_names import SHIM_NAMES

pytest_plugins = ("recording_fixtures",)

NATIVE = Path(__file__).parents[2] / "evaluation/native"


@pytest.fixture(scope="module")
def exported(recorder_programs: Native, tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    path = tmp_path_factory.mktemp("shim") / "shim.so"
    path.write_bytes(recorder_programs.shim)
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", "--format=posix", path],
        check=True,
        capture_output=True,
        text=True,
    )
    return frozenset(line.split()[0] for line in listed.stdout.splitlines())


@pytest.mark.toolchain
def test_the_built_shim_exports_every_name_on_the_list(exported: frozenset[str]) -> None:
    assert exported >= SHIM_NAMES


@pytest.mark.toolchain
def test_everything_else_it_exports_is_a_stand_in_or_the_driver_s(exported: frozenset[str]) -> None:
    others = {name for name in exported - SHIM_NAMES if not name.startswith("ptxboard_")}
    assert others == {
        "TVMFFIBacktrace", "clock", "clock_gettime", "dl_iterate_phdr", "dladdr", "dlclose", "dlmopen", "dlopen", "dlsym",
        "exit", "_exit", "_Exit", "quick_exit", "fork", "vfork", "posix_spawn", "posix_spawnp", "popen", "system",
        "getentropy", "getenv", "getrandom", "gettimeofday", "secure_getenv", "time", "pthread_create", "thrd_create",
    }  # fmt: skip


def test_names_that_every_kernel_needs_are_on_the_list() -> None:
    assert {
        "__cudaRegisterFatBinary",
        "__cudaRegisterFatBinaryEnd",
        "__cudaUnregisterFatBinary",
        "__cudaRegisterFunction",
        "__cudaRegisterVar",
        "__cudaPushCallConfiguration",
        "__cudaPopCallConfiguration",
        "__cudaGetKernel",
        "__cudaLaunchKernel",
        "cudaLaunchKernelExC",
        "cuTensorMapEncodeTiled",
        "cuMemAlloc_v2",
        "cudaGraphLaunch",
        "cudaMemcpyAsync_ptsz",
    } <= SHIM_NAMES
    assert len(SHIM_NAMES) > 900


def test_no_name_is_recorded_and_refused() -> None:
    recorded = _listed("recorded_names.inc", r"RECORDED_NAME\((\w+)\)")
    refused = _listed("refused_names.inc", r"REFUSED_NAME\((\w+)\)")
    assert not recorded & refused
    assert recorded | refused == SHIM_NAMES


@pytest.mark.toolchain
def test_the_lists_are_what_the_headers_of_the_toolchain_give(
    toolchain: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run the generator on a copy; a change of the shim's calls without it would show here."""
    shutil.copytree(NATIVE, tmp_path / "evaluation/native")
    (tmp_path / "evaluation/core/binary").mkdir(parents=True)
    include = toolchain.root / "nvidia/cu13/include"
    monkeypatch.setattr(sys, "argv", ["list_names.py", str(include)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(tmp_path / "evaluation/native/list_names.py"), run_name="__main__")
    assert ended.value.code == 0
    for name in ("recorded_names.inc", "refused_names.inc", "driver_entries.inc", "errors.inc"):
        assert (tmp_path / "evaluation/native/shim" / name).read_text() == (
            NATIVE / "shim" / name
        ).read_text()
    made = ast.parse((tmp_path / "evaluation/core/binary/shim_names.py").read_text())
    kept = ast.parse(Path(shim_names.__file__).read_text())
    assert ast.dump(made) == ast.dump(kept)


def _listed(file: str, pattern: str) -> set[str]:
    return set(re.findall(pattern, (NATIVE / "shim" / file).read_text()))
