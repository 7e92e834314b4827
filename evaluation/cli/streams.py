"""The standard streams where they are not what a program expects: closed, not UTF-8, or with nobody at the end."""

import contextlib
import io
import os
import sys


def prepare_streams() -> None:
    """Make all three usable: a closed one is the null device, and no character is too much for one.

    Were a descriptor left closed, the next file that is opened would get its number and what is written there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
    sys.stdin = sys.stdin or os.fdopen(0, "r", closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def end_streams() -> None:
    """Write what is buffered, or send it nowhere: at its own flush the interpreter would change the exit code."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(null, stream.fileno())
            with contextlib.suppress(OSError):
                stream.flush()
    os.close(null)
