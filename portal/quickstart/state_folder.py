"""Where the embedded product keeps what is its own in the state folder, and that one instance has it at a time."""

import fcntl
import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.workspace import Workspace
from evaluation.core.quoting import quoted

# A Unix socket's path has at most 107 bytes (unix(7)).
_SOCKET_PATH_BYTES = 107
_HOLDER_BYTES = 300


class Unusable(Exception):
    """The product cannot start here; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class StateFolder:
    """The layout below ``home`` beside what the judge and the site keep there. All of it is for its owner alone."""

    home: Path

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def broker(self) -> Path:
        return self.home / "broker"

    @property
    def logins(self) -> Path:
        return self.home / "demo-logins"

    @property
    def lock(self) -> Path:
        return self.home / "instance"

    def create(self) -> None:
        """Make what is missing; raise Unusable."""
        try:
            Workspace(self.home).create()
            for folder in (self.logs, self.broker):
                private_folder(folder)
        except OSError as error:
            raise Unusable(
                f"cannot use the state folder {self.home}: {error.strerror}\n"
                "name a folder that this user may write with --home or PTXBOARD_HOME"
            ) from error


def private_folder(folder: Path) -> None:
    """Make it for us alone, or see that it is; raise OSError, and Unusable where it is another's or a link."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise Unusable(f"{folder} is not a folder of this user; remove it and start again")
    folder.chmod(0o700)


def socket_folder(state: StateFolder, environment: Mapping[str, str], name: str) -> Path:
    """A private folder in which ``name`` is short enough for a socket: the broker's, or a short one that is made."""
    if len(os.fsencode(state.broker / name)) <= _SOCKET_PATH_BYTES:
        return state.broker
    digest = hashlib.sha256(os.fsencode(state.home.absolute())).hexdigest()[:12]
    base = Path(environment.get("XDG_RUNTIME_DIR") or "/tmp")  # noqa: S108 - checked to be ours
    folder = base / f"ptxboard-{os.geteuid()}-{digest}"
    if len(os.fsencode(folder / name)) > _SOCKET_PATH_BYTES:
        folder = Path("/tmp") / folder.name  # noqa: S108 - the same
    try:
        private_folder(folder)
    except OSError as error:
        raise Unusable(f"cannot make {folder} for sockets: {error.strerror}") from error
    return folder


class Instance:
    """The one instance of a state folder, for as long as this process or one that it forked keeps the lock open."""

    def __init__(self, path: Path) -> None:
        """Claim it. Raise Unusable that says who has it and where it can be reached."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            self._lock = os.open(path, flags, 0o600)
        except OSError as error:
            raise Unusable(f"cannot open {path}: {error.strerror}") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._lock, _HOLDER_BYTES, 0).decode(errors="replace")
            os.close(self._lock)
            raise Unusable(_taken(path.parent, holder)) from None
        self.write("")

    def write(self, address: str) -> None:
        """Say for others where this instance can be reached; with nothing, that it is starting."""
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"{os.getpid()} {address}\n".encode(), 0)

    def close(self) -> None:
        os.ftruncate(self._lock, 0)
        os.close(self._lock)


def _taken(home: Path, holder: str) -> str:
    pid, _, address = holder.strip().partition(" ")
    place = f"runs at {quoted(address)[1:-1]}" if address else "is starting or stopping"
    who = f" as process {pid}" if pid.isdecimal() else ""
    return (
        f"PTXBoard {place}{who}, with the state folder {home}\n"
        "stop it there, or start another one with another --home"
    )
