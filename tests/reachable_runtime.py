"""A launcher's runtime that a jail's own user can reach, wherever this interpreter and its packages lie."""

import shutil
import stat
import sys
from dataclasses import replace
from pathlib import Path

from evaluation.adapters.gpu.launcher_runtime import LauncherRuntime, find_runtime

# cuda-bindings are compiled for one version of Python: ours.
SYSTEM_PYTHON = Path(f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")


def reachable_runtime(driver: Path, room: Path) -> LauncherRuntime:
    """The system's interpreter over the driver in ``driver``; packages in somebody's home are copied into ``room``."""
    found = find_runtime(python=SYSTEM_PYTHON, driver_folders=[driver])
    if all(_is_reachable(place) for _, place in found.packages):
        return found
    copies = tuple((name, room / "cuda" / name) for name, _ in found.packages)
    for (_, place), (_, copy) in zip(found.packages, copies, strict=True):
        shutil.copytree(place, copy)
    return replace(found, packages=copies)


def _is_reachable(folder: Path) -> bool:
    return all(path.stat().st_mode & stat.S_IXOTH for path in (folder, *folder.parents))
