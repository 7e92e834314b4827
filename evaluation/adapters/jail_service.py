"""A jailed command that lives on beside us: how it is watched, ended and left."""

import contextlib
import os
import signal
from dataclasses import dataclass, field

from evaluation.adapters.jail_ends import JailEnds
from evaluation.adapters.jail_process import JailProcess
from evaluation.adapters.pipes import readable
from evaluation.core.errors import ToolFailure

_SIGNAL_BASE = 128  # bwrap reports a death by signal N as exit code 128 + N, as shells do
_LAST_READ_SECONDS = 2.0
_WORDS_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class ServiceEnd:
    """How it ended by itself; both None where nobody can tell."""

    exit_code: int | None
    signal: int | None


@dataclass(slots=True)
class JailedService:
    """What ``Bubblewrap.start`` hands out. ``close`` gives back the slot and all descriptors; nothing follows it."""

    process: JailProcess
    ends: JailEnds
    held: contextlib.ExitStack = field(repr=False)
    _closed: bool = False

    def ended(self, *, seconds: float) -> bool:
        """Wait for its end, at most ``seconds``."""
        return readable(self.process.monitor, seconds=seconds)

    def end(self) -> ServiceEnd:
        """Say how it ended, once it has."""
        self.ends.status.read_rest(seconds=_LAST_READ_SECONDS)
        code = self.ends.said().exit_code
        if code is None:
            return ServiceEnd(None, None)
        if code > _SIGNAL_BASE:
            return ServiceEnd(None, code - _SIGNAL_BASE)
        return ServiceEnd(code, None)

    def words(self) -> bytes:
        """What it wrote to standard error until it fell silent or ended. Never blocks for long."""
        self.ends.stderr.read_some()
        return self.ends.stderr.captured().content

    def kill(self, *, seconds: float) -> bool:
        """Kill all of it and close. False where something does not die in time: the slot then stays taken (rule T8)."""
        if self._closed:
            return True
        self.process.adopt(self.ends.said())
        self.process.kill()
        try:
            self.process.reap(seconds=seconds)
        except ToolFailure as failure:
            self._leave(failure)
            return False
        self._closed = True
        self.held.close()
        return True

    def _leave(self, failure: ToolFailure) -> None:
        """Go on without it. Whoever takes the slot next finds the mark of one that did not end, and sweeps."""
        self._closed = True
        with contextlib.suppress(ToolFailure):
            self.held.__exit__(type(failure), failure, failure.__traceback__)


@dataclass(slots=True)
class BareService:
    """A process without a jail, watched and ended in the same words. ``words_file`` is a file in memory."""

    pid: int
    monitor: int
    words_file: int
    _end: ServiceEnd | None = None
    _closed: bool = False

    def ended(self, *, seconds: float) -> bool:
        """Wait for its end, at most ``seconds``."""
        return readable(self.monitor, seconds=seconds)

    def end(self) -> ServiceEnd:
        """Say how it ended, once it has."""
        if self._end is None:
            self._end = self._reaped()
        return self._end

    def words(self) -> bytes:
        """What it wrote before it fell silent."""
        return os.pread(self.words_file, _WORDS_BYTES, 0)

    def kill(self, *, seconds: float) -> bool:
        """Kill it and close. False where it does not die in time."""
        if self._closed:
            return True
        self._closed = True
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.monitor, signal.SIGKILL)
        gone = self.ended(seconds=seconds)
        if gone:
            self.end()
        os.close(self.monitor)
        os.close(self.words_file)
        return gone

    def _reaped(self) -> ServiceEnd:
        try:
            _, status = os.waitpid(self.pid, os.WNOHANG)
        except ChildProcessError:  # somebody else in this program waits for every child
            return ServiceEnd(None, None)
        if os.WIFSIGNALED(status):
            return ServiceEnd(None, os.WTERMSIG(status))
        return ServiceEnd(os.WEXITSTATUS(status), None)


def signal_name(number: int) -> str:
    """Name a signal for a person."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
