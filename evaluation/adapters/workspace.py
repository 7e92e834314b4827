"""The state folder: where everything lies that outlives a run, and locks on files in it."""

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.slots import Slots

# As root jails have uids of their own, so every worker of the host must count in the same place.
_HOST_SLOTS = Path("/run/ptxboard")

_TEMPORARY = ".new-"
_LEFT_SECONDS = 3600.0  # no writer takes as long for one file, so an older one was killed


def default_home(environment: Mapping[str, str], *, uid: int) -> Path:
    """Where the state folder is when nobody says otherwise: PTXBOARD_HOME, the system's place for root, the user's."""
    if chosen := environment.get("PTXBOARD_HOME"):
        return Path(chosen)
    if uid == 0:
        return Path("/var/lib/ptxboard")
    data = environment.get("XDG_DATA_HOME") or f"{environment.get('HOME', '')}/.local/share"
    return Path(data) / "ptxboard"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The layout below one state folder. ``toolchains`` is readable by everyone, the rest by us alone."""

    home: Path

    @property
    def toolchains(self) -> Path:
        return self.home / "toolchains"

    @property
    def builds(self) -> Path:
        return self.home / "builds"

    @property
    def native(self) -> Path:
        return self.home / "native"

    @property
    def artifacts(self) -> Path:
        return self.home / "artifacts"

    @property
    def measure(self) -> Path:
        """What is remembered of this machine's GPUs; made by the first worker that has something to say."""
        return self.home / "measure"

    @property
    def slots(self) -> Slots:
        return Slots(_HOST_SLOTS if os.geteuid() == 0 else self.home / "jails")

    def create(self) -> None:
        """Make the folders that are missing."""
        for directory in (self.home, self.toolchains):
            if not directory.exists():
                directory.mkdir(parents=True, exist_ok=True)
                directory.chmod(0o755)  # whatever the umask is: jails run as other users
        for directory in (self.builds, self.native, self.artifacts):
            directory.mkdir(mode=0o700, exist_ok=True)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the one lock of this name among all processes of the host. The lock file is gone when nobody holds it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_still(path, descriptor):
                try:
                    yield
                finally:
                    path.unlink()
                return
        finally:
            os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    """The holder before us has removed the name; a lock on a nameless file would lock nobody else out."""
    try:
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False


def _sweep(folder: Path) -> None:
    oldest = time.time() - _LEFT_SECONDS
    for rest in folder.glob(f"{_TEMPORARY}*"):
        with contextlib.suppress(FileNotFoundError):  # its writer, or another sweeper, was first
            if rest.stat().st_mtime < oldest:
                rest.unlink()


def write_atomically(path: Path, content: bytes) -> None:
    """Put the whole content under its name, or nothing; it is on the disk when this returns.

    What a writer left that was killed is taken away by a later one, of any name in this folder.
    """
    _sweep(path.parent)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=_TEMPORARY)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
