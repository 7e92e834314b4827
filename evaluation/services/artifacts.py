"""Bytes into the store, and the rows that know of them."""

from collections.abc import Iterable
from datetime import datetime

from evaluation.core.ports import Artifacts
from evaluation.core.records import ArtifactRef
from evaluation.models import Artifact

_CHUNK = 500  # hashes a statement; SQLite takes at most 32,766 values


def store_artifact(store: Artifacts, content: bytes, kind: str, *, at: datetime) -> Artifact:
    """Store bytes and their row; bytes that are known change nothing. Raise ToolFailure when the store is full."""
    ref = store.put(kind, content)
    return artifact_rows([ref], at=at)[ref.sha256]


def artifact_rows(refs: Iterable[ArtifactRef], *, at: datetime) -> dict[str, Artifact]:
    """The rows of bytes that lie in the store, by hash, made where there is none."""
    known = {ref.sha256: ref for ref in refs}
    hashes = sorted(known)
    rows: dict[str, Artifact] = {}
    for start in range(0, len(hashes), _CHUNK):
        chunk = hashes[start : start + _CHUNK]
        rows |= _found(chunk)
        missing = [known[sha256] for sha256 in chunk if sha256 not in rows]
        if missing:
            rows |= _made(missing, at=at)
    return rows


def _found(hashes: list[str]) -> dict[str, Artifact]:
    return {row.sha256: row for row in Artifact.objects.filter(sha256__in=hashes)}


def _made(refs: list[ArtifactRef], *, at: datetime) -> dict[str, Artifact]:
    # Another writer may make the same row meanwhile; theirs is as good.
    Artifact.objects.bulk_create(
        [
            Artifact(sha256=ref.sha256, size=ref.size, kind=ref.name[:40], created_at=at)
            for ref in refs
        ],
        ignore_conflicts=True,
    )
    return _found([ref.sha256 for ref in refs])
