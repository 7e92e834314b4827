"""The real product of one command, started as a user starts it, for tests marked ``broker``."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from processes_found import living, parent, read

REPOSITORY = Path(__file__).parents[1]
WAIT_SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class Product:
    home: Path
    mark: str  # a folder in PATH, which every program of the product has
    output: Path
    process: "subprocess.Popen[bytes]"

    def said(self) -> str:
        return self.output.read_text()

    def pids(self) -> set[int]:
        """Everything that belongs to it. A Redis writes its title over its environment, and the title names its socket."""
        mark, broker = self.mark.encode(), bytes(self.home / "broker")
        return {
            pid
            for pid in living()
            if mark in read(pid, "environ") or broker in read(pid, "cmdline")
        }

    def main_of(self, words: str) -> int:
        """The first process of the service whose command line has these words."""
        found = {pid for pid in self.pids() if words.encode() in read(pid, "cmdline")}
        (main,) = (pid for pid in found if parent(pid) not in found)
        return main

    def wait_for(self, found: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not found():
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.05)

    def address(self) -> str:
        self.wait_for(lambda: "Ctrl-C stops everything" in self.said() or self.ended())
        (found,) = re.findall(r"PTXBoard runs at (http://127\.0\.0\.1:\d+/)\n", self.said())
        return str(found)

    def ended(self) -> bool:
        return self.process.poll() is not None

    def exit_code(self) -> int:
        return self.process.wait(timeout=WAIT_SECONDS)


def command(home: Path) -> tuple[str, ...]:
    return (sys.executable, "-P", "-m", "portal.quickstart", "--home", str(home))


def environment(path: str, home: Path) -> dict[str, str]:
    return {
        "PATH": path,
        "PYTHONPATH": str(REPOSITORY),
        "PTXBOARD_DATABASE_URL": f"sqlite:///{home}/ptxboard.sqlite3",
    }


@contextmanager
def product(home: Path, folder: Path) -> Iterator[Product]:
    """Start it as a user does; on leaving nothing of it is left."""
    mark = f"/nonexistent/{folder.name}/{time.monotonic_ns()}"
    output = folder / f"output-{time.monotonic_ns()}"
    with output.open("wb") as file:
        process = subprocess.Popen(
            command(home),
            env=environment(f"{mark}:{os.environ['PATH']}", home),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    found = Product(home, mark, output, process)
    try:
        yield found
    finally:
        for pid in found.pids():
            os.kill(pid, signal.SIGKILL)
        process.wait()
