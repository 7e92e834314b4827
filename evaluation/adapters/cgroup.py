"""Control groups for jails: a bound on memory and processes of all of one jail together, where the host lets us.

Version 1 has a tree for each controller, version 2 one for all. A host that hands us neither is served by rlimits
alone; ``doctor`` says which.
"""

import contextlib
from dataclasses import dataclass
from pathlib import Path

_MOUNT = Path("/sys/fs/cgroup")
_OWN = Path("/proc/self/cgroup")
_OVERHEAD_PROCESSES = 6  # setpriv, bwrap, its init and their short-lived children


@dataclass(frozen=True, slots=True)
class Shortage:
    """What the kernel did about memory. Kills in other groups do not show here: they say nothing about this jail."""

    kills: int  # processes killed for lack of memory: in the jail's group, on the whole host where it has none
    # How often the group met its own bound (version 1 says 0 or 1). A kill without that was for the host's shortage.
    refusals: int = 0

    def __sub__(self, before: "Shortage") -> "Shortage":
        return Shortage(self.kills - before.kills, self.refusals - before.refusals)


@dataclass(frozen=True, slots=True)
class Group:
    """One jail's group. ``directories`` are the same group in each tree; the first one knows about memory."""

    version: int
    directories: tuple[Path, ...]

    def add(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended already
            for directory in self.directories:
                (directory / "cgroup.procs").write_text(str(pid))

    def shortage(self) -> Shortage:
        memory = self.directories[0]
        if self.version == 2:
            return Shortage(
                _count(memory / "memory.events", "oom_kill"),
                _count(memory / "memory.events", "oom"),
            )
        # Not memory.failcnt: Linux 6.18 no longer counts for memory and swap together.
        peak, bound = (
            int((memory / f"memory.{name}_in_bytes").read_text()) for name in ("max_usage", "limit")
        )
        met = peak * 100 >= bound * 99
        return Shortage(_count(memory / "memory.oom_control", "oom_kill"), int(met))

    def remove(self) -> None:
        """Remove the empty group; one that is still busy is reused by the next jail of this slot."""
        for directory in self.directories:
            with contextlib.suppress(OSError):
                directory.rmdir()


def shortage_of_host() -> Shortage:
    """For a jail without a group: kills of any process of this host."""
    return Shortage(_count(Path("/proc/vmstat"), "oom_kill"))


def create(
    name: str, *, memory_bytes: int, processes: int, mount: Path = _MOUNT, own: Path = _OWN
) -> Group | None:
    """Make a group named ``name`` below our own, or say None where the host does not let us."""
    for version, parents in _candidates(mount, own):
        directories = tuple(parent / name for parent in parents)
        group = Group(version, directories)
        try:
            for directory in directories:
                directory.mkdir(exist_ok=True)
            _limit(group, memory_bytes=memory_bytes, processes=processes)
        except OSError:
            group.remove()
        else:
            return group
    return None


def _count(table: Path, name: str) -> int:
    """Read one row of a table of words and numbers."""
    rows = (line.partition(" ") for line in table.read_text().splitlines())
    return next((int(count) for word, _, count in rows if word == name), 0)


def _limit(group: Group, *, memory_bytes: int, processes: int) -> None:
    memory, pids = group.directories[0], group.directories[-1]
    (pids / "pids.max").write_text(str(processes + _OVERHEAD_PROCESSES))
    if group.version == 1:
        (memory / "memory.limit_in_bytes").write_text(str(memory_bytes))
        (memory / "memory.max_usage_in_bytes").write_text("0")  # a group may have served before
        swap = memory / "memory.memsw.limit_in_bytes"
    else:
        (memory / "memory.max").write_text(str(memory_bytes))
        swap = memory / "memory.swap.max"
    if swap.exists():  # absent where the kernel does not account swap
        swap.write_text(str(memory_bytes if group.version == 1 else 0))


def _candidates(mount: Path, own: Path) -> list[tuple[int, tuple[Path, ...]]]:
    """Places where a group may be made: ours, the one above (ours may hold processes), the top of the tree."""
    paths = _paths(own)
    if (mount / "cgroup.controllers").exists():
        here = mount / paths.get("", "/").lstrip("/")
        above = here.parent if here != mount else here
        return [(2, (place,)) for place in dict.fromkeys((here, above, mount))]
    trees = (mount / "memory", mount / "pids")
    ours = tuple(tree / paths.get(tree.name, "/").lstrip("/") for tree in trees)
    return [(1, place) for place in dict.fromkeys((ours, trees))]


def _paths(own: Path) -> dict[str, str]:
    """Our group by controller; the version 2 tree has the empty name."""
    paths: dict[str, str] = {}
    for line in own.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        paths |= dict.fromkeys(controllers.split(","), path)
    return paths
