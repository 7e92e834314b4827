"""Finding the toolchain, the id that stands for it, and what of it a jail sees."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.adapters import doctor
from evaluation.adapters.nvcc import Nvcc
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain, identify, locate, toolchain_directory
from evaluation.core.errors import CannotJail, ToolFailure, ToolMissing
from evaluation.core.ports import Captured, JailCommand, JailResult, Limits

TOOLS = (
    "nvidia/cu13/bin/cudafe++",
    "nvidia/cu13/nvvm/bin/cicc",
    "nvidia/cu13/bin/ptxas",
    "nvidia/cu13/bin/nvdisasm",
    "nvidia/cu13/bin/cuobjdump",
)


class Says:
    """A jail whose command says these words."""

    def __init__(self, words: bytes, exit_code: int = 0) -> None:
        self.words = words
        self.exit_code = exit_code

    def run(self, command: JailCommand) -> JailResult:
        assert command.argv
        said, nothing = Captured(self.words), Captured(b"")
        return JailResult(
            exit_code=self.exit_code,
            signal=None,
            timed_out=False,
            cpu_exhausted=False,
            memory_exhausted=False,
            stdout=said,
            stderr=nothing,
            outputs={},
            seconds=0.01,
        )


VERSIONS = Says(
    b"12.2.0\ng++ (Debian 12.2.0-14) 12.2.0\nGNU ld 2.40\nGNU assembler 2.40\nldd 2.36\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small stand-in for an installed toolchain."""
    root = toolchain_directory(tmp_path, b"requirements")
    for tool in TOOLS:
        (root / tool).parent.mkdir(parents=True, exist_ok=True)
        (root / tool).write_bytes(tool.encode())
        (root / tool).chmod(0o755)
    for name in (
        "nvidia/cu13/include/mma.h",
        "nvidia/cu13/nvvm/libdevice/a.bc",
        "tvm_ffi/include/a.h",
        "tvm_ffi/lib/l.so",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(name.encode())
    (root / "nvidia_nvvm-13.0.88.dist-info").mkdir()
    (root / "apache_tvm_ffi-0.1.15.post2.dist-info").mkdir()
    (root / "complete").touch()
    return root


def test_the_folder_follows_from_the_content_of_the_requirements() -> None:
    found = toolchain_directory(Path("/var/lib/ptxboard/toolchains"), b"abc")

    assert found == Path("/var/lib/ptxboard/toolchains/ba7816bf8f01cfea")


def test_an_installed_toolchain_is_found(root: Path) -> None:
    assert locate(root.parent, b"requirements") == root


@pytest.mark.toolchain
def test_everything_that_is_installed_has_one_time(toolchain: Toolchain) -> None:
    """The line table of a cubin has the times of headers (rule R8: equal inputs, equal bytes)."""
    times = {int(one.lstat().st_mtime) for one in toolchain.root.rglob("*") if not one.is_dir()}
    assert times == {946_684_800}  # 2000-01-01, as bin/install-toolchain gives it


def test_other_requirements_are_another_toolchain(root: Path) -> None:
    with pytest.raises(ToolMissing, match="is not installed in") as missing:
        locate(root.parent, b"newer requirements")

    assert missing.value.action == "run bin/install-toolchain"


def test_an_installation_that_was_cut_short_is_not_used(root: Path) -> None:
    (root / "complete").unlink()

    with pytest.raises(ToolMissing, match="is not installed in"):
        locate(root.parent, b"requirements")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_that_cannot_be_started_is_named(root: Path, tool: str) -> None:
    (root / tool).chmod(0o644)

    with pytest.raises(ToolMissing, match=tool.rpartition("/")[2].replace("+", r"\+")):
        locate(root.parent, b"requirements")


def test_the_toolchain_says_what_it_is_made_of(root: Path) -> None:
    toolchain = identify(root, VERSIONS, native="n")

    assert toolchain.gnu_version == 120200
    assert toolchain.packages == (("apache_tvm_ffi", "0.1.15.post2"), ("nvidia_nvvm", "13.0.88"))
    assert toolchain.host_tools[2] == "GNU ld 2.40"
    assert len(toolchain.identity) == 64


def test_the_id_does_not_depend_on_where_and_when_it_was_installed(
    root: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(root, copy)

    assert (
        identify(copy, VERSIONS, native="n").identity
        == identify(root, VERSIONS, native="n").identity
    )


@pytest.mark.parametrize(
    "name",
    [
        "nvidia/cu13/bin/ptxas",
        "nvidia/cu13/bin/nvdisasm",
        "nvidia/cu13/include/mma.h",
        "nvidia/cu13/nvvm/libdevice/a.bc",
        "tvm_ffi/include/a.h",
        "tvm_ffi/lib/l.so",
    ],
)
def test_one_byte_anywhere_is_another_id(root: Path, name: str) -> None:
    before = identify(root, VERSIONS, native="n").identity
    (root / name).write_bytes((root / name).read_bytes() + b"x")

    assert identify(root, VERSIONS, native="n").identity != before


def test_versions_of_the_host_and_our_own_sources_are_in_the_id(root: Path) -> None:
    newer = Says(VERSIONS.words.replace(b"ldd 2.36", b"ldd 2.41"))
    identities = {
        identify(root, VERSIONS, native="n").identity,
        identify(root, VERSIONS, native="m").identity,
        identify(root, newer, native="n").identity,
    }

    assert len(identities) == 3


@pytest.mark.parametrize("jail", [Says(b""), Says(b"12.2.0\n", exit_code=127)])
def test_a_host_without_a_compiler_is_told_what_to_install(root: Path, jail: Says) -> None:
    with pytest.raises(ToolMissing) as missing:
        identify(root, jail, native="n")

    assert missing.value.action == "apt-get install g++"


def test_a_compiler_with_an_odd_version_is_our_failure(root: Path) -> None:
    with pytest.raises(ToolFailure, match="odd version: 'gcc, the'"):
        identify(root, Says(b"gcc, the\n"), native="n")


# With the real one

SMALL = Limits(30, 10, 1 << 30, 1 << 20, 1 << 20, 16, 64, 64 << 10, 64 << 10)


@pytest.mark.toolchain
def test_the_jail_sees_neither_cub_nor_thrust(jail: Bubblewrap, toolchain: Toolchain) -> None:
    look = "ls /toolchain/cccl /toolchain/include/cccl /capi /capi/tvm/ffi /toolchain; ls -d /usr/local /opt /var"
    command = JailCommand(("/usr/bin/bash", "-c", look), SMALL, binds=toolchain.compile_binds())

    result = jail.run(command)

    assert result.stdout.content.decode().split() == [
        *("/capi:", "dlpack", "tvm"),
        *("/capi/tvm/ffi:", "c_api.h", "extra"),
        *("/toolchain:", "bin", "cccl", "include", "nvvm", "tvm"),
        *("/toolchain/cccl:", "cuda", "nv"),
        "/toolchain/include/cccl:",
    ]


@pytest.fixture
def copied_jail(jail: Bubblewrap) -> Iterator[tuple[Bubblewrap, Path]]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Bubblewrap((Path(name),), jail.slots), Path(name)


@pytest.mark.toolchain
def test_a_missing_folder_of_the_toolchain_is_named_and_nothing_runs(
    copied_jail: tuple[Bubblewrap, Path],
) -> None:
    jail, home = copied_jail
    toolchain = Toolchain(home / "gone", "id", 120200, (), ())

    with pytest.raises(CannotJail, match="gone/nvidia/cu13/bin is missing") as refused:
        jail.run(JailCommand(("/usr/bin/true",), SMALL, binds=toolchain.compile_binds()))

    assert refused.value.action == "run bin/install-toolchain"


@pytest.mark.toolchain
def test_doctor_finds_this_host_in_order(
    jail: Bubblewrap, toolchain: Toolchain, compiler: Nvcc
) -> None:
    checks = (
        doctor.check_jail(jail),
        doctor.check_memory_bound(),
        *doctor.check_toolchain(toolchain, jail),
        doctor.check_build(compiler),
    )

    assert [check.name for check in checks if not check.ok] == []
    assert {check.name for check in checks} == {
        *("jail", "cgroup", "toolchain", "host compiler", "ptxas", "nvdisasm", "headers", "build")
    }
    assert checks[-1].detail.startswith("two builds are equal; ")


class Broken:
    def run(self, command: JailCommand) -> JailResult:
        raise CannotJail(f"no jail for {command.argv[0]}", action="allow user namespaces")


def test_doctor_says_what_to_do_where_there_is_no_jail(root: Path) -> None:
    toolchain = Toolchain(root, "id", 120200, (), ("12.2.0", "g++"))
    nvcc = Nvcc(Broken(), toolchain, ())

    checks = (
        doctor.check_jail(Broken()),
        *doctor.check_toolchain(toolchain, Broken()),
        doctor.check_build(nvcc),
    )

    assert [(check.name, check.action) for check in checks if not check.ok] == [
        ("jail", "allow user namespaces"),
        ("ptxas", "allow user namespaces"),
        ("nvdisasm", "allow user namespaces"),
        ("build", "allow user namespaces"),
    ]


def test_the_installed_requirements_are_pinned_by_hash() -> None:
    lines = (Path(__file__).parents[2] / "requirements/toolchain.txt").read_text().splitlines()

    pins = [line for line in lines if "==" in line]
    assert len(pins) == 8
    assert all(line.endswith("\\") for line in pins)
