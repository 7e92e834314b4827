"""Everything that is known of one judged kernel in one file that proves its own contents.

A bundle may come from anyone: what is read here is bounded, canonical and consistent, but not true. Whoever launches
its plan validates it against facts of the cubin that were read anew.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from evaluation.core import wire
from evaluation.core.bundle import container
from evaluation.core.bundle.container import Members
from evaluation.core.bundle.manifest import Manifest, manifest_of, read_manifest
from evaluation.core.bundle.members import (
    JUDGEMENT,
    LIMIT_BUNDLE_BYTES,
    LIMIT_MEMBERS,
    MANIFEST,
    SEEN_BYTES,
    SOURCE,
    of_artifact,
    of_file,
)
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.judgement import Judgement
from evaluation.core.measure.seen import CheckSeen, MeasureSeen
from evaluation.core.records import ArtifactRef, Outcome


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that verified. ``files`` are all but the manifest, by name; ``where`` is its name for messages."""

    where: str
    manifest: Manifest
    judgement: Judgement
    files: Mapping[str, bytes] = field(repr=False)

    @property
    def source(self) -> bytes:
        return self.files[SOURCE]

    def artifact(self, name: str) -> bytes | None:
        """The bytes that a stage report calls by this name; None where no report has such an artifact."""
        member = of_artifact(name)
        return None if member is None else self.files.get(member.file)

    def content(self, ref: ArtifactRef) -> bytes:
        """The bytes of an artifact that one of the bundle's reports names: all of them are here."""
        content = self.artifact(ref.name)
        assert content is not None
        return content

    def check_seen(self) -> CheckSeen | None:
        """The raw samples of the check; InvalidInput where they are not such a record."""
        content = self.artifact("check_seen")
        if content is None:
            return None
        where = f"{self.where}: check.json"
        return wire.decode(CheckSeen, content, where=where, limit_bytes=SEEN_BYTES)

    def measure_seen(self) -> MeasureSeen | None:
        """The raw samples of probe and time; InvalidInput where they are not such a record."""
        content = self.artifact("measure_seen")
        if content is None:
            return None
        where = f"{self.where}: measure.json"
        return wire.decode(MeasureSeen, content, where=where, limit_bytes=SEEN_BYTES)


def pack(judgement: Judgement, source: bytes, content_of: Callable[[ArtifactRef], bytes]) -> bytes:
    """The bundle of a judgement: the same bytes whenever and wherever it is made of the same contents.

    The judgement's ``source`` becomes the file's name in the bundle, so that no path of the machine is in it.
    Raise ToolFailure for an artifact that has no place in a bundle, and for more than a bundle can hold.
    """
    stated = replace(judgement, source=SOURCE)
    files = {JUDGEMENT: wire.encode(stated), SOURCE: source}
    for ref in Outcome(judgement.reports).artifacts:
        member = of_artifact(ref.name)
        if member is None or member.file in files:
            raise ToolFailure(
                f"artifact {ref.name[:80]} has no place in a bundle, or more than one",
                action="report this as a bug of ptxboard",
            )
        files[member.file] = content_of(ref)
    members = tuple(sorted(files.items()))
    manifest = wire.encode(manifest_of(members))
    packed = container.pack(((MANIFEST, manifest), *members))
    if len(packed) > LIMIT_BUNDLE_BYTES:
        raise ToolFailure(
            f"the bundle would have {len(packed)} bytes; at most {LIMIT_BUNDLE_BYTES} can be read again",
            action="keep the artifacts as they are (judge --out FOLDER)",
        )
    return packed


def unpack(content: bytes, *, where: str) -> Bundle:
    """Read and verify a bundle; InvalidInput says what is wrong and where."""
    if len(content) > LIMIT_BUNDLE_BYTES:
        rule = f"has {len(content)} bytes; at most {LIMIT_BUNDLE_BYTES} are read"
        raise InvalidInput(where=where, key="", rule=rule)
    members = container.unpack(content, where=where, limit_of=_limit_of, most=LIMIT_MEMBERS)
    manifest, files = read_manifest(members, where=where)
    bundle = Bundle(where, manifest, _judgement(files, where), dict(files))
    _consistent(bundle)
    return bundle


def _limit_of(name: str) -> int | None:
    member = of_file(name)
    return None if member is None else member.limit_bytes


def _judgement(files: Members, where: str) -> Judgement:
    content = dict(files).get(JUDGEMENT)
    if content is None:
        raise InvalidInput(where=where, key=JUDGEMENT, rule="is missing")
    return wire.decode(Judgement, content, where=f"{where}: {JUDGEMENT}")


def _consistent(bundle: Bundle) -> None:
    """Judgement and files belong together: each artifact that a report names is there, and no other."""
    judgement, where = bundle.judgement, f"{bundle.where}: {JUDGEMENT}"
    if judgement.judge != bundle.manifest.judge:
        raise InvalidInput(where=where, key="judge", rule="is another than the manifest's")
    source = bundle.files.get(SOURCE)
    if source is None:
        raise InvalidInput(where=bundle.where, key=SOURCE, rule="is missing")
    if hashlib.sha256(source).hexdigest() != judgement.source_sha256:
        raise InvalidInput(where=where, key="source_sha256", rule=f"is not the hash of {SOURCE}")
    stated = {JUDGEMENT, SOURCE}
    listed = {one.name: one for one in bundle.manifest.files}
    for ref in Outcome(judgement.reports).artifacts:
        member = of_artifact(ref.name)
        there = None if member is None else listed.get(member.file)
        if there is None:
            rule = "a report names an artifact that is not in the bundle"
            raise InvalidInput(where=where, key=ref.name[:80], rule=rule)
        if (there.sha256, there.size) != (ref.sha256, ref.size):
            rule = f"a report names another {there.name} than the one in the bundle"
            raise InvalidInput(where=where, key=ref.name[:80], rule=rule)
        stated.add(there.name)
    for name in sorted(set(listed) - stated):
        raise InvalidInput(where=bundle.where, key=name, rule="belongs to no report")
