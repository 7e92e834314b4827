"""Launchers of a test: in their jail, or without one where PTXBOARD_UNCONFINED is 1."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.launcher_client import Deadlines, LauncherClient
from evaluation.adapters.gpu.launcher_runtime import find_runtime
from evaluation.adapters.gpu.launchers import (
    Confinement,
    Jailed,
    ProcessLaunchers,
    Unjailed,
    jail_for,
)
from evaluation.adapters.gpu.nvml import Nvml
from evaluation.adapters.slots import Slots
from evaluation.core.launching.port import Gpu

from .measuring import UNCONFINED
from .packed import Pack

UNCONFINED_HERE = os.environ.get(UNCONFINED) == "1"
DEADLINES = Deadlines(set_up=20, call=10)

Start = Callable[..., LauncherClient]


def gpu_of(device: int) -> Gpu:
    uuid = driver.device_facts(device).uuid
    nvml = Nvml(uuid)
    try:
        return Gpu(nvml.minor, uuid)
    finally:
        nvml.close()


@contextmanager
def starting(which: Gpu, pack: Pack, slots: Path) -> Iterator[Start]:
    """Give a function that starts a launcher; all that it started end with the block."""
    running: list[LauncherClient] = []

    def begin(deadlines: Deadlines = DEADLINES) -> LauncherClient:
        runtime = find_runtime()
        confinement = Confinement.NONE if UNCONFINED_HERE else Confinement.JAIL
        spawn: Jailed | Unjailed = Unjailed(runtime)
        if confinement is Confinement.JAIL:
            spawn = Jailed(jail_for(runtime, None, Slots(slots)), runtime)
        launchers = ProcessLaunchers(spawn, pack.trusted(), deadlines, confinement)
        running.append(launchers.start(which))
        return running[-1]

    try:
        yield begin
    finally:
        for one in running:
            one.kill()
