"""The judge's own kernels: what is built is what the wrapper launches, and it is built once."""

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from evaluation.adapters.gpu.trusted_kernels import KERNELS
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.trusted_cubin import TrustedCubins, trusted_sources
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.errors import ToolFailure
from evaluation.core.ports import Captured, JailCommand, JailResult
from evaluation.core.verdict import Target

TOOLCHAIN = Toolchain(Path("/toolchains/one"), "id", 120200, (), ())


@dataclass
class Compiler:
    """A jail in which every compile goes the same way."""

    exit_code: int = 0
    cubin: Captured = field(default_factory=lambda: Captured(b"image"))
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
            stderr=Captured(b"hash.cuh(3): error: \x1b[31mno\n"),
            outputs={"cubin": self.cubin, "steps": Captured(b"")},
            seconds=1.0,
        )


def test_an_image_is_built_once_for_each_target_and_then_read(tmp_path: Path) -> None:
    compiler = Compiler()
    cubins = TrustedCubins(compiler, TOOLCHAIN, tmp_path)
    assert cubins.built(Target.HOPPER) == b"image"
    assert cubins.built(Target.HOPPER) == b"image"
    assert len(compiler.commands) == 1
    assert cubins.built(Target.BLACKWELL) == b"image"
    assert len(compiler.commands) == 2


def test_another_toolchain_builds_anew(tmp_path: Path) -> None:
    compiler = Compiler()
    TrustedCubins(compiler, TOOLCHAIN, tmp_path).built(Target.HOPPER)
    TrustedCubins(compiler, replace(TOOLCHAIN, identity="id2"), tmp_path).built(Target.HOPPER)
    assert len(compiler.commands) == 2


def test_a_damaged_image_is_built_anew(tmp_path: Path) -> None:
    compiler = Compiler()
    cubins = TrustedCubins(compiler, TOOLCHAIN, tmp_path)
    cubins.built(Target.HOPPER)
    (kept,) = tmp_path.glob("*.trusted")
    kept.write_bytes(kept.read_bytes()[:-1] + b"!")
    assert cubins.built(Target.HOPPER) == b"image"
    assert len(compiler.commands) == 2


@pytest.mark.parametrize(
    "compiler",
    [
        Compiler(exit_code=1),
        Compiler(cubin=Captured(b"")),
        Compiler(cubin=Captured(b"im", dropped=3)),
    ],
    ids=["failed", "empty", "cut"],
)
def test_an_image_that_does_not_come_is_our_own_failure_in_clean_words(
    compiler: Compiler, tmp_path: Path
) -> None:
    with pytest.raises(ToolFailure) as caught:
        TrustedCubins(compiler, TOOLCHAIN, tmp_path).built(Target.HOPPER)
    assert "hash.cuh(3): error: no" in caught.value.what
    assert caught.value.action
    assert not list(tmp_path.glob("*.trusted"))


def test_the_jail_gets_every_source_and_the_main_one_under_the_fixed_name(tmp_path: Path) -> None:
    compiler = Compiler()
    TrustedCubins(compiler, TOOLCHAIN, tmp_path).built(Target.BLACKWELL)
    (command,) = compiler.commands
    placed = {file.destination: file.content for file in command.files}
    sources = dict(trusted_sources())
    assert placed["/w/kernel.cu"] == sources["trusted.cu"]
    assert all(placed[f"/w/{name}"] == sources[name] for name in sources if name.endswith(".cuh"))
    assert b"-arch=sm_100a" in placed["/w/steps"]


@pytest.mark.toolchain
@pytest.mark.parametrize(("target", "sm"), [(Target.HOPPER, 90), (Target.BLACKWELL, 100)])
def test_the_built_image_has_the_kernels_and_parameters_that_the_wrapper_launches(
    jail: Bubblewrap, toolchain: Toolchain, tmp_path: Path, target: Target, sm: int
) -> None:
    facts = read_cubin(TrustedCubins(jail, toolchain, tmp_path).built(target))
    assert facts.sm == sm
    assert facts.externs == ()
    built = {
        one.name: (
            tuple(each.size for each in sorted(one.parameters, key=lambda each: each.ordinal)),
            one.max_threads,
        )
        for one in facts.functions
    }
    assert built == {kernel.name: (kernel.sizes, kernel.threads) for kernel in KERNELS}


@pytest.mark.toolchain
def test_two_builds_give_the_same_bytes(
    jail: Bubblewrap, toolchain: Toolchain, tmp_path: Path
) -> None:
    hashes = set()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        built = TrustedCubins(jail, toolchain, tmp_path / name).built(Target.HOPPER)
        hashes.add(hashlib.sha256(built).hexdigest())
    assert len(hashes) == 1
