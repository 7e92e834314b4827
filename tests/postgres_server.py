"""A private PostgreSQL on a Unix socket, for the tests of rows. It ends with the process that started it.

Its administrative programs refuse to run as root, so that one starts them as the system's ``postgres`` user.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

_USER = "postgres"
_START_SECONDS = 120.0
_END_SECONDS = 60.0
_TOOL_SECONDS = 120.0
_DEBIAN = Path("/usr/lib/postgresql")
_PORT = 5432  # in the name of the socket alone

# A cluster that is thrown away need not survive a power cut.
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "60",
    "shared_buffers": "64MB",
}


class NoPostgres(Exception):
    """There is no PostgreSQL here, or it does not start; the text says what to do."""


@dataclass(frozen=True, slots=True)
class PostgresServer:
    folder: Path

    @property
    def url(self) -> str:
        """As PTXBOARD_DATABASE_URL names it. Databases of tests are made beside this one."""
        return f"postgresql://{_USER}@/postgres?host={quote(str(self.folder), safe='')}"


@contextmanager
def private_postgres() -> Iterator[PostgresServer]:
    """Run a cluster of its own in an empty folder. Raise NoPostgres."""
    programs = _programs()
    # Not below pytest's folders: the path of a Unix socket has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="ptxboard-postgres-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, _USER)
        _make_cluster(programs, folder)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                _as_user(str(programs / "postgres"), "-D", str(folder / "data"), *_words(folder)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                start_new_session=True,  # Ctrl-C in a terminal is for us to answer
            )
        try:
            _wait(process, folder)
            yield PostgresServer(folder)
        finally:
            process.send_signal(signal.SIGINT)  # without waiting for clients to leave
            try:
                process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _programs() -> Path:
    """Debian keeps them in a folder a version; others on the path."""
    versions = sorted(_DEBIAN.glob("*/bin/initdb"), key=lambda one: float(one.parts[-3]))
    if versions:
        return versions[-1].parent
    found = shutil.which("initdb")
    if found is None:
        raise NoPostgres("there is no PostgreSQL here; bin/setup --tests installs it")
    return Path(found).parent


def _as_user(*command: str) -> tuple[str, ...]:
    """Let the program die with us, as the user that it asks for."""
    setpriv = ("setpriv", "--pdeathsig", "QUIT")
    if os.geteuid() != 0:
        return (*setpriv, "--", *command)
    try:
        pwd.getpwnam(_USER)
    except KeyError:
        raise NoPostgres(f"there is no user {_USER}; bin/setup --tests makes it") from None
    return (*setpriv, "--reuid", _USER, "--regid", _USER, "--init-groups", "--", *command)


def _make_cluster(programs: Path, folder: Path) -> None:
    made = subprocess.run(
        _as_user(
            *(str(programs / "initdb"), "-D", str(folder / "data"), "-U", _USER),
            *("-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"),
        ),
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
        timeout=_TOOL_SECONDS,
    )
    if made.returncode != 0:
        raise NoPostgres(f"initdb made no cluster: {made.stderr.strip()[-400:]}")


def _words(folder: Path) -> Iterator[str]:
    for name, value in {**_SETTINGS, "unix_socket_directories": str(folder)}.items():
        yield "-c"
        yield f"{name}={value}"


def _wait(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """The server writes ``ready`` as the last line of its pid file when it takes connections."""
    pid_file = folder / "data" / "postmaster.pid"
    deadline = time.monotonic() + _START_SECONDS
    while True:
        lines = pid_file.read_text().splitlines() if pid_file.exists() else []
        if lines and lines[-1].strip() == "ready":
            return
        if process.poll() is not None or time.monotonic() > deadline:
            said = (folder / "log").read_text(errors="replace")
            raise NoPostgres(f"the private PostgreSQL did not start: {said[-400:]}")
        time.sleep(0.05)
