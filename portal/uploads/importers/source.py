"""An upload as importers see it: bytes that can be opened again and again, and the name its owner gave it."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Source:
    """``open`` gives a seekable file at its beginning, for the caller to close. ``name`` is shown, never opened."""

    name: str
    open: Callable[[], BinaryIO]


def source_of_bytes(name: str, content: bytes) -> Source:
    return Source(name, lambda: io.BytesIO(content))


def source_of_file(path: Path) -> Source:
    return Source(path.name, lambda: path.open("rb"))
