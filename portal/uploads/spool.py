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
from django.http import UnreadablePostError

from portal.uploads.reading.readable import CHUNK_BYTES, Readable

_OPEN = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW


class Busy(Exception):
    """Another request writes to this upload."""


@dataclass(frozen=True, slots=True)
class Writing:
    """A file of the spool that nobody else writes to."""

    file: int

    def put(self, stream: Readable, *, offset: int, limit_bytes: int) -> int:
        """Write at most ``limit_bytes`` of the stream at ``offset`` and give the size of the file then.

        What lies behind ``offset`` was never acknowledged and is cut off. A stream that breaks off has ended: who sent
        it asks how much arrived.
        """
        os.ftruncate(self.file, offset)
        end = offset + limit_bytes
        at = offset
        while at < end and (chunk := _read(stream, min(CHUNK_BYTES, end - at))):
            at += os.pwrite(self.file, chunk, at)
        os.fsync(self.file)
        return at


def _read(stream: Readable, size: int) -> bytes:
    try:
        return stream.read(size)
    except UnreadablePostError:
        return b""


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
    def writing(self, uid: UUID) -> "Iterator[Writing]":
        """Hold the file. Raise Busy where another request does, FileNotFoundError where there is none."""
        file = os.open(self.path(uid), _OPEN)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy from None
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
