"""The product of short_product as a process of its own, whose services can be killed by name."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import process_tree
from process_tree import Process, descendants

REPOSITORY = Path(__file__).parents[2]
WAIT_SECONDS = 240.0

# What the command line of the first process of each service has, and no other one's.
SERVICES = {
    "broker": "broker.sock",
    "web": "gunicorn",
    "portal": "portal@",
    "reports": "reports@",
    "beat": " beat ",
    "prepare": "prepare@",
    "measure": "measure-0@",
}
MESSAGES = "messages"


class NeverCame(AssertionError):
    """What was waited for did not come; the text says what that was, and what the product said."""


@dataclass(frozen=True, slots=True)
class Product:
    home: Path
    database_url: str
    process: "subprocess.Popen[bytes]"

    @property
    def output(self) -> Path:
        return self.home / "output"

    @property
    def address(self) -> str:
        found = re.search(r"runs at (http://\S+)", self.output.read_text())
        assert found is not None
        return found[1]

    @property
    def socket(self) -> Path:
        return self.home / "broker" / "broker.sock"

    def main_of(self, service: str) -> Process | None:
        """The first process of a service; None while it is not there."""
        for one in self._children_of_supervisor():
            if SERVICES[service] in _command(one[0]):
                return one
        return None

    def kill(self, service: str, *, child: bool = False) -> bool:
        """Kill the first process of a service, or one below it; False where there is none just now.

        ``messages`` is the broker with everything that it keeps.
        """
        if service == MESSAGES:
            shutil.rmtree(self.home / "broker" / "appendonlydir", ignore_errors=True)
            service = "broker"
        main = self.main_of(service)
        if main is None:
            return False
        below = sorted(descendants(main[0])) if child else [main]
        if not below:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(below[0][0], signal.SIGKILL)
        return True

    def wait_until(
        self, found: Callable[[], bool], what: str, *, seconds: float = WAIT_SECONDS
    ) -> None:
        deadline = time.monotonic() + seconds
        while not found():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise NeverCame(f"{what} never came; {self.said()}")
            time.sleep(0.05)

    def said(self) -> str:
        """The ends of what it and its services wrote."""
        logs = (self.output, *sorted((self.home / "logs").glob("*.log")))
        return "\n".join(
            f"== {one.name}\n{one.read_text(errors='replace')[-1500:]}" for one in logs
        )

    def manage(self, *words: str) -> str:
        """Run a command of staff and give what it says; a failure is the test's."""
        done = subprocess.run(
            [sys.executable, str(REPOSITORY / "manage.py"), *words],
            env=_environment(self.home, self.database_url, 0),
            capture_output=True,
            text=True,
            check=False,
            timeout=WAIT_SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def stop(self) -> set[Process]:
        """Stop it as Ctrl-C does, and give what of it lives on."""
        everything = {(self.process.pid, 0)} | descendants(self.process.pid)
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(timeout=WAIT_SECONDS) == 0, self.said()
        return process_tree.living(everything)

    def _children_of_supervisor(self) -> set[Process]:
        """The supervisor is the one child of the guard; services are the supervisor's."""
        below = descendants(self.process.pid)
        parents = {one: _parent(one[0]) for one in below}
        (supervisor,) = [one for one, parent in parents.items() if parent == self.process.pid]
        return {one for one, parent in parents.items() if parent == supervisor[0]}


@contextmanager
def product(*, database_url: str, server: Path, pace_seconds: float) -> Iterator[Product]:
    """Start it on an empty state folder; empty ``database_url`` is SQLite there. On leaving nothing of it is left."""
    # Not below pytest's folders: the path of a Unix socket has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="ptxboard-journey-") as name:
        home = Path(name)
        url = database_url or f"sqlite:///{home}/ptxboard.sqlite3"
        with (home / "output").open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("short_product.py")), name, server],
                env=_environment(home, url, pace_seconds),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        found = Product(home, url, process)
        try:
            found.wait_until(lambda: "runs at " in found.output.read_text(), "its start")
            yield found
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            process_tree.wait_for(lambda: not _of(home))


def _environment(home: Path, database_url: str, pace_seconds: float) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONDONTWRITEBYTECODE": "1",
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "PTXBOARD_HOME": str(home),
        "PTXBOARD_DATABASE_URL": database_url,
        "JOURNEY_PACE": str(pace_seconds),
    }


def _of(home: Path) -> list[int]:
    """Processes whose environment or command line names this state folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            if bytes(home) in words:
                found.append(int(entry.name))
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
