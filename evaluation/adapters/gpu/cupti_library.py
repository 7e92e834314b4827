"""Where CUPTI is on this host, and our native library over it, compiled once in a jail and kept by what went in."""

import hashlib
import importlib.metadata
import importlib.resources
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluation.adapters.kept import COMPILE_ENVIRONMENT, kept
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.compile.diagnostics import clean
from evaluation.core.errors import ToolFailure, ToolMissing
from evaluation.core.ports import Jail, JailCommand, JailFile, Limits, Output

COUNTERS_LIBRARY: Final = "libptxboard-counters.so"

_PACKAGE: Final = "nvidia-cuda-cupti"
_LIBRARY: Final = "libcupti.so.13"
_HEADERS: Final = (
    "cupti_profiler_host.h",
    "cupti_profiler_target.h",
    "cupti_range_profiler.h",
    "cupti_result.h",
    "cupti_target.h",
)
_TOOLKITS: Final = (Path("/usr/local/cuda"),)
# Where a toolkit keeps library and headers, relative to its root.
_TOOLKIT_PLACES: Final = (
    ("extras/CUPTI/lib64", "extras/CUPTI/include"),
    ("lib64", "include"),
)
_KIND: Final = b"ptxboard-counters-1"
_MADE: Final = Output("library", fd=10, limit_bytes=8 << 20)
LIMITS: Final = Limits(
    wall_seconds=120.0,  # a few seconds on an idle machine of two cores
    cpu_seconds=120,
    memory_bytes=2 << 30,
    file_bytes=64 << 20,
    scratch_bytes=64 << 20,
    processes=16,
    open_files=64,
    stdout_bytes=1024,
    stderr_bytes=64 * 1024,
)
# The C++ runtime is the loading process's: cuda-bindings needs it there too, and a static one wants a newer C library.
_SCRIPT: Final = f"""\
set -e
/usr/bin/g++ -std=c++17 -O2 -fPIC -shared -fvisibility=hidden -fno-exceptions -fno-rtti -frandom-seed=counters \\
  -Wall -Wextra -Werror -isystem /w/cupti -isystem /toolchain/include -o {COUNTERS_LIBRARY} /w/counters/*.cpp \\
  -Wl,-soname,{COUNTERS_LIBRARY} -Wl,--build-id=none -Wl,-z,defs -Wl,-z,now -Wl,-z,relro
/usr/bin/cat {COUNTERS_LIBRARY} >&{_MADE.fd}
"""


@dataclass(frozen=True, slots=True)
class CuptiPlace:
    """CUPTI on this host. ``library`` loads libnvperf_host.so from its own folder, so a jail needs the folder."""

    library: Path
    include: Path


def find_cupti(toolkits: Iterable[Path] = _TOOLKITS) -> CuptiPlace:
    """Find the pip package or, after it, a toolkit with CUPTI 13. Raise ToolMissing where there is neither."""
    for library, include in (*_packaged(), *_installed(toolkits)):
        needed = (library, *(include / name for name in _HEADERS))
        if all(os.access(path, os.R_OK) for path in needed):
            return CuptiPlace(library.resolve(), include.resolve())
    raise ToolMissing(
        f"{_LIBRARY} is not on this host, or not readable for this user",
        action=f"pip install '{_PACKAGE}>=13.0,<13.1' into this environment",
    )


def _packaged() -> Iterator[tuple[Path, Path]]:
    try:
        package = importlib.metadata.distribution(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return
    root = Path(str(package.locate_file("nvidia/cu13")))
    yield root / "lib" / _LIBRARY, root / "include"


def _installed(toolkits: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    for root in toolkits:
        for library, include in _TOOLKIT_PLACES:
            yield root / library / _LIBRARY, root / include


@dataclass(frozen=True, slots=True)
class CountersLibrary:
    """Builds in ``jail`` against ``cupti``'s headers and keeps in ``directory``; two workers at once build once."""

    jail: Jail
    toolchain: Toolchain
    cupti: CuptiPlace
    directory: Path

    def built(self) -> bytes:
        """Return the shared library. Raise ToolFailure when it does not compile."""
        return kept(self.directory / f"{self._key()}.counters", _KIND, self._build)

    def _key(self) -> str:
        digest = hashlib.sha256(
            "\n".join((self.toolchain.identity, _SCRIPT, repr(COMPILE_ENVIRONMENT))).encode()
        )
        for file in self._sources():
            digest.update(f"{file.destination} {len(file.content)}\n".encode())
            digest.update(file.content)
        return digest.hexdigest()

    def _sources(self) -> tuple[JailFile, ...]:
        """Our files and CUPTI's headers, by bytes: the headers may lie where no jail may look."""
        folder = importlib.resources.files("evaluation") / "native/counters"
        entries = sorted(folder.iterdir(), key=lambda one: one.name)
        return (
            *(
                JailFile(f"/w/counters/{one.name}", one.read_bytes())
                for one in entries
                if one.name.endswith((".cpp", ".h"))
            ),
            *(
                JailFile(f"/w/cupti/{name}", (self.cupti.include / name).read_bytes())
                for name in _HEADERS
            ),
        )

    def _build(self) -> bytes:
        result = self.jail.run(
            JailCommand(
                argv=("/usr/bin/bash", "/w/build"),
                limits=LIMITS,
                binds=self.toolchain.compile_binds(),
                files=(*self._sources(), JailFile("/w/build", _SCRIPT.encode())),
                outputs=(_MADE,),
                environment=COMPILE_ENVIRONMENT,
            )
        )
        made = result.outputs[_MADE.name].content
        if not result.clean or not made:
            raise ToolFailure(
                f"the counters library does not compile: {clean(result.stderr.content)[-2000:]}",
                action="run ptxboard doctor; headers of a CUPTI other than 13.0 may need a change of the library",
            )
        return made
