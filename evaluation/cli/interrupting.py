"""Ctrl-C while tools run: their jails end at once, or the program would wait for a compile to come to its end."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """While the block runs, SIGINT kills our child processes and then raises KeyboardInterrupt as usual.

    All children of a command are jails, or a referee whose launchers end with it. Whoever waits for one sees it end and
    cleans up behind it.
    """
    before = signal.getsignal(signal.SIGINT)
    ours = threading.current_thread() is threading.main_thread()
    if not ours or before is not signal.default_int_handler:  # ignored, as by nohup, or another's
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(number: int, frame: FrameType | None) -> None:
    for directory in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone meanwhile
            if _is_child(directory):
                _kill(directory)
    signal.default_int_handler(number, frame)


def _kill(directory: Path) -> None:
    descriptor = os.pidfd_open(int(directory.name))
    try:
        if _is_child(directory):  # the number may have been given away before it was opened
            signal.pidfd_send_signal(descriptor, signal.SIGKILL)
    finally:
        os.close(descriptor)


def _is_child(directory: Path) -> bool:
    fields = (directory / "stat").read_text().rpartition(")")[2].split()
    return int(fields[1]) == os.getpid()
