"""The stand-in product as a process of its own, with every process of it found by a mark in its environment."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from processes_found import living, parent, read
from stand_in_product import MARK

REPOSITORY = Path(__file__).parents[3]
WAIT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Product:
    folder: Path
    process: "subprocess.Popen[str]"

    @property
    def guard(self) -> int:
        return self.process.pid

    @property
    def supervisor(self) -> int:
        (pid,) = (pid for pid in living() if parent(pid) == self.guard)
        return pid

    def said(self) -> str:
        return (self.folder / "said").read_text()

    def started(self) -> list[str]:
        path = self.folder / "started"
        return path.read_text().split() if path.exists() else []

    def pids(self, name: str = "") -> list[int]:
        """Living processes of this product; with a name, those of this stand-in itself."""
        mark = f"{MARK}={self.folder}".encode()
        found = [pid for pid in living() if mark in read(pid, "environ").split(b"\0")]
        if not name:
            return found
        words = name.encode()
        return [pid for pid in found if read(pid, "cmdline").rstrip(b"\0").endswith(words)]

    def wait_for(self, found: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not found():
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.01)

    def wait_started(self, name: str, times: int = 1) -> None:
        self.wait_for(lambda: self.started().count(name) >= times)

    def wait_announced(self) -> None:
        self.wait_for(lambda: "announced" in self.said())

    def wait_gone(self) -> None:
        self.wait_for(lambda: not self.pids())

    def ended(self) -> int:
        """Wait for the end of the guard and give its exit code."""
        return self.process.wait(timeout=WAIT_SECONDS)


@contextmanager
def product(folder: Path, **does: str) -> Iterator[Product]:
    """Start it; on leaving nothing of it is left."""
    for name, words in {"migrate": "end", **does}.items():
        (folder / f"{name}.does").write_text(words)
    with (folder / "said").open("w") as said:
        process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("stand_in_product.py"), folder],
            env={"PYTHONPATH": str(REPOSITORY), MARK: str(folder), "PATH": os.environ["PATH"]},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            text=True,
        )
    found = Product(folder, process)
    try:
        yield found
    finally:
        for pid in found.pids():
            os.kill(pid, signal.SIGKILL)
        process.wait()
