"""The files that a bundle may hold, their names and the most bytes of each. Nothing else is packed or read."""

import re
from dataclasses import dataclass
from typing import Final

from evaluation.core.binary import facts_json
from evaluation.core.measure.referee_words import LIMIT_LINE_BYTES
from evaluation.core.plan.plan_limits import DOCUMENT_BYTES
from evaluation.core.source.lexer import LIMIT_SOURCE_BYTES

MANIFEST: Final = "manifest.json"
JUDGEMENT: Final = "judgement.json"
SOURCE: Final = "kernel.cu"

LIMIT_MEMBERS: Final = 32
MANIFEST_BYTES: Final = 64 << 10
LIMIT_BUNDLE_BYTES: Final = 384 << 20
SEEN_BYTES: Final = (
    LIMIT_LINE_BYTES  # raw samples of one stage as JSON: a referee says no longer line
)

_OBJECT_BYTES: Final = 64 << 20  # what a build may make of each kind
_TEXT_BYTES: Final = 8 << 20
_IMAGE_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Member:
    """``artifact`` is the name in a stage report whose bytes these are; empty where they are no artifact."""

    file: str
    artifact: str
    limit_bytes: int


_MEMBERS: Final = (
    Member(MANIFEST, "", MANIFEST_BYTES),
    Member(JUDGEMENT, "", _TEXT_BYTES),
    Member(SOURCE, "", 16 * LIMIT_SOURCE_BYTES),  # a source that is too large is a verdict, too
    Member("build.json", "build", 1 << 20),
    Member("kernel.cubin", "cubin", _OBJECT_BYTES),
    Member("unmodified.cubin", "unmodified_cubin", _OBJECT_BYTES),
    Member("facts.json", "facts", facts_json.LIMIT_BYTES),
    Member("kernel.ptx", "ptx", _OBJECT_BYTES),
    Member("libkernel.so", "library", _OBJECT_BYTES),
    Member("plan.json", "plan", DOCUMENT_BYTES),
    Member("sass.txt", "sass_evidence", _TEXT_BYTES),
    Member("check.json", "check_seen", SEEN_BYTES),
    Member("measure.json", "measure_seen", SEEN_BYTES),
    Member("first_measure.json", "first_measure_seen", SEEN_BYTES),  # the one that did not stand
    Member("nsight.json", "nsight_seen", SEEN_BYTES),  # readings where the launcher had none
)
_BY_FILE: Final = {one.file: one for one in _MEMBERS}
_BY_ARTIFACT: Final = {one.artifact: one for one in _MEMBERS if one.artifact}
_MAP_FILE: Final = re.compile(r"error_map\.([A-Za-z][A-Za-z0-9_]{0,31})\.png\Z")
_MAP_ARTIFACT: Final = re.compile(r"error_map\.([A-Za-z][A-Za-z0-9_]{0,31})\Z")


def of_file(name: str) -> Member | None:
    """What a file of this name is in a bundle; None for a name that no bundle has."""
    if found := _MAP_FILE.match(name):
        return _error_map(found[1])
    return _BY_FILE.get(name)


def of_artifact(name: str) -> Member | None:
    """Where an artifact of a stage report goes; None for one that has no place."""
    if found := _MAP_ARTIFACT.match(name):
        return _error_map(found[1])
    return _BY_ARTIFACT.get(name)


def _error_map(output: str) -> Member:
    return Member(f"error_map.{output}.png", f"error_map.{output}", _IMAGE_BYTES)
