"""What a launcher needs of its host: an interpreter with cuda-bindings, the driver's libraries and device nodes."""

import importlib.util
import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluation.core.errors import ToolMissing
from evaluation.core.launching.port import Gpu

DRIVER_LIBRARY: Final = "libcuda.so.1"
_DRIVER_FOLDERS: Final = (
    Path("/usr/lib/x86_64-linux-gnu"),
    Path("/usr/lib64"),
    Path("/usr/local/nvidia/lib64"),
    Path("/usr/lib/wsl/lib"),
)
_PACKAGES: Final = ("bindings", "pathfinder")  # of the folder ``cuda``; newer bindings need both
_NODES: Final = ("/dev/nvidiactl", "/dev/nvidia-uvm")
_NODE_OF_TOOLS: Final = Path("/dev/nvidia-uvm-tools")


@dataclass(frozen=True, slots=True)
class LauncherRuntime:
    """Where it all is on this host.

    ``python`` is the interpreter's real file and ``folders`` what it reads beside /usr; ``packages`` are the folders
    that cuda-bindings is made of, by name; ``driver`` holds libcuda.so.1.
    """

    python: Path
    folders: tuple[Path, ...]
    packages: tuple[tuple[str, Path], ...]
    driver: Path

    @property
    def site(self) -> Path:
        """The folder to import ``cuda`` from where nothing is bound."""
        return self.packages[0][1].parent.parent


def find_runtime(
    *,
    python: Path | None = None,
    driver_folders: Iterable[Path] | None = None,
) -> LauncherRuntime:
    """Take an interpreter of this one's version, for which the bindings are compiled, with this one's cuda-bindings.

    Unless ``python`` names one, that is this one, or the system's where this one lies in somebody's home: a jail has a
    user of its own. The driver is the one that this process has loaded, or stands in one of its usual folders or of
    those that are given. Raise ToolMissing.
    """
    real = _interpreter() if python is None else python.resolve()
    own = real == Path(sys.executable).resolve()
    prefix = Path(sys.base_prefix).resolve() if own else real.parent.parent
    return LauncherRuntime(
        python=real,
        folders=() if prefix == Path("/usr") else (prefix,),
        packages=_packages(),
        driver=_driver_folder(driver_folders),
    )


def _loaded() -> Iterator[Path]:
    """The folder of the driver library that this process has loaded, if it has."""
    for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
        place = Path(line[line.find("/") :]) if "/" in line else Path()
        if place.name.startswith("libcuda.so"):
            yield place.parent


def _interpreter() -> Path:
    own = Path(sys.executable).resolve()
    system = Path(f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")
    if all(path.stat().st_mode & stat.S_IXOTH for path in (own, *own.parents)):
        return own
    return system.resolve() if system.exists() else own


def device_nodes(gpu: Gpu) -> tuple[str, ...]:
    """The nodes of one GPU; what other nodes the host has, a launcher does not see."""
    tools = (str(_NODE_OF_TOOLS),) if _NODE_OF_TOOLS.exists() else ()
    return (f"/dev/nvidia{gpu.minor}", *_NODES, *tools)


def environment(
    gpu: Gpu, runtime: LauncherRuntime, cupti: Path | None = None
) -> tuple[tuple[str, str], ...]:
    """All variables of a launcher. The driver shows it one GPU and loads images at once; no image of ours holds PTX.

    Not CUDA_DISABLE_PTX_JIT: with it CUPTI's range profiler does not start (status 999, driver 580.159.04).

    ``cupti`` is CUPTI's library: it looks for libnvperf_host.so by name alone, and without a cache of the linker's in
    the jail it finds none beside itself (CUPTI_ERROR_NOT_INITIALIZED).
    """
    libraries = (runtime.driver, *(() if cupti is None else (cupti.parent,)))
    return (
        ("CUDA_CACHE_DISABLE", "1"),
        ("CUDA_MODULE_LOADING", "EAGER"),
        ("CUDA_VISIBLE_DEVICES", gpu.uuid),
        ("LC_ALL", "C.UTF-8"),
        ("LD_LIBRARY_PATH", ":".join(map(str, libraries))),
    )


def _packages() -> tuple[tuple[str, Path], ...]:
    found = []
    for name in _PACKAGES:
        try:
            spec = importlib.util.find_spec(f"cuda.{name}")
        except ModuleNotFoundError:
            spec = None
        if spec is not None and spec.submodule_search_locations:
            found.append((name, Path(next(iter(spec.submodule_search_locations))).resolve()))
    if not found or found[0][0] != _PACKAGES[0]:
        raise ToolMissing(
            "cuda-bindings is not installed for this interpreter",
            action="pip install 'cuda-bindings>=13.0,<13.1'",
        )
    return tuple(found)


def _driver_folder(folders: Iterable[Path] | None) -> Path:
    for folder in (*_loaded(), *_DRIVER_FOLDERS) if folders is None else folders:
        if (folder / DRIVER_LIBRARY).exists():
            return folder.resolve()
    raise ToolMissing(
        f"{DRIVER_LIBRARY} is in none of the driver's usual folders",
        action="install the NVIDIA driver, or in a container mount its libraries",
    )
