"""Which processes hang on which, for tests that hurt one and look whether the others are gone."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

WAIT_SECONDS = 60.0

Process = tuple[int, int]  # number, and start time in clock ticks: together never given twice


def descendants(pid: int) -> set[Process]:
    """Every living process below ``pid``, jails' own ones too."""
    known = dict(_all())
    below: set[Process] = set()
    edge = {pid}
    while edge:
        found = {process for process, parent in known.items() if parent in edge} - below
        below |= found
        edge = {number for number, _ in found}
    return below


def jailed(processes: set[Process]) -> set[Process]:
    """Those that are a jail's: its monitor, or what runs inside."""
    return {one for one in processes if b"bwrap" in _words(one[0]) or _namespace(one[0])}


def living(processes: set[Process]) -> set[Process]:
    """Those that are still there and more than a zombie."""
    return processes & {process for process, _ in _all()}


def wait_for(found: Callable[[], bool]) -> bool:
    """Whether it became true in time."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not found():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _all() -> Iterator[tuple[Process, int]]:
    """Each process with its parent's number."""
    for directory in Path("/proc").glob("[0-9]*"):
        try:
            fields = (directory / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # gone meanwhile
        if fields[0] != "Z":
            yield (int(directory.name), int(fields[19])), int(fields[1])


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _namespace(pid: int) -> bool:
    """Whether it is in another pid namespace than ours."""
    try:
        there = Path(f"/proc/{pid}/ns/pid").stat().st_ino
    except OSError:
        return False
    return there != Path("/proc/self/ns/pid").stat().st_ino
