"""Starts the referee: a program of our own that lives on, with one socket to us, its words kept, and no jail.

Nothing of a candidate's is started here: that is the sandbox's (docs/rules.md, R3).
"""

import contextlib
import fcntl
import os
import signal
import socket
import sys
from dataclasses import dataclass

from evaluation.adapters.pipes import readable
from evaluation.core.quoting import quoted

SOCKET = 3
"""The child's descriptor of the socket."""
KEPT = 4
"""The child's descriptor of what it was given to keep, where it was given something."""

_PARKED = 200  # where our copy waits, so that no dup2 of the child lands on it
_LAST_WORDS_BYTES = 1000


@dataclass(frozen=True, slots=True)
class TrustedProcess:
    """``socket`` is our end; ``process`` a pidfd; ``words`` a memory file with what it wrote to 1 and 2."""

    pid: int
    process: int
    socket: socket.socket
    words: int

    def ended(self, *, seconds: float) -> bool:
        """Wait for its end, at most ``seconds``."""
        return readable(self.process, seconds=seconds)

    def kill(self, *, seconds: float) -> bool:
        """Kill it and wait; False where it does not die (stuck in the driver: rule T8). Never blocks longer."""
        if not self.ended(seconds=0):
            signal.pidfd_send_signal(self.process, signal.SIGKILL)
        if not self.ended(seconds=seconds):
            return False
        with contextlib.suppress(ChildProcessError):  # somebody else here waits for every child
            os.waitid(os.P_PIDFD, self.process, os.WEXITED | os.WNOHANG)
        return True

    def last_words(self) -> str:
        """The end of what it wrote, as one printable line, for the message of a failure."""
        size = os.fstat(self.words).st_size
        tail = os.pread(self.words, _LAST_WORDS_BYTES, max(size - _LAST_WORDS_BYTES, 0))
        return quoted(tail.decode(errors="replace"), limit=4 * _LAST_WORDS_BYTES)  # \xNN

    def close(self) -> None:
        """Close our descriptors. An end of file on its socket tells the child to end."""
        self.socket.close()
        os.close(self.process)
        os.close(self.words)


def start(
    arguments: tuple[str, ...],
    environment: tuple[tuple[str, str], ...],
    *,
    keep: int | None = None,
) -> TrustedProcess:
    """Start this interpreter with ``arguments``, in a process group of its own, with the given environment alone.

    The child has a copy of the descriptor ``keep``, too: a lock on it is held until both of us have ended.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    words = os.memfd_create("words", os.MFD_CLOEXEC)
    with theirs:
        try:
            pid = _spawn(arguments, environment, (words, theirs.fileno()), keep)
        except OSError:
            ours.close()
            os.close(words)
            raise
    return TrustedProcess(pid, os.pidfd_open(pid), ours, words)


def _spawn(
    arguments: tuple[str, ...],
    environment: tuple[tuple[str, str], ...],
    ends: tuple[int, int],
    keep: int | None,
) -> int:
    """``ends`` are those of its words and of its socket."""
    given = dict(zip((1, SOCKET), ends, strict=True))
    if keep is not None:
        given[KEPT] = keep
    parked = {number: _park(descriptor) for number, descriptor in given.items()}
    try:
        return os.posix_spawn(
            sys.executable,
            (sys.executable, *arguments),
            dict(environment),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, parked[1], 2),
                *((os.POSIX_SPAWN_DUP2, ours, number) for number, ours in parked.items()),
                *(
                    (os.POSIX_SPAWN_CLOSE, number)
                    for number in _inherited({0, 2, *parked, *parked.values()})
                ),
            ],
            setpgroup=0,  # a Ctrl-C in the terminal is for us; we end the child ourselves
            setsigmask=(),
            setsigdef=signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP},
        )
    finally:
        for number in parked.values():
            os.close(number)


def _park(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _PARKED)


def _inherited(own: set[int]) -> tuple[int, ...]:
    """What a child would inherit from others in this process, beside its own numbers."""
    numbers = map(int, os.listdir("/proc/self/fd"))  # noqa: PTH208 - names are numbers here
    return tuple(number for number in numbers if number not in own)
