"""A program of ours that is compiled once on a host: kept under its key, with a hash that shows damage."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from evaluation.adapters.workspace import locked, write_atomically

COMPILE_ENVIRONMENT: Final = (
    ("LC_ALL", "C"),
    ("PATH", "/usr/bin"),  # gcc looks for cc1plus, as and ld there
    ("SOURCE_DATE_EPOCH", "0"),
    ("TMPDIR", "/tmp"),  # noqa: S108 - the jail's own
)
"""All variables of a jail in which a program of ours is compiled: nothing of the host's shows in what is made."""

_HASH_BYTES: Final = 32


def kept(path: Path, kind: bytes, build: Callable[[], bytes]) -> bytes:
    """Return what the file holds, or build it and keep it there; of two processes at once one builds.

    ``kind`` opens the file and says what it holds and in which format. A file of another kind or a damaged one counts
    as none. The folder is there. What ``build`` raises comes through, and nothing is kept.
    """
    if found := _load(path, kind):
        return found
    with locked(path.with_suffix(".lock")):
        if found := _load(path, kind):
            return found
        made = build()
        write_atomically(path, kind + hashlib.sha256(made).digest() + made)
        return made


def _load(path: Path, kind: bytes) -> bytes | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    body = content[len(kind) + _HASH_BYTES :]
    return body if content.startswith(kind + hashlib.sha256(body).digest()) else None
