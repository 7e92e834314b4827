"""Artifacts in a local folder, by SHA-256.

A writer makes a temporary file, syncs it and links it into place, so that a reader sees whole files only and bytes that
are there are never replaced. A reader hashes every byte again.
"""

import hashlib
import os
import re
import tempfile
from pathlib import Path

from evaluation.core.errors import ToolFailure
from evaluation.core.records import ArtifactRef

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


class LocalArtifacts:
    """The artifact port over ``root/ab/cd…``; safe with many writers on one local file system."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, name: str, content: bytes) -> ArtifactRef:
        """Store bytes; raise ToolFailure when the disk does not take them."""
        sha256 = hashlib.sha256(content).hexdigest()
        place = self._place(sha256)
        if not place.exists():
            try:
                self._write(place, content)
            except OSError as error:
                raise ToolFailure(
                    f"cannot store artifact {name} ({len(content)} bytes) under {self._root}: {error.strerror}",
                    action="check free space and permissions of the artifact folder",
                ) from error
        return ArtifactRef(name, sha256, len(content))

    def get(self, sha256: str, *, limit_bytes: int) -> bytes:
        """The bytes with this hash; raise ToolFailure when missing, over the limit or changed on disk."""
        place = self._place(sha256)
        try:
            with place.open("rb") as stream:
                content = stream.read(limit_bytes + 1)
        except FileNotFoundError as error:
            raise ToolFailure(
                f"artifact {sha256} is not in {self._root}",
                action="check that whoever stored it uses the same artifact folder",
            ) from error
        if len(content) > limit_bytes:
            raise ToolFailure(
                f"artifact {sha256} is larger than the {limit_bytes} bytes allowed here",
                action="check that the artifact folder is the portal's and that the job states the right size",
            )
        if hashlib.sha256(content).hexdigest() != sha256:
            raise ToolFailure(
                f"artifact {sha256} was changed on disk",
                action=f"remove {place} and run the attempt again",
            )
        return content

    def _place(self, sha256: str) -> Path:
        if not _SHA256.match(sha256):
            raise ToolFailure(
                f"{sha256[:80]!r} is no SHA-256 in lower-case hex",
                action="let portal and workers run the same release",
            )
        return self._root / sha256[:2] / sha256[2:]

    def _write(self, place: Path, content: bytes) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=place.parent, prefix=".new-")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
                os.fchmod(stream.fileno(), 0o444)
            try:
                os.link(temporary, place)
            except FileExistsError:
                return  # another writer was first with the same bytes
            _sync_folder(place.parent)
        finally:
            Path(temporary).unlink()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
