"""Numbers that one jail at a time may hold on this host, by file locks that end with their process."""

import contextlib
import fcntl
import os
import signal
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.core.errors import CannotJail, ToolFailure

_POLL_SECONDS = 0.05
_WAIT_SECONDS = 120.0
_SWEEP_SECONDS = 20.0
_IN_USE = b"in use\n"

# Ranges that systemd's table of uids leaves unused; the second one fits where a container maps only 65,536 ids.
_UID_BASES = (1_900_000_000, 60_578)


@dataclass(frozen=True, slots=True)
class Slot:
    """``uid`` (also the gid) is the jail's own real one when we are root, None when the worker's own is used.

    ``mark`` is this slot's alone on this host: it names the jail's control group, and stands in the arguments of
    everything that starts the jail.
    """

    number: int
    uid: int | None
    mark: str


@dataclass(frozen=True, slots=True)
class Slots:
    """Up to ``count`` jails at once. As root ``directory`` must be the same for every worker of this host."""

    directory: Path
    count: int = 64

    @contextlib.contextmanager
    def take(self) -> Iterator[Slot]:
        """Hold a number until the block ends. Raise ToolFailure when all stay busy for two minutes."""
        self._make_directory()
        base = _uid_base(self.count) if os.geteuid() == 0 else None
        number, descriptor = self._lock()
        try:
            file = os.fstat(descriptor)
            mark = f"PTXBOARD_JAIL_{file.st_dev}_{file.st_ino}"
            if file.st_size:
                _sweep(mark)
            os.pwrite(descriptor, _IN_USE, 0)
            yield Slot(number, None if base is None else base + number, mark)
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)

    def _lock(self) -> tuple[int, int]:
        """Return a free number and the descriptor that locks it."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        deadline = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < deadline:
            for number in range(self.count):
                descriptor = os.open(self.directory / f"jail-{number}", flags, 0o600)
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return number, descriptor
                os.close(descriptor)
            time.sleep(_POLL_SECONDS)
        raise ToolFailure(
            f"all {self.count} jails of this host are busy", action="run fewer workers"
        )

    def _make_directory(self) -> None:
        self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        seen = self.directory.lstat()
        if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.geteuid():
            raise CannotJail(
                f"{self.directory} is not a directory of ours", action=f"remove {self.directory}"
            )


def _sweep(mark: str) -> None:
    """End what a killed holder of this slot has left: a bwrap that waits for its other half and has run nothing yet.

    Everything later in a jail's life dies with the worker by itself. One pass may end a parent just after it has made
    a child, so passes go on until one finds nothing.
    """
    deadline = time.monotonic() + _SWEEP_SECONDS
    while _kill_marked(mark.encode()):
        if time.monotonic() > deadline:
            raise ToolFailure(
                "a left-over jail does not die", action="look for state D; restart the host"
            )
        time.sleep(_POLL_SECONDS)


def _kill_marked(mark: bytes) -> int:
    found = 0
    for directory in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone meanwhile, or nobody's business of ours
            descriptor = os.pidfd_open(int(directory.name))
            try:
                if mark in (directory / "cmdline").read_bytes().split(b"\0"):
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                    found += 1
            finally:
                os.close(descriptor)
    return found


def _uid_base(count: int) -> int:
    """The first range of uids that exists in our user namespace."""
    rows = [
        tuple(map(int, row.split())) for row in Path("/proc/self/uid_map").read_text().splitlines()
    ]
    for base in _UID_BASES:
        if any(start <= base and base + count <= start + length for start, _, length in rows):
            return base
    raise CannotJail(
        "this container maps too few user ids for a jail of its own",
        action=f"map at least {_UID_BASES[-1] + count} ids, or run the worker as an unprivileged user",
    )
