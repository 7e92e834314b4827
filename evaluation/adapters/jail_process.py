"""A started jail: its two processes that we know by descriptor, their end and what they used."""

import contextlib
import json
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.pipes import readable
from evaluation.core.errors import CannotJail, ToolFailure

_POLL_SECONDS = 0.001
_DEATH_SECONDS = 20.0  # for killed processes to be gone


@dataclass(frozen=True, slots=True)
class JailStatus:
    """What bwrap wrote to its status descriptor: one JSON object a line, from outside the jail."""

    child: int | None = None  # pid of the first process inside, as we see it
    pid_namespace: int | None = None
    exit_code: int | None = None

    @classmethod
    def read(cls, text: bytes) -> "JailStatus":
        lines = text.split(b"\n")[:-1]
        found = {key: value for line in lines if line for key, value in json.loads(line).items()}
        return cls(found.get("child-pid"), found.get("pid-namespace"), found.get("exit-code"))


@dataclass(slots=True)
class JailProcess:
    """``monitor`` is a descriptor of the outer bwrap, our child; ``init`` of the first process inside."""

    pid: int
    monitor: int
    init: int | None = None
    used_cpu_seconds: float = 0.0
    used_bytes: int | None = (
        None  # largest resident size of one process; None where it cannot be told
    )
    killed: bool = False

    def wait_for_name(self, name: str, *, seconds: float) -> None:
        """Wait until the process has become the program ``name`` or has ended."""
        deadline = time.monotonic() + seconds
        while not readable(self.monitor, seconds=0):
            with contextlib.suppress(OSError):  # gone, and somebody else has waited for it
                if Path(f"/proc/{self.pid}/comm").read_text().strip() == name:
                    return
            if time.monotonic() > deadline:
                raise CannotJail(
                    f"{name} did not start in {seconds:.0f} s", action="the host is overloaded"
                )
            time.sleep(_POLL_SECONDS)

    def require_uid(self, uid: int) -> None:
        """Make sure that the process, unless it has ended, is this unprivileged user in every respect."""
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            rows = Path(f"/proc/{self.pid}/status").read_text().splitlines()
            seen = next(row.split()[1:] for row in rows if row.startswith("Uid:"))
            if set(seen) != {str(uid)} or uid == 0:
                raise CannotJail(
                    f"a jail would run as uid {'/'.join(seen)}, not as {uid}",
                    action="look at setpriv and the container's user mapping",
                )

    def adopt(self, status: JailStatus) -> None:
        """Get hold of the first process inside, once bwrap has told its number."""
        if self.init is None and status.child is not None:
            with contextlib.suppress(OSError):  # gone already
                descriptor = os.pidfd_open(status.child)
                self.init = descriptor if _in_namespace(status) else None
                if self.init is None:
                    os.close(descriptor)

    def kill(self) -> None:
        """Kill the first process inside, and with it all of them, and the monitor."""
        for descriptor in (self.init, self.monitor):
            if descriptor is not None:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(descriptor, signal.SIGKILL)

    def reap(self, *, seconds: float = _DEATH_SECONDS) -> None:
        """Wait until all are gone: the kernel empties a pid namespace before its first process ends.

        Raise ToolFailure for what is still there after ``seconds``.
        """
        deadline = time.monotonic() + seconds
        for descriptor in (self.init, self.monitor):
            if descriptor is not None and not readable(
                descriptor, seconds=deadline - time.monotonic()
            ):
                raise ToolFailure(
                    "a killed process does not die", action="look for state D; restart the host"
                )
        with contextlib.suppress(
            ChildProcessError
        ):  # somebody else in this program waits for every child
            _, status, usage = os.wait4(self.pid, 0)
            self.killed = os.WIFSIGNALED(status)
            self.used_cpu_seconds = usage.ru_utime + usage.ru_stime
            self.used_bytes = _own_peak(usage.ru_maxrss * 1024, spawner=_peak_of_this_process())

    def close(self) -> None:
        for descriptor in (self.init, self.monitor):
            if descriptor is not None:
                os.close(descriptor)


def _own_peak(reported: int, *, spawner: int) -> int | None:
    """What a jail's processes used at most, in bytes, out of the figure that the kernel reports for them.

    The figure covers the short time before the first exec too, in which our child still had our memory: it is never
    below our own peak, and says nothing unless it is clearly above. The eighth is for the kernel's inexact counters.
    """
    return reported if reported > spawner + spawner // 8 else None


def _peak_of_this_process() -> int:
    """In bytes. Not getrusage: that would count what our own spawner held, too."""
    rows = Path("/proc/self/status").read_text().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("VmHWM:")) * 1024


def _in_namespace(status: JailStatus) -> bool:
    """The number may have been given away since; only a process of this jail's namespace is ours to kill."""
    try:
        return Path(f"/proc/{status.child}/ns/pid").stat().st_ino == status.pid_namespace
    except OSError:
        return False
