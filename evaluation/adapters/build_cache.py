"""Finished builds by the hash of everything that went in. The same key compiles once, also with two workers at once."""

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.workspace import locked, write_atomically
from evaluation.core.compile.build import Built, Failed, FailureKind, Program
from evaluation.core.compile.build_steps import HeaderSet

_MAGIC = b"ptxboard-build-2"
_HASH_BYTES = 32

# How fast and how large the host is has a part in these, so another attempt may well end differently.
_NOT_KEPT = frozenset({FailureKind.TIMEOUT, FailureKind.MEMORY})


@dataclass(frozen=True, slots=True)
class BuildCache:
    """Entries are files named by key; damaged ones are made again; the oldest go when there is too much."""

    directory: Path
    limit_bytes: int = 4 << 30

    def get_or_make(self, key: str, make: Callable[[], Program]) -> Program:
        """Return the kept program for ``key``, or what ``make`` returns, called by one process at a time."""
        if found := self._load(key):
            return found
        with locked(self.directory / f"{key}.lock"):
            if found := self._load(key):
                return found
            made = make()
            if isinstance(made, Built) or made.kind not in _NOT_KEPT:
                write_atomically(self._path(key), encode(made))
                self._prune()
            return made

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}.build"

    def _load(self, key: str) -> Program | None:
        path = self._path(key)
        try:
            program = decode(path.read_bytes())
            with contextlib.suppress(OSError):  # a state folder that is read-only prunes nothing
                os.utime(path)  # the oldest use goes first
        except FileNotFoundError:
            return None
        return None if program is None else dataclasses.replace(program, from_cache=True)

    def _prune(self) -> None:
        entries = [(path, seen) for path in self.directory.glob("*.build") if (seen := _stat(path))]
        total = sum(seen.st_size for _, seen in entries)
        for path, seen in sorted(entries, key=lambda entry: entry[1].st_mtime_ns):
            if total <= self.limit_bytes:
                break
            path.unlink(missing_ok=True)
            total -= seen.st_size


def _stat(path: Path) -> os.stat_result | None:
    with contextlib.suppress(FileNotFoundError):
        return path.stat()
    return None


def encode(program: Program) -> bytes:
    """Magic, SHA-256 of the rest, then fields as length and bytes."""
    words = (
        ("built", program.headers, str(program.seconds), program.log)
        if isinstance(program, Built)
        else (
            "failed",
            program.headers,
            str(program.seconds),
            program.log,
            program.kind,
            program.step,
        )
    )
    blobs = (
        (program.cubin, program.ptx, program.library, program.unmodified_cubin)
        if isinstance(program, Built)
        else ()
    )
    fields = (*(word.encode() for word in words), *blobs)
    body = b"".join(len(field).to_bytes(8, "little") + field for field in fields)
    return _MAGIC + hashlib.sha256(body).digest() + body


def decode(content: bytes) -> Program | None:
    """The program, or None for bytes that are not a whole entry of this format."""
    start = len(_MAGIC) + _HASH_BYTES
    body = content[start:]
    if (
        content[: len(_MAGIC)] != _MAGIC
        or content[len(_MAGIC) : start] != hashlib.sha256(body).digest()
    ):
        return None
    fields = []
    place = 0
    while place < len(body):
        size = int.from_bytes(body[place : place + 8], "little")
        fields.append(body[place + 8 : place + 8 + size])
        place += 8 + size
    kind, headers, seconds, log, *rest = fields
    if kind == b"built":
        cubin, ptx, library, unmodified = rest
        return Built(
            cubin,
            ptx,
            library,
            HeaderSet(headers.decode()),
            log.decode(),
            float(seconds),
            unmodified_cubin=unmodified,
        )
    reason, step = (word.decode() for word in rest)
    return Failed(
        FailureKind(reason), step, HeaderSet(headers.decode()), log.decode(), float(seconds)
    )
