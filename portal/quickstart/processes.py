"""What Linux offers to leave no process behind: a signal at the parent's death, and orphans that come to us."""

import ctypes
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_POLL_SECONDS = 0.02


class CannotGuard(Exception):
    """The kernel refuses what keeps processes from being left behind."""


def adopt_orphans() -> None:
    """From now on every process below ours whose parent ends becomes our own child. Raise CannotGuard."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_with(parent: int) -> None:
    """Have this process killed when ``parent`` ends; for a child between fork and exec. It ends if that is too late."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def children() -> Iterator[int]:
    """Numbers of our own children, zombies too."""
    us = os.getpid()
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal() and _parent(Path(entry.path)) == us:
            yield int(entry.name)


def kill_child(pid: int) -> None:
    """Kill a child and reap it if it is dead already. Its number is not given away before that."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def kill_everything(*, seconds: float) -> tuple[int, ...]:
    """Kill all processes below ours, which must adopt orphans, and reap them.

    Give the numbers of those that are still there after ``seconds``, as a process may be that is stuck in a driver.
    """
    deadline = time.monotonic() + seconds
    while left := tuple(children()):
        if time.monotonic() > deadline:
            return left
        for pid in left:
            kill_child(pid)
        time.sleep(_POLL_SECONDS)
    return ()


def _parent(directory: Path) -> int:
    """Number of a process's parent; 0 for one that has gone meanwhile."""
    try:
        fields = (directory / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0
    return int(fields[1])


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise CannotGuard(f"prctl({option}) was refused: {os.strerror(ctypes.get_errno())}")
