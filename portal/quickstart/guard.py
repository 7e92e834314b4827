"""Runs a function in a process of its own and sees to it that nothing outlives either of the two.

The guard is what a user has started; the other one, in a session of its own, starts services. If the other one is
killed, its orphans come to the guard, which kills them. If the guard is killed, the pipe between both ends, which tells
the other one to kill everything. Whoever is killed, services get a signal at the death of the process that started
them.
"""

import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from portal.quickstart.orders import STOP_BYTE
from portal.quickstart.processes import adopt_orphans, kill_everything

OUR_FAILURE = 70

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PATIENCE = 3  # how many times one asks before the supervisor is killed, whatever it is doing
_KILL_SECONDS = 20.0

log = logging.getLogger(__name__)


def guarded(run: Callable[[int], int], say: Callable[[str], None]) -> int:
    """Give the exit code of ``run``, which gets the reading end of a pipe: a byte to stop, its end to kill.

    It must adopt orphans itself. This process must have one thread and end soon after: stopping it is what signals do
    from now on.
    """
    adopt_orphans()
    reading, writing = os.pipe2(os.O_CLOEXEC)
    # No signal may come between the fork and the handlers, or one process would end and the other would not know.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    pid = os.fork()
    if pid == 0:
        os.close(writing)
        _be_supervisor(run, reading, before)
    os.close(reading)
    _pass_on_signals(os.pidfd_open(pid), writing)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        say(f"the supervisor was killed by signal {-code}; ending everything that it had started")
    for left in kill_everything(seconds=_KILL_SECONDS):
        say(f"process {left} does not end, though it was killed; look at it with ps")
    return OUR_FAILURE if code < 0 else code


def _pass_on_signals(supervisor: int, writing: int) -> None:
    """Let each signal to stop be an order; the last of too many kills the supervisor. Ignored ones stay ignored.

    This holds until our process ends: no signal may end it while it is ending the others.
    """
    asked = 0

    def pass_on(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked += 1
        with suppress(ProcessLookupError, BrokenPipeError):  # it has ended meanwhile
            os.write(writing, STOP_BYTE)
            if asked > _PATIENCE:
                signal.pidfd_send_signal(supervisor, signal.SIGKILL)

    for number in _STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, pass_on)


def _be_supervisor(
    run: Callable[[int], int], control: int, mask: set[int | signal.Signals]
) -> None:
    """Never return: the caller's stack belongs to the guard."""
    code = OUR_FAILURE
    try:
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the guard hears of the terminal's end
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        code = run(control)
    except BaseException:
        log.exception("the supervisor failed; this is a bug of ours")
        raise
    finally:
        with suppress(OSError):
            sys.stdout.flush()
        os._exit(code)
