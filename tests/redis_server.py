"""A private Redis or Valkey server on a Unix socket, for tests marked ``broker``. It dies with the process that started it."""

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

_BINARIES = ("redis-server", "valkey-server")
_START_SECONDS = 60.0


@dataclass
class PrivateServer:
    """A server on the socket of ``folder``; it forgets everything when it ends."""

    binary: str
    folder: Path
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"redis+socket://{self._socket}?virtual_host=0"

    @property
    def _socket(self) -> Path:
        return self.folder / "socket"

    def start(self) -> None:
        self.process = subprocess.Popen(_command(self.binary, self.folder, self._socket))
        _wait(self.process, self._socket)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()


@contextlib.contextmanager
def private_server() -> Iterator[PrivateServer]:
    """Run a server of its own in an empty folder; skip where no server is installed."""
    found = [path for name in _BINARIES if (path := shutil.which(name))]
    if not found:
        pytest.skip(f"neither {' nor '.join(_BINARIES)} is installed; apt-get install redis-server")
    # Not below pytest's folders: the path of a Unix socket has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="ptxboard-redis-") as folder:
        server = PrivateServer(found[0], Path(folder))
        try:
            server.start()
            yield server
        finally:
            server.kill()


def _command(binary: str, folder: Path, socket_path: Path) -> tuple[str, ...]:
    options = {
        "port": "0",
        "unixsocket": str(socket_path),
        "unixsocketperm": "700",
        "dir": str(folder),
        "save": "",
        "appendonly": "no",
        "logfile": str(folder / "log"),
    }
    words = (word for name, value in options.items() for word in (f"--{name}", value))
    return ("setpriv", "--pdeathsig", "KILL", "--", binary, *words)


def _wait(process: "subprocess.Popen[bytes]", socket_path: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1.0)
            client.connect(str(socket_path))
            client.sendall(b"PING\r\n")
            if client.recv(64).startswith(b"+PONG"):
                return
        time.sleep(0.02)
    pytest.fail(f"the private server did not start; it ended with {process.poll()}")
