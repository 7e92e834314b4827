"""What a bundle says about itself: every other file with its size and hash, and which judge wrote it."""

import hashlib
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from evaluation.core import wire
from evaluation.core.bundle.container import Members
from evaluation.core.bundle.members import MANIFEST, MANIFEST_BYTES
from evaluation.core.errors import InvalidInput
from evaluation.core.messages import JUDGE
from evaluation.core.quoting import quoted

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Listed:
    """One file: lower-case hex SHA-256 and size in bytes."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """``files`` are all others of the bundle in the order of their names; ``judge`` is the judge's version."""

    files: tuple[Listed, ...]
    schema: int = SCHEMA
    judge: str = JUDGE


def manifest_of(files: Members) -> Manifest:
    return Manifest(
        tuple(
            Listed(name, len(content), hashlib.sha256(content).hexdigest())
            for name, content in files
        )
    )


def read_manifest(members: Members, *, where: str) -> tuple[Manifest, Members]:
    """The manifest, and the files that it lists; InvalidInput where it and the archive do not say the same."""
    if not members or members[0][0] != MANIFEST:
        raise InvalidInput(where=where, key=MANIFEST, rule="must be the first file of a bundle")
    (_, content), *rest = members
    document, files = f"{where}: {MANIFEST}", tuple(rest)
    manifest = wire.decode(Manifest, content, where=document, limit_bytes=MANIFEST_BYTES)
    if manifest.schema != SCHEMA:
        rule = f"is {manifest.schema}; this version reads {SCHEMA}"
        raise InvalidInput(where=document, key="schema", rule=rule)
    if wire.encode(manifest) != content:
        raise InvalidInput(where=document, key="", rule="is not written in the canonical form")
    if any(first[0] > second[0] for first, second in pairwise(files)):
        raise InvalidInput(
            where=where, key="", rule="the files are not in the order of their names"
        )
    found = manifest_of(files).files
    for stated, there in zip_longest(manifest.files, found):
        if stated != there:
            raise InvalidInput(where=document, key="files", rule=_difference(stated, there))
    return manifest, files


def _difference(stated: Listed | None, there: Listed | None) -> str:
    return f"lists {_words(stated)}, and the bundle has {_words(there)}"


def _words(one: Listed | None) -> str:
    if one is None:
        return "no more files"
    return f"{quoted(one.name)} with {one.size} bytes and the hash {quoted(one.sha256)}"
