"""Kernels by their bytes and language."""

from collections.abc import Mapping
from datetime import datetime

from evaluation.core.ports import Artifacts
from evaluation.core.records import ArtifactRef
from evaluation.core.verdict import Language
from evaluation.models import Artifact, Kernel
from evaluation.services.artifacts import artifact_rows

SOURCE = "source"  # what the bytes of a kernel are called in the store
_CHUNK = 500


def add_kernel(store: Artifacts, content: bytes, language: Language, *, at: datetime) -> Kernel:
    """Store a source and its row; the same bytes in the same language are one kernel."""
    ref = store.put(SOURCE, content)
    return kernel_rows(artifact_rows([ref], at=at), [ref], language)[ref.sha256]


def kernel_rows(
    artifacts: Mapping[str, Artifact], refs: list[ArtifactRef], language: Language
) -> dict[str, Kernel]:
    """The kernels with these bytes by hash, made where there is none."""
    hashes = sorted({ref.sha256 for ref in refs})
    rows: dict[str, Kernel] = {}
    for start in range(0, len(hashes), _CHUNK):
        chunk = hashes[start : start + _CHUNK]
        rows |= _found(chunk, language)
        missing = [artifacts[sha256] for sha256 in chunk if sha256 not in rows]
        if missing:
            # Another import may make the same row meanwhile; theirs is as good.
            Kernel.objects.bulk_create(
                [
                    Kernel(sha256=one.sha256, language=language, size=one.size, artifact=one)
                    for one in missing
                ],
                ignore_conflicts=True,
            )
            rows |= _found([one.sha256 for one in missing], language)
    return rows


def _found(hashes: list[str], language: Language) -> dict[str, Kernel]:
    found = Kernel.objects.filter(sha256__in=hashes, language=language)
    return {row.sha256: row for row in found}
