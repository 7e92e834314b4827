"""A real Celery worker of the evaluation side in a process of its own, for tests marked ``broker``."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
_START_SECONDS = 120.0
_END_SECONDS = 120.0


@dataclass
class CeleryProcess:
    process: "subprocess.Popen[bytes]"
    log: Path

    def ask_to_end(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def ended(self) -> int:
        """Wait for the end and give the exit code."""
        return self.process.wait(timeout=_END_SECONDS)

    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while " ready." not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.05)


def environment(*, url: str, home: Path, **more: str) -> dict[str, str]:
    """What a worker is started with: no variable of the tests' own environment but PATH."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PTXBOARD_BROKER_URL": url,
        "PTXBOARD_HOME": str(home),
        **more,
    }


@contextmanager
def celery_process(
    *, url: str, home: Path, folder: Path, app: str = "evaluation.worker", **more: str
) -> Iterator[CeleryProcess]:
    """Start a worker with one pool process in ``folder`` and end it, with its children, at the latest on leaving."""
    log = folder / "worker.log"
    command = (
        *("setpriv", "--pdeathsig", "KILL", "--"),
        *(sys.executable, "-m", "celery", "-A", app, "worker"),
        *("--concurrency", "1", "--without-gossip", "--without-mingle", "--loglevel", "INFO"),
    )
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(url=url, home=home, **more),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        worker = CeleryProcess(process, log)
        worker.wait_ready()
        yield worker
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
