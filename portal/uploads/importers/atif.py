"""Harbor's ATIF: a trajectory as JSON, alone or in an archive of trial directories with the kernels beside it."""

import hashlib
import io
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from evaluation.core.verdict import Language
from portal.uploads.importers.atif_steps import STEP_FIELDS
from portal.uploads.importers.atif_turns import Evaluated, evaluated
from portal.uploads.importers.envelope import Envelope
from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.hardware import target_of
from portal.uploads.importers.importer import HEAD_BYTES, Head, Shape
from portal.uploads.importers.kernel_of_turn import looks_valid
from portal.uploads.importers.records import Format, Proposed, ReadTrajectory, Trouble
from portal.uploads.importers.source import Source
from portal.uploads.importers.stored_document import scrubbed_document
from portal.uploads.importers.traces import one_of, one_problem
from portal.uploads.importers.trial_names import is_kernel, is_of_a_trial
from portal.uploads.reading.archives import Member, is_archive, members
from portal.uploads.reading.json_stream import EACH, Json, Wanted, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import whole
from portal.uploads.reading.refused import Refused, TooLarge

LIMIT_KERNELS_BYTES = 48_000_000
"""Of all kernels in an archive of trials: they are held while the trajectories stream by."""
_VERSION = re.compile(r"ATIF-v1\.\d{1,3}\Z")
_WANTED = (
    Wanted(("schema_version",)),
    Wanted(("agent",), keep=(("name",), ("version",), ("model_name",))),
    Wanted(("steps", EACH), keep=STEP_FIELDS),
)


@dataclass(frozen=True, slots=True)
class Atif:
    name: Format = Format.ATIF

    def recognises(self, head: Head) -> bool:
        if head.shape is Shape.ARCHIVE:
            return is_of_a_trial(head.member)
        return head.shape is Shape.JSON and is_atif(head.marks.get("schema_version"))

    def read(
        self, source: Source, limits: Limits, *, done: Collection[str] = ()
    ) -> Iterator[ReadTrajectory]:
        with source.open() as file:
            archived = is_archive(file.read(HEAD_BYTES))
        if archived:
            yield from _read_trials(source, limits, done)
        elif source.name not in done:
            with source.open() as file:
                content = whole(file, limits.document_bytes, source.name)
            yield read_atif(content, source.name, {}, limits)


def is_atif(schema_version: str | None) -> bool:
    return schema_version is not None and bool(_VERSION.match(schema_version))


def read_atif(
    content: bytes, member: str, sources: Mapping[str, str], limits: Limits
) -> ReadTrajectory:
    """Read one trajectory; ``sources`` has the texts of the kernels beside it by their SHA-256."""
    problems = Problems()
    top: dict[str, Json] = {}

    def steps() -> Iterator[Json]:
        for one in picked(io.BytesIO(content), _WANTED, limits, member):
            if one.path[0] == "steps":
                yield one.value
            else:
                top[str(one.path[0])] = one.value

    found = tuple(evaluated(steps(), sources, limits, member))
    said = Fields(top, member, problems)
    document = scrubbed_document(content, member, limits)
    if not is_atif(said.text("schema_version")):
        sentence = "this JSON document is no ATIF-v1 trajectory"
        problems.add(Trouble.NOT_A_TRAJECTORY, sentence, member)
        return ReadTrajectory(member, Format.ATIF, Proposed(), (), problems=problems.all())
    if not found:
        sentence = "no tool call of this trajectory runs ptxbench eval with --json"
        problems.add(Trouble.NOT_A_TRAJECTORY, sentence, member)
    envelopes = tuple(one.envelope for one in found if one.envelope)
    device = one_of({trace.device for one in envelopes for trace in one.traces})
    return ReadTrajectory(
        member=member,
        format=Format.ATIF,
        proposed=Proposed(
            model=said.name("agent", "model_name"),
            harness=said.name("agent", "name"),
            harness_version=said.name("agent", "version", limit=40),
            language=_language(found),
        ),
        turns=tuple(one.turn for one in found),
        problem=_problem(envelopes, member, problems),
        target=target_of(device),
        device=device,
        document=document,
        problems=problems.all(),
    )


def _read_trials(source: Source, limits: Limits, done: Collection[str]) -> Iterator[ReadTrajectory]:
    sources = _attached(source, limits)

    def wanted(name: str) -> bool:
        return is_of_a_trial(name) and name not in done

    with source.open() as archive:
        for member in members(archive, limits, wanted):
            yield _trial(member, sources, limits)


def _trial(member: Member, sources: Mapping[str, str], limits: Limits) -> ReadTrajectory:
    content = whole(member.stream, limits.document_bytes, member.name)
    return read_atif(content, member.name, sources, limits)


def _attached(source: Source, limits: Limits) -> Mapping[str, str]:
    """Read every kernel of the archive. A kernel is found by its hash, so it does not matter whose trial it lies in."""
    sources: dict[str, str] = {}
    held_bytes = 0
    with source.open() as archive:
        for member in members(archive, limits, is_kernel):
            try:
                content = whole(member.stream, limits.kernel_bytes, member.name)
                text = content.decode("utf-8")
            except (TooLarge, UnicodeDecodeError):
                continue  # no kernel that could be judged; its turn says that the source is missing
            held_bytes += sys.getsizeof(text)
            if held_bytes > LIMIT_KERNELS_BYTES:
                megabytes = LIMIT_KERNELS_BYTES // 1_000_000
                raise Refused(f"the archive holds more than {megabytes} MB of kernels", member.name)
            sources[hashlib.sha256(content).hexdigest()] = text
    return sources


def _language(found: tuple[Evaluated, ...]) -> Language:
    kernels = [one.turn.kernel for one in found if one.turn.kernel is not None]
    triton = any(looks_valid(kernel, Language.TRITON) for kernel in kernels)
    return Language.TRITON if triton else Language.CUDA


def _problem(envelopes: tuple[Envelope, ...], member: str, problems: Problems) -> str:
    definitions = {one.definition for one in envelopes}
    definitions |= {trace.definition for one in envelopes for trace in one.traces}
    return one_problem(definitions, member, problems)
