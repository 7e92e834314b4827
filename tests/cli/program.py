"""The command line as a program of its own, with fakes behind the ports: piped, or on a terminal of a given size."""

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from dataclasses import dataclass
from pathlib import Path

from sample_run import SOURCE

REPOSITORY = Path(__file__).parents[2]
ASKED = ("--problem", "gemm_n7168_k5120", "--target", "hopper")
SECONDS = 120.0


def command(scenario: str, *words: str) -> tuple[str, ...]:
    return (sys.executable, str(REPOSITORY / "tests/cli/fake_cli.py"), scenario, *words)


_STATE_VARIABLES = ("HOME", "XDG_DATA_HOME", "PTXBOARD_HOME")


def environment(**more: str) -> dict[str, str]:
    paths = os.pathsep.join((str(REPOSITORY), str(REPOSITORY / "tests")))
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": paths,
        "PYTHONDONTWRITEBYTECODE": "1",
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        # Where the toolchain was installed for these tests, whoever runs them.
        **{name: os.environ[name] for name in _STATE_VARIABLES if name in os.environ},
        **more,
    }


@dataclass(frozen=True)
class Shown:
    """What a terminal was sent, and how the program ended."""

    code: int
    text: str


def on_terminal(
    folder: Path, *arguments: str, rows: int = 24, columns: int = 100, **more: str
) -> Shown:
    """Run ``arguments`` with all three streams on a terminal of this size."""
    (folder / "kernel.cu").write_bytes(SOURCE)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        arguments,
        cwd=folder,
        env=environment(**more),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    content = b""
    with contextlib.suppress(OSError):  # EIO: the last writer is gone
        while part := os.read(ours, 65536):
            content += part
    os.close(ours)
    return Shown(process.wait(timeout=SECONDS), content.decode().replace("\r\n", "\n"))
