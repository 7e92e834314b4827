"""The pinned CUDA toolchain: where it is, what of it a jail sees, and the id that stands for all of it."""

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from evaluation.core.errors import ToolFailure, ToolMissing
from evaluation.core.ports import Bind, Jail, JailCommand, Limits

_INSTALL = "run bin/install-toolchain"

NVDISASM = "/toolchain/bin/nvdisasm"

# The C headers that the slim C++ headers stand on.
_C_HEADERS = ("tvm/ffi/c_api.h", "tvm/ffi/extra/c_env_api.h", "dlpack")
_PACKAGE = re.compile(r"(?P<name>[a-z0-9_]+)-(?P<version>[0-9][0-9a-z.]*)\.dist-info\Z")
_GCC_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")

VERSION_LIMITS = Limits(
    wall_seconds=20,
    cpu_seconds=10,
    memory_bytes=1 << 30,
    file_bytes=1 << 20,
    scratch_bytes=1 << 20,
    processes=16,
    open_files=64,
    stdout_bytes=16 * 1024,
    stderr_bytes=16 * 1024,
)
_VERSION_SCRIPT = """\
set -e
/usr/bin/gcc -dumpfullversion
/usr/bin/g++ --version | /usr/bin/head -n 1
/usr/bin/ld --version | /usr/bin/head -n 1
/usr/bin/as --version | /usr/bin/head -n 1
/usr/bin/ldd --version | /usr/bin/head -n 1
"""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """An installed toolchain whose bytes have been read. ``identity`` is the toolchain id of every result."""

    root: Path
    identity: str
    gnu_version: int  # of g++ as the front ends want it: 120200
    packages: tuple[tuple[str, str], ...]
    host_tools: tuple[str, ...]  # version lines of gcc, g++, ld, as, libc

    def compile_binds(self) -> tuple[Bind, ...]:
        """What a compile sees: tools and headers, but neither CUB nor Thrust, which come with the same package."""
        cuda, tvm = self.root / "nvidia/cu13", self.root / "tvm_ffi"
        return (
            *self.tool_binds(),
            _bind(cuda / "nvvm", "/toolchain/nvvm"),
            _bind(cuda / "include", "/toolchain/include"),
            _bind(self.root / "empty", "/toolchain/include/cccl"),
            _bind(cuda / "include/cccl/cuda", "/toolchain/cccl/cuda"),
            _bind(cuda / "include/cccl/nv", "/toolchain/cccl/nv"),
            _bind(tvm / "include", "/toolchain/tvm/include"),
            *(_bind(tvm / "include" / name, f"/capi/{name}") for name in _C_HEADERS),
            *self.runtime_binds(),
        )

    def tool_binds(self) -> tuple[Bind, ...]:
        """nvdisasm, cuobjdump and their like."""
        return (_bind(self.root / "nvidia/cu13/bin", "/toolchain/bin"),)

    def runtime_binds(self) -> tuple[Bind, ...]:
        """libtvm_ffi.so, which every host library needs."""
        return (_bind(self.root / "tvm_ffi/lib", "/toolchain/tvm/lib"),)


def toolchain_directory(toolchains: Path, requirements: bytes) -> Path:
    """The place of the toolchain that this content of requirements/toolchain.txt stands for."""
    return toolchains / hashlib.sha256(requirements).hexdigest()[:16]


def locate(toolchains: Path, requirements: bytes) -> Path:
    """Return the installed toolchain's folder. Raise ToolMissing with what to do."""
    root = toolchain_directory(toolchains, requirements)
    if not (root / "complete").exists():
        raise ToolMissing(f"the CUDA toolchain is not installed in {root}", action=_INSTALL)
    for path in _tools(root):
        if not os.access(path, os.X_OK):
            raise ToolMissing(
                f"{path} is missing or not executable", action=f"remove {root} and {_INSTALL}"
            )
    return root


def identify(root: Path, jail: Jail, *, native: str) -> Toolchain:
    """Read the whole toolchain once and give it its id. ``native`` is the hash of our own native sources.

    The id covers package versions, every byte of tools and headers, and the version lines of the host's compiler,
    linker and C library. Takes about half a second.
    """
    lines = _host_tools(jail)
    version = _GCC_VERSION.match(lines[0])
    if version is None:
        raise ToolFailure(
            f"gcc states an odd version: {lines[0][:40]!r}", action="apt-get install g++"
        )
    packages = _packages(root)
    stated = {
        "packages": packages,
        "files": [[str(path.relative_to(root)), _sha256(path)] for path in _files(root)],
        "host": lines,
        "native": native,
    }
    canonical = json.dumps(stated, sort_keys=True, separators=(",", ":")).encode()
    major, minor, patch = (int(part) for part in version.groups())
    return Toolchain(
        root=root,
        identity=hashlib.sha256(canonical).hexdigest(),
        gnu_version=major * 10_000 + minor * 100 + patch,
        packages=packages,
        host_tools=lines,
    )


def _bind(source: Path, destination: str) -> Bind:
    return Bind(PurePosixPath(source), destination)


def _tools(root: Path) -> tuple[Path, ...]:
    cuda = root / "nvidia/cu13"
    names = ("bin/cudafe++", "nvvm/bin/cicc", "bin/ptxas", "bin/nvdisasm", "bin/cuobjdump")
    return tuple(cuda / name for name in names)


def _files(root: Path) -> tuple[Path, ...]:
    """Everything that can change a product, in one order on every machine."""
    cuda, tvm = root / "nvidia/cu13", root / "tvm_ffi"
    folders = (cuda / "include", cuda / "nvvm/libdevice", tvm / "include", tvm / "lib")
    inside = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return tuple(sorted((*_tools(root), *inside)))


def _packages(root: Path) -> tuple[tuple[str, str], ...]:
    names = (_PACKAGE.match(path.name) for path in sorted(root.glob("*.dist-info")))
    return tuple((match["name"], match["version"]) for match in names if match)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _host_tools(jail: Jail) -> tuple[str, ...]:
    result = jail.run(
        JailCommand(
            ("/usr/bin/bash", "-c", _VERSION_SCRIPT),
            VERSION_LIMITS,
            environment=(("PATH", "/usr/bin"), ("LC_ALL", "C")),
        )
    )
    lines = tuple(result.stdout.content.decode(errors="replace").splitlines())
    if not result.clean or not lines:
        raise ToolMissing("g++ or binutils do not work in the jail", action="apt-get install g++")
    return lines
