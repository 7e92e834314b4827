"""FlashInfer-Bench: a solution as JSON, traces as JSON lines, or both in an archive as a trace set has them."""

import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language, Target
from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.flashinfer_traces import Key, Traces
from portal.uploads.importers.hardware import target_of
from portal.uploads.importers.head import head_of
from portal.uploads.importers.importer import Head, Shape
from portal.uploads.importers.kernel_of_turn import looks_valid
from portal.uploads.importers.records import (
    Format,
    Layout,
    Proposed,
    ReadTrajectory,
    ReadTurn,
    Trouble,
)
from portal.uploads.importers.source import Source
from portal.uploads.importers.stored_document import scrubbed_document
from portal.uploads.importers.traces import one_of
from portal.uploads.importers.trial_names import is_of_a_trace_set, is_solution, is_traces
from portal.uploads.importers.turn_kernel import TurnKernel, kept
from portal.uploads.reading.archives import members
from portal.uploads.reading.json_stream import Path, Wanted, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import whole

_SPEC: tuple[Path, ...] = (
    ("name",),
    ("definition",),
    ("author",),
    ("spec", "language"),
    ("spec", "target_hardware"),
    ("sources",),
)
_SOLUTION_WANTED = (Wanted((), keep=_SPEC),)
_LANGUAGES = {"cuda": Language.CUDA, "cpp": Language.CUDA, "triton": Language.TRITON}
_SOLUTION = frozenset({"definition", "spec", "sources"})
_TRACE = frozenset({"definition", "workload", "evaluation"})
_ONE_TURN = Layout(prompts=1, trajectories=1, turns=1)


@dataclass(frozen=True, slots=True)
class FlashInfer:
    name: Format = Format.FLASHINFER

    def recognises(self, head: Head) -> bool:
        if head.shape is Shape.ARCHIVE:
            return is_of_a_trace_set(head.member)
        is_json = head.shape in (Shape.JSON, Shape.JSON_LINES)
        return is_json and any(keys <= head.marks.keys() for keys in (_SOLUTION, _TRACE))

    def read(
        self, source: Source, limits: Limits, *, done: Collection[str] = ()
    ) -> Iterator[ReadTrajectory]:
        """Yield a trajectory of one turn for each solution, and one without a source where only traces name it."""
        traces = Traces()
        told: set[Key] = set()
        for member, content in _contents(source, limits, traces):
            read, key = _solution(content, member, traces, limits)
            told.add(key)
            if member not in done:
                yield read
        for key in traces.told():
            member = f"{source.name}#{key[0]}/{key[1]}"
            if key not in told and member not in done:
                yield _traced(member, key, traces)


def _contents(source: Source, limits: Limits, traces: Traces) -> Iterator[tuple[str, bytes]]:
    """Read all traces, then yield (member, content) of each solution."""
    head = head_of(source, limits)
    if head.shape is Shape.ARCHIVE:
        with source.open() as archive:
            for member in members(archive, limits, is_traces):
                traces.read(member.stream, limits, member.name)
        with source.open() as archive:
            for member in members(archive, limits, is_solution):
                yield member.name, whole(member.stream, limits.document_bytes, member.name)
        return
    with source.open() as file:
        if head.marks.keys() >= _SOLUTION:
            yield source.name, whole(file, limits.document_bytes, source.name)
        else:
            traces.read(file, limits, source.name)


def _solution(
    content: bytes, member: str, traces: Traces, limits: Limits
) -> tuple[ReadTrajectory, Key]:
    problems = Problems()
    (found,) = picked(io.BytesIO(content), _SOLUTION_WANTED, limits, member)
    said = Fields(found.value, member, problems)
    key = (said.name("definition"), said.name("name"))
    language = _language(said)
    kernel = _kernel(said, language, limits)
    target = _target(said)
    reported = traces.reported(key, problems, member)
    device = one_of({trace.device for trace in traces.of(key)})
    turn = ReadTurn(
        number=0,
        kernel=kernel.source,
        missing=kernel.missing,
        missing_said=kernel.said,
        reported=reported,
        secrets=kernel.secrets,
    )
    read = ReadTrajectory(
        member=member,
        format=Format.FLASHINFER,
        proposed=Proposed(model=said.name("author"), language=language or Language.CUDA),
        turns=(turn,),
        problem=key[0],
        target=target or target_of(device),
        device=device,
        layout=_ONE_TURN,
        document=scrubbed_document(content, member, limits),
        problems=problems.all(),
    )
    return read, key


def _traced(member: str, key: Key, traces: Traces) -> ReadTrajectory:
    problems = Problems()
    device = one_of({trace.device for trace in traces.of(key)})
    said = "the upload has traces of this solution and not the solution itself"
    turn = ReadTurn(
        number=0,
        kernel=None,
        missing=Missing.SOURCE_MISSING,
        missing_said=said,
        reported=traces.reported(key, problems, member),
    )
    return ReadTrajectory(
        member=member,
        format=Format.FLASHINFER,
        proposed=Proposed(),
        turns=(turn,),
        problem=key[0],
        target=target_of(device),
        device=device,
        layout=_ONE_TURN,
        problems=problems.all(),
    )


def _kernel(said: Fields, language: Language | None, limits: Limits) -> TurnKernel:
    sources = said.children("sources")
    if len(sources) != 1:
        sentence = f"the solution has {len(sources)} source files; a kernel is one file"
        said.problems.add(Trouble.SEVERAL_SOURCES, sentence, said.where)
        return TurnKernel(None, Missing.UNREADABLE, sentence)
    source = sources[0].text("content")
    if language is None:
        sentence = "only CUDA and Triton solutions are judged"
        return TurnKernel(None, Missing.UNREADABLE, sentence)
    return kept(source, limits)


def _language(said: Fields) -> Language | None:
    """CUDA or Triton, which may be called Python; None for any other language."""
    word = said.text("spec", "language").lower()
    sources = said.children("sources") if word == "python" else ()
    if any(looks_valid(one.text("content"), Language.TRITON) for one in sources):
        return Language.TRITON
    return _LANGUAGES.get(word)


def _target(said: Fields) -> Target | None:
    if not said.present("spec", "target_hardware"):
        return None
    words = (one.name(limit=80) for one in said.children("spec", "target_hardware"))
    return next((target for word in words if (target := target_of(word))), None)
