"""A raw upload as importers open it, by a worker that has to be heard of while it reads for minutes."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from portal.uploads.importers.source import Source

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_BUFFER_BYTES = 256 << 10


class _Heard(io.FileIO):
    """Says that it is alive whenever bytes are asked for."""

    def __init__(self, path: Path, beat: Callable[[], None]) -> None:
        super().__init__(path, "rb")
        self._beat = beat

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        self._beat()
        return super().readinto(buffer) or 0


def spooled_source(path: Path, name: str, beat: Callable[[], None]) -> Source:
    """``beat`` may raise to stop the reading."""
    return Source(name, lambda: _open(path, beat))


def _open(path: Path, beat: Callable[[], None]) -> io.BufferedReader:
    raw = _Heard(path, beat)
    try:
        return io.BufferedReader(raw, _BUFFER_BYTES)
    except MemoryError:
        raw.close()
        raise
