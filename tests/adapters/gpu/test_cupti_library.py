"""CUPTI is found or said to be missing; the counters library is built once and kept whole."""

import importlib.metadata
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from evaluation.adapters.gpu.counters import Counters
from evaluation.adapters.gpu.cupti_library import CountersLibrary, CuptiPlace, find_cupti
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.errors import ToolFailure, ToolMissing
from evaluation.core.ports import Captured, JailCommand, JailResult

TOOLCHAIN = Toolchain(Path("/toolchains/one"), "id", 120200, (), ())
HEADERS = ("profiler_host", "profiler_target", "range_profiler", "result", "target")


@dataclass
class Compiler:
    """A jail in which every compile goes the same way."""

    exit_code: int = 0
    made: bytes = b"library"
    commands: list[JailCommand] = field(default_factory=list)

    def run(self, command: JailCommand) -> JailResult:
        self.commands.append(command)
        return JailResult(
            exit_code=self.exit_code,
            signal=None,
            timed_out=False,
            cpu_exhausted=False,
            memory_exhausted=False,
            stdout=Captured(b""),
            stderr=Captured(b"passes.cpp:1:1: error: no\n"),
            outputs={"library": Captured(self.made)},
            seconds=1.0,
        )


@pytest.fixture
def place(tmp_path: Path) -> CuptiPlace:
    """A toolkit of the newer layout: libraries and headers each in one folder."""
    include, lib = tmp_path / "toolkit/include", tmp_path / "toolkit/lib64"
    include.mkdir(parents=True)
    lib.mkdir()
    for name in HEADERS:
        (include / f"cupti_{name}.h").write_text(f"// {name}\n")
    (lib / "libcupti.so.13").write_bytes(b"ELF")
    return CuptiPlace(lib / "libcupti.so.13", include)


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> importlib.metadata.Distribution:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)


@pytest.mark.usefixtures("no_package")
def test_a_toolkit_serves_where_there_is_no_package(place: CuptiPlace) -> None:
    assert find_cupti((Path("/nowhere"), place.include.parent)) == place


@pytest.mark.usefixtures("no_package")
def test_a_toolkit_without_the_range_profiler_is_passed_over(place: CuptiPlace) -> None:
    (place.include / "cupti_range_profiler.h").unlink()
    with pytest.raises(ToolMissing) as missing:
        find_cupti((place.include.parent,))
    assert "nvidia-cuda-cupti>=13.0" in missing.value.action


def test_the_library_is_built_once_and_then_read(tmp_path: Path, place: CuptiPlace) -> None:
    compiler = Compiler()
    library = CountersLibrary(compiler, TOOLCHAIN, place, tmp_path)
    assert [library.built(), library.built()] == [b"library", b"library"]
    assert len(compiler.commands) == 1


def test_other_headers_or_another_toolchain_make_another_library(
    tmp_path: Path, place: CuptiPlace
) -> None:
    compiler = Compiler()
    CountersLibrary(compiler, TOOLCHAIN, place, tmp_path).built()
    CountersLibrary(compiler, replace(TOOLCHAIN, identity="other"), place, tmp_path).built()
    (place.include / "cupti_result.h").write_text("// newer\n")
    CountersLibrary(compiler, TOOLCHAIN, place, tmp_path).built()
    assert len(compiler.commands) == 3


def test_our_sources_and_the_headers_go_into_the_jail_as_files(
    tmp_path: Path, place: CuptiPlace
) -> None:
    compiler = Compiler()
    CountersLibrary(compiler, TOOLCHAIN, place, tmp_path).built()
    files = {one.destination: one.content for one in compiler.commands[0].files}
    assert files["/w/cupti/cupti_target.h"] == b"// target\n"
    assert b"ptxboard_counters_open" in files["/w/counters/counters.cpp"]
    assert str(place.include) not in {str(one.source) for one in compiler.commands[0].binds}


def test_a_damaged_file_is_built_again(tmp_path: Path, place: CuptiPlace) -> None:
    compiler = Compiler()
    library = CountersLibrary(compiler, TOOLCHAIN, place, tmp_path)
    library.built()
    (kept,) = tmp_path.glob("*.counters")
    kept.write_bytes(kept.read_bytes()[:-1])
    assert library.built() == b"library"
    assert len(compiler.commands) == 2


@pytest.mark.parametrize("compiler", [Compiler(exit_code=1), Compiler(made=b"")])
def test_a_library_that_does_not_compile_is_a_tool_failure(
    tmp_path: Path, place: CuptiPlace, compiler: Compiler
) -> None:
    with pytest.raises(ToolFailure, match="error: no"):
        CountersLibrary(compiler, TOOLCHAIN, place, tmp_path).built()


@pytest.mark.toolchain
def test_the_real_library_is_built_in_a_jail_and_asks_the_real_cupti(
    tmp_path: Path, jail: Bubblewrap, toolchain: Toolchain
) -> None:
    cupti = find_cupti()
    path = tmp_path / "counters.so"
    path.write_bytes(CountersLibrary(jail, toolchain, cupti, tmp_path).built())
    counters = Counters(path, cupti.library, 0, chip="GH100")
    try:
        assert counters.configure(("sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32.sum",)) == 1
    finally:
        counters.close()
