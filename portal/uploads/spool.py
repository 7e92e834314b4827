"""Raw uploads, which may hold secrets: one private file each, below the state folder, gone when it was imported.

Web and workers of the queue ``portal`` have to see the same folder.
"""

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from django.conf import settings

_OPEN = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW


@dataclass(frozen=True, slots=True)
class Writing:
    """A file of the spool that nobody else writes to."""

    file: int

    def put(self, content: bytes, *, offset: int) -> None:
        """Have bytes at ``offset`` on the disk. What lies behind was never acknowledged and is cut off."""
        os.ftruncate(self.file, offset)
        written = 0
        while written < len(content):
            written += os.pwrite(self.file, content[written:], offset + written)
        os.fsync(self.file)


@dataclass(frozen=True, slots=True)
class Spool:
    folder: Path

    def path(self, uid: UUID) -> Path:
        return self.folder / uid.hex

    def create(self, uid: UUID) -> None:
        """Make the empty file. Raise FileExistsError where there is one."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(self.path(uid), _OPEN | os.O_CREAT | os.O_EXCL, 0o600))

    @contextlib.contextmanager
    def writing(self, uid: UUID) -> Iterator[Writing]:
        """Hold the file, which others wait for. Raise FileNotFoundError where there is none."""
        file = os.open(self.path(uid), _OPEN)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield Writing(file)
        finally:
            os.close(file)

    def digest(self, uid: UUID) -> str:
        with self.path(uid).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def open(self, uid: UUID) -> BinaryIO:
        return self.path(uid).open("rb")

    def remove(self, uid: UUID) -> None:
        self.path(uid).unlink(missing_ok=True)

    def left_over(self, *, before: datetime) -> Iterator[Path]:
        """Files that nobody wrote to since then, of whatever name."""
        if not self.folder.is_dir():
            return
        for path in sorted(self.folder.iterdir()):
            with contextlib.suppress(FileNotFoundError):
                if path.is_file() and path.stat().st_mtime < before.timestamp():
                    yield path


def spool() -> Spool:
    return Spool(settings.UPLOAD_SPOOL)
