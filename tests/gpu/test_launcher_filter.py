"""The system call filter of a launcher's jail against a real driver; where it denies too much, which calls are needed."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluation.adapters import jail_ends, seccomp
from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.launcher_client import Deadlines
from evaluation.adapters.gpu.launcher_runtime import find_runtime
from evaluation.adapters.gpu.launchers import (
    Confinement,
    Jailed,
    ProcessLaunchers,
    jail_for,
)
from evaluation.adapters.gpu.nvml import Nvml
from evaluation.adapters.slots import Slots
from evaluation.core.errors import CannotJail, ToolFailure
from evaluation.core.launching.port import Gpu

from .measuring import UNCONFINED
from .packed import Pack

pytestmark = pytest.mark.gpu

Works = Callable[[frozenset[str]], bool]
DENIED = frozenset(name for name, _ in seccomp.DENIED)


@pytest.fixture
def works(gpu: int, pack: Pack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Works:
    """Say whether a launcher starts while the calls of these names are denied."""
    if os.environ.get(UNCONFINED) == "1" or not shutil.which("bwrap"):
        pytest.skip("this host is said to have no jail, or has no bwrap")
    driver.start()
    uuid = driver.device_facts(gpu).uuid
    which = Gpu(Nvml(uuid).minor, uuid)
    runtime = find_runtime()
    spawn = Jailed(jail_for(runtime, None, Slots(tmp_path / "slots")), runtime)
    launchers = ProcessLaunchers(
        spawn, pack.trusted(), Deadlines(set_up=20, call=10), Confinement.JAIL
    )

    def starts(denied: frozenset[str]) -> bool:
        numbers = tuple(number for name, number in seccomp.DENIED if name in denied)
        monkeypatch.setattr(jail_ends, "device_filter", lambda: seccomp._filter(numbers))
        try:
            launchers.start(which).end()
        except CannotJail:
            raise
        except ToolFailure:
            return False
        return True

    return starts


def needed(works: Works, names: frozenset[str]) -> frozenset[str]:
    """Give the names among ``names`` without which a launcher does not start, each for itself."""
    if works(names):
        return frozenset()
    if len(names) == 1:
        return names
    ordered = sorted(names)
    half = len(ordered) // 2
    parts = (frozenset(ordered[:half]), frozenset(ordered[half:]))
    return frozenset().union(*(needed(works, part) for part in parts))


def test_the_driver_works_behind_the_filter(works: Works) -> None:
    assert works(frozenset()), "a launcher does not start in its jail even without a filter"
    assert needed(works, DENIED - seccomp.FOR_DEVICES) == frozenset()


def test_what_the_filter_lets_through_for_the_driver_is_told(
    works: Works, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not a rule: a driver may need less tomorrow, and then the filter can deny more."""
    found = needed(works, DENIED)
    with capsys.disabled():
        print(f"\nneeded of the denied calls: {', '.join(sorted(found)) or 'none'}")  # noqa: T201 - for a person
    assert found <= seccomp.FOR_DEVICES
