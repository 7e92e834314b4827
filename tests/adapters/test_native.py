"""The recorder's programs: built once, kept whole, built again when anything changed."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

import pytest

from evaluation.adapters.native import Native, NativePrograms, native_identity
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.errors import ToolFailure
from evaluation.core.ports import Captured, JailCommand, JailResult

TOOLCHAIN = Toolchain(Path("/toolchains/one"), "id", 120200, (), ())


@dataclass
class Compiler:
    """A jail in which every compile goes the same way."""

    exit_code: int = 0
    driver: bytes = b"driver"
    commands: list[JailCommand] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def run(self, command: JailCommand) -> JailResult:
        with self.lock:
            self.commands.append(command)
        return JailResult(
            exit_code=self.exit_code,
            signal=None,
            timed_out=False,
            cpu_exhausted=False,
            memory_exhausted=False,
            stdout=Captured(b""),
            stderr=Captured(b"shim/state.cpp:1:1: error: \x1b[31mno\n"),
            outputs={"driver": Captured(self.driver), "shim": Captured(b"shim")},
            seconds=1.0,
        )


def test_programs_are_built_once_and_then_read(tmp_path: Path) -> None:
    compiler = Compiler()
    programs = NativePrograms(compiler, TOOLCHAIN, tmp_path)
    assert programs.built() == Native(b"driver", b"shim")
    assert programs.built() == Native(b"driver", b"shim")
    assert len(compiler.commands) == 1


def test_two_workers_at_once_build_once(tmp_path: Path) -> None:
    compiler = Compiler()
    with ThreadPoolExecutor(4) as pool:
        built = list(
            pool.map(
                lambda _: NativePrograms(compiler, TOOLCHAIN, tmp_path).built(),
                range(8),
            )
        )
    assert built == [Native(b"driver", b"shim")] * 8
    assert len(compiler.commands) == 1


def test_another_toolchain_has_programs_of_its_own(tmp_path: Path) -> None:
    compiler = Compiler()
    for identity in ("one", "other"):
        NativePrograms(compiler, replace(TOOLCHAIN, identity=identity), tmp_path).built()
    assert len(compiler.commands) == 2


@pytest.mark.parametrize("damage", [b"", b"ptxboard-native-1", b"cut"])
def test_a_damaged_file_is_built_again(tmp_path: Path, damage: bytes) -> None:
    compiler = Compiler()
    programs = NativePrograms(compiler, TOOLCHAIN, tmp_path)
    programs.built()
    (kept,) = tmp_path.glob("*.native")
    kept.write_bytes(kept.read_bytes()[:-1] if damage == b"cut" else damage)
    assert programs.built() == Native(b"driver", b"shim")
    assert len(compiler.commands) == 2


@pytest.mark.parametrize("compiler", [Compiler(exit_code=1), Compiler(driver=b"")])
def test_a_build_that_fails_is_our_failure_and_is_not_kept(
    tmp_path: Path, compiler: Compiler
) -> None:
    programs = NativePrograms(compiler, TOOLCHAIN, tmp_path)
    with pytest.raises(ToolFailure, match=r"state\.cpp:1:1: error: no"):
        programs.built()
    assert list(tmp_path.iterdir()) == []


def test_only_our_own_sources_are_compiled(tmp_path: Path) -> None:
    compiler = Compiler()
    NativePrograms(compiler, TOOLCHAIN, tmp_path).built()
    names = [file.destination for file in compiler.commands[0].files]
    assert {"/w/build", "/w/shim/journal.cpp", "/w/driver/main.cpp"} <= set(names)
    assert {name.rsplit(".", 1)[-1] for name in names} == {"/w/build", "cpp", "h", "inc"}


def test_the_identity_covers_shim_driver_and_headers() -> None:
    assert native_identity() == native_identity()
    assert len(bytes.fromhex(native_identity())) == hashlib.sha256().digest_size


@pytest.mark.toolchain
def test_two_builds_are_equal_byte_for_byte(
    jail: Bubblewrap, toolchain: Toolchain, tmp_path: Path
) -> None:
    first = NativePrograms(jail, toolchain, tmp_path)._build()
    assert first.driver.startswith(b"\x7fELF")
    assert NativePrograms(jail, toolchain, tmp_path)._build() == first
