"""Tools that do as they are told, behind the same ports as the real ones.

They keep what they were asked in ``asked``. Nothing here compiles, records or jails.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from evaluation.core.binary.facts import CubinFacts, LibraryFacts
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Problem
from evaluation.core.compile.build import Program
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.compile.description import Command, Description
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.messages import Message
from evaluation.core.pipeline import Tools
from evaluation.core.record.raw import RawRecording, Recordings
from evaluation.core.records import ArtifactRef
from evaluation.core.scan.sass import Disassembly, Unreadable
from evaluation.core.verdict import Target


@dataclass
class FakeCompiler:
    """Answers every source with one program, or raises what it was given."""

    program: Program | ToolFailure
    asked: list[tuple[bytes, Target]] = field(default_factory=list)

    def build(self, source: bytes, target: Target) -> Program:
        self.asked.append((source, target))
        if isinstance(self.program, ToolFailure):
            raise self.program
        return self.program

    def description(self, target: Target, headers: HeaderSet, *, prints: bool) -> Description:
        return description(target, headers, prints=prints)


def description(target: Target, headers: HeaderSet, *, prints: bool) -> Description:
    command = Command("device", "compile", ("cc", target.sm, headers, str(prints)))
    return Description("fake", (("nvcc", "13.0"),), ("gcc 12",), (("TZ", "UTC"),), (command,))


@dataclass
class FakeInspector:
    cubin_facts: CubinFacts | InvalidInput
    library_facts: LibraryFacts | InvalidInput
    asked: list[bytes] = field(default_factory=list)

    def cubin(self, content: bytes) -> CubinFacts:
        self.asked.append(content)
        if isinstance(self.cubin_facts, InvalidInput):
            raise self.cubin_facts
        return self.cubin_facts

    def library(self, content: bytes) -> LibraryFacts:
        self.asked.append(content)
        if isinstance(self.library_facts, InvalidInput):
            raise self.library_facts
        return self.library_facts


@dataclass
class FakeDisassembler:
    result: Disassembly | Unreadable | ToolFailure
    asked: list[bytes] = field(default_factory=list)

    def disassemble(self, cubin: bytes) -> Disassembly | Unreadable:
        self.asked.append(cubin)
        if isinstance(self.result, ToolFailure):
            raise self.result
        return self.result


@dataclass(frozen=True, slots=True)
class RecordRequest:
    """What a recorder was asked for."""

    library: bytes
    problem: Problem
    cubin: CubinFacts
    device: Device
    noise: int


@dataclass
class FakeRecorder:
    """Gives ``first`` and ``second`` every time and ``noisy`` as often as noise is asked for; None gives none."""

    first: RawRecording
    second: RawRecording
    noisy: RawRecording | None = None
    calls: int = 8
    asked: list[RecordRequest] = field(default_factory=list)

    def record(
        self, library: bytes, *, problem: Problem, cubin: CubinFacts, device: Device, noise: int
    ) -> Recordings:
        self.asked.append(RecordRequest(library, problem, cubin, device, noise))
        more = () if self.noisy is None else (self.noisy,) * noise
        return Recordings(self.first, self.second, more)


@dataclass
class MemoryArtifacts:
    """The artifact port over a dictionary."""

    stored: dict[str, bytes] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)  # of every put, in order

    def put(self, name: str, content: bytes) -> ArtifactRef:
        sha256 = hashlib.sha256(content).hexdigest()
        self.stored[sha256] = content
        self.names.append(name)
        return ArtifactRef(name, sha256, len(content))

    def get(self, sha256: str, *, limit_bytes: int) -> bytes:
        content = self.stored.get(sha256)
        if content is None:
            raise ToolFailure(f"artifact {sha256} is not in memory")
        if len(content) > limit_bytes:
            raise ToolFailure(f"artifact {sha256} is larger than {limit_bytes} bytes")
        return content


@dataclass
class FakeClock:
    """Seconds that pass by being asked for: every reading is ``step`` later than the one before."""

    step: float = 1.0
    readings: Iterator[int] = field(default_factory=itertools.count)

    def __call__(self) -> float:
        return next(self.readings) * self.step


@dataclass
class Notebook:
    """The reporter port over a list; ``refuse`` says which messages are not delivered."""

    messages: list[Message] = field(default_factory=list)
    refuse: Callable[[Message], bool] = lambda _: False

    def send(self, message: Message) -> None:
        if self.refuse(message):
            raise ToolFailure("the broker is away")
        self.messages.append(message)


def recording(text: bytes, **ending: object) -> RawRecording:
    """A process that ended well unless ``ending`` says otherwise."""
    whole = RawRecording(
        text=text,
        dropped=0,
        exit_code=0,
        signal=None,
        timed_out=False,
        cpu_exhausted=False,
        memory_exhausted=False,
    )
    return replace(whole, **ending)  # type: ignore[arg-type]


def fake_tools(
    *,
    compiler: FakeCompiler,
    inspector: FakeInspector,
    disassembler: FakeDisassembler,
    recorder: FakeRecorder,
    names: frozenset[str],
) -> Tools:
    return Tools(
        toolchain="fake",
        compiler=compiler,
        inspector=inspector,
        disassembler=disassembler,
        recorder=recorder,
        names=names,
        artifacts=MemoryArtifacts(),
        clock=FakeClock(),
    )
